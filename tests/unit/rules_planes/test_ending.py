"""How games end and what is counted (RULES.md 6, 7)."""

import pytest

from parlor.rules.game import Seat
from parlor.rules.planes import PLANES, Config
from parlor.rules.planes.accuracy import accuracy
from parlor.rules.planes.ending import decide
from parlor.rules.planes.events import Ended, Surrendered
from parlor.rules.planes.table import DecidedBy, EndReason, Tally
from parlor.rules.reasons import Reason
from tests.unit.rules_planes.table import ABOVE, Game, battle, planes

A, B = Seat(0), Seat(1)


def counted(destroyed: int, hits: int, attacks: int) -> Tally:
    """A seat's counts."""
    return Tally(destroyed=destroyed, hits=hits, attacks=attacks)


@pytest.mark.parametrize(
    ("ours", "theirs", "winner", "decided_by"),
    [
        pytest.param((2, 25, 40), (1, 30, 40), A, DecidedBy.PLANES, id="6.2 planes first"),
        pytest.param((1, 12, 20), (1, 11, 20), A, DecidedBy.ACCURACY, id="6.2 accuracy next"),
        pytest.param((0, 3333, 10_000), (0, 1, 3), B, DecidedBy.ACCURACY, id="6.2 not rounded"),
        pytest.param((0, 1, 3), (0, 3333, 10_000), A, DecidedBy.ACCURACY, id="6.2 either seat"),
        pytest.param((0, 0, 0), (0, 0, 0), None, DecidedBy.DRAW, id="6.2 no shots"),
        pytest.param((0, 0, 5), (0, 0, 0), None, DecidedBy.DRAW, id="6.2 no shots are 0 %"),
        pytest.param((0, 0, 0), (0, 1, 30), B, DecidedBy.ACCURACY, id="6.2 any hit beats none"),
        pytest.param((1, 2, 4), (1, 3, 6), None, DecidedBy.DRAW, id="6.2 equal fractions"),
    ],
)
def test_who_is_ahead_at_the_time_limit(
    ours: tuple[int, int, int],
    theirs: tuple[int, int, int],
    winner: Seat | None,
    decided_by: DecidedBy,
) -> None:
    assert decide((counted(*ours), counted(*theirs))) == (winner, decided_by)


def test_the_time_limit_ends_a_battle_by_what_was_shot() -> None:
    game = battle(Config(game_ms=60_000))
    game.shoot(0, "54")
    game.shoot(1, "00")
    game.wait(60_000)
    ending = game.state.table.ending
    assert ending is not None
    assert (ending.reason, ending.decided_by) == (EndReason.TIME_LIMIT, DecidedBy.ACCURACY)
    assert (ending.winner, ending.moves, ending.duration_ms) == (A, 2, 60_000)


@pytest.mark.parametrize(
    ("hits", "attacks", "shown"),
    [
        pytest.param(0, 0, 0, id="7 none"),
        pytest.param(1, 3, 3_333, id="7 down"),
        pytest.param(2, 3, 6_667, id="7 up"),
        pytest.param(1, 16, 625, id="7 exact"),
        pytest.param(1, 32, 313, id="7 half up"),
        pytest.param(100, 100, 10_000, id="7 all"),
    ],
)
def test_accuracy_is_rounded_half_up_to_two_decimals(hits: int, attacks: int, shown: int) -> None:
    assert accuracy(hits, attacks) == shown


def test_accuracy_follows_every_shot() -> None:
    game = battle()
    game.shoot(0, "54")
    game.waste(1)
    assert game.state.table.tallies[0].accuracy == 10_000
    game.shoot(0, "00")
    assert game.state.table.tallies[0].accuracy == 5_000


@pytest.mark.parametrize("seat", [0, 1], ids=["6.1 on turn", "6.1 off turn"])
def test_a_surrender_gives_the_game_to_the_other(seat: int) -> None:
    game = battle()
    events = game.surrender(seat)
    assert events[0] == Surrendered(seat=Seat(seat))
    assert isinstance(events[1], Ended)
    outcome = PLANES.outcome(game.state)
    assert outcome is not None
    assert (outcome.reason, outcome.winners) == ("SURRENDER", (Seat(1 - seat),))
    assert outcome.scores == ((-1, 1) if seat == 0 else (1, -1))


def test_leaving_is_surrendering_also_while_placing() -> None:
    game = Game()
    game.place(1, ABOVE)
    game.take(PLANES.on_leave(game.state, A, game.at))
    ended = game.events[-1]
    assert isinstance(ended, Ended)
    assert (ended.ending.reason, ended.ending.winner) == (EndReason.SURRENDER, B)
    assert ended.fleets == ((), planes(ABOVE))


def test_a_draw_scores_nothing() -> None:
    game = Game()
    game.wait(120_000)
    outcome = PLANES.outcome(game.state)
    assert outcome is not None
    assert (outcome.winners, outcome.scores) == ((), (0, 0))


def test_a_game_that_is_over_takes_no_actions() -> None:
    game = battle()
    game.surrender(0)
    assert game.refusal(0, game.shot(0, "00")) is Reason.WRONG_PHASE
    with pytest.raises(ValueError, match="due"):
        PLANES.advance(game.state, 10**12)
    assert list(PLANES.legal_actions(game.state, A)) == []

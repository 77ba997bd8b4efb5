"""Placing, and how the battle begins (RULES.md 2, 3)."""

import pytest

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.planes import PLANES, Config
from parlor.rules.planes.actions import Place, Proposal
from parlor.rules.planes.board import Direction
from parlor.rules.planes.events import (
    BattleStarted,
    GameStarted,
    PlacementCompleted,
    PlanePlaced,
    TurnStarted,
)
from parlor.rules.planes.fleets import IllegalFleet, fleet_of, nth_fleet
from parlor.rules.planes.legal import placing_of
from parlor.rules.planes.table import EndReason, Phase
from parlor.rules.planes.view import Question
from parlor.rules.reasons import Reason
from tests.unit.rules_planes.table import ABOVE, ASIDE, BEGAN, Game, battle, planes

NOTHING = Proposal(x=None, y=None, direction=None)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ABOVE, id="2.1 two side by side"),
        pytest.param(ASIDE, id="2.1 three directions"),
        pytest.param("D42 D92 D47", id="2.1 one direction"),
        pytest.param("L70 L20 L75", id="2.1 tail to nose"),
    ],
)
def test_planes_that_share_no_cell_are_a_fleet(text: str) -> None:
    assert fleet_of(placing_of(planes(text), 1).planes) == planes(text)


@pytest.mark.parametrize(
    ("text", "reason", "blamed"),
    [
        pytest.param("", Reason.BAD_COUNT, (), id="2.3 no plane"),
        pytest.param("U02 U07", Reason.BAD_COUNT, (), id="2.3 two planes"),
        pytest.param("U02 U07 D94 U55", Reason.BAD_COUNT, (), id="2.3 four planes"),
        pytest.param("U02 U07 U64", Reason.OUT_OF_BOARD, (2,), id="2.3 tail below row 9"),
        pytest.param("U02 U08 D94", Reason.OUT_OF_BOARD, (1,), id="2.3 wing right of column 9"),
        pytest.param("D32 U02 U02", Reason.OUT_OF_BOARD, (0,), id="2.3 board before overlap"),
        pytest.param("U02 U02 U02", Reason.OVERLAP, (0, 1), id="2.3 the first pair"),
        pytest.param("U02 U07 U42", Reason.OVERLAP, (0, 2), id="2.3 head on tail"),
        pytest.param("D94 U02 U06", Reason.OVERLAP, (1, 2), id="2.3 wing tips"),
    ],
)
def test_what_is_no_fleet_is_refused_with_the_planes_to_blame(
    text: str, reason: Reason, blamed: tuple[int, ...]
) -> None:
    with pytest.raises(IllegalFleet) as refused:
        fleet_of(placing_of(planes(text), 1).planes)
    assert (refused.value.reason, refused.value.planes) == (reason, blamed)


@pytest.mark.parametrize(
    "proposal",
    [
        pytest.param(NOTHING, id="2.3 nothing"),
        pytest.param(Proposal(x=None, y=2, direction=Direction.UP), id="2.3 no row"),
        pytest.param(Proposal(x=0, y=None, direction=Direction.UP), id="2.3 no column"),
        pytest.param(Proposal(x=0, y=2, direction=None), id="2.3 no direction"),
    ],
)
def test_an_incomplete_plane_is_bad_before_another_leaves_the_board(proposal: Proposal) -> None:
    outside = placing_of(planes("U99 U02"), 1).planes
    with pytest.raises(IllegalFleet) as refused:
        fleet_of((*outside, proposal))
    assert (refused.value.reason, refused.value.planes) == (Reason.BAD_PLANE, (2,))


def test_both_seats_are_asked_at_once() -> None:
    game = Game()
    assert game.events == (GameStarted(config=Config(), at=BEGAN, decision=1),)
    for seat in (0, 1):
        prompt = PLANES.view(game.state, Seat(seat)).prompt
        assert prompt is not None
        assert (prompt.question, prompt.decision) == (Question.PLACE, 1)
        assert prompt.due == BEGAN + 120_000


def test_a_fleet_gets_its_numbers_in_the_order_sent_and_is_final() -> None:
    game = Game()
    events = game.place(0, ABOVE)
    assert events == (
        *(
            PlanePlaced(seat=Seat(0), number=number, plane=plane)
            for number, plane in enumerate(planes(ABOVE))
        ),
        PlacementCompleted(seat=Seat(0), auto=False),
    )
    again = placing_of(planes(ASIDE), 1)
    assert game.refusal(0, again) is Reason.ALREADY_PLACED
    assert game.refusal(0, Place(decision=1, planes=())) is Reason.ALREADY_PLACED
    assert game.refusal(0, Place(decision=2, planes=())) is Reason.DECISION_OVER
    assert game.refusal(0, game.shot(0, "00")) is Reason.WRONG_PHASE


def test_the_second_fleet_starts_the_battle() -> None:
    game = battle(first=1)
    assert game.events[4:] == (
        BattleStarted(seat=Seat(1)),
        TurnStarted(seat=Seat(1), at=BEGAN, remaining_ms=30_000, paused=False, decision=2),
    )
    assert game.refusal(1, placing_of(planes(ABOVE), 2)) is Reason.WRONG_PHASE


def test_the_server_places_for_a_seat_that_is_late() -> None:
    game = Game(fleet=5_000)
    game.place(1, ASIDE)
    events = game.wait(120_000)
    assert PlacementCompleted(seat=Seat(0), auto=True) in events
    assert game.state.fleets[0] == nth_fleet(5_000)
    assert game.state.table.auto_placed == (True, False)
    assert game.state.table.phase is Phase.BATTLING


def test_two_seats_that_are_late_have_a_draw() -> None:
    game = Game()
    game.wait(119_999)
    assert PLANES.outcome(game.state) is None
    game.wait(1)
    ending = game.state.table.ending
    assert ending is not None
    assert (ending.reason, ending.winner) == (EndReason.PLACEMENT_TIMEOUT, None)


def test_a_lost_connection_does_not_stop_placing() -> None:
    game = Game()
    game.place(0, ABOVE)
    game.presence(1, False)
    game.wait(120_000)
    assert game.state.table.phase is Phase.BATTLING


def test_chance_places_and_chooses_the_first_seat_without_favour() -> None:
    firsts, fleets = [], set()
    for number in range(200):
        chance = Chance(seed=number.to_bytes(32, "big"), entropy=b"")
        state = PLANES.initial(Config(), chance, 0).state
        state = PLANES.apply(state, Seat(0), placing_of(planes(ABOVE), 1), 1).state
        state = PLANES.advance(state, 120_000).state
        firsts.append(state.table.first)
        fleets.add(state.fleets[1])
    assert 70 <= firsts.count(Seat(0)) <= 130
    assert len(fleets) > 190

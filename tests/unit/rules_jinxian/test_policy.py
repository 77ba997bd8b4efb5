"""How the bot plays Jinxian Mahjong."""

import random

import pytest

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN, Config, View, legal_actions
from parlor.rules.jinxian.actions import Action, Chow, Continue, Discard, Kong, Pass, Pong, Win
from parlor.rules.jinxian.events import Options
from parlor.rules.jinxian.jing import jing_of
from parlor.rules.jinxian.melds import Meld
from parlor.rules.jinxian.policy import decide
from parlor.rules.jinxian.table import Discard as Laid
from parlor.rules.jinxian.table import Phase, Question, Table
from parlor.rules.jinxian.tiles import SEATS, in_order, kind, kinds
from parlor.rules.jinxian.view import Prompt
from tests.unit.rules_jinxian.dealt import meld

ME, RIGHT, LEFT = Seat(0), Seat(1), Seat(3)
NUMBER = 7
JING = jing_of(kind("1z"))


def asked(
    hand: str,
    question: Question = Question.TURN,
    *,
    melds: tuple[Meld, ...] = (),
    river: tuple[Laid, ...] = (),
    options: Options | None = None,
    config: Config | None = None,
) -> View:
    """Seat 0 with this hand, where East and South are jing, before a question."""
    phase = Phase.RESPONDING if question is Question.CLAIM else Phase.PLAYING
    table = Table(phase=phase, jing=JING, melds=(melds, (), (), ()), river=river, remaining=60)
    prompt = Prompt(question=question, decision=NUMBER, due=1_000, options=options or Options())
    return View(
        config=config or Config(), seat=ME, table=table, hand=in_order(kinds(hand)), prompt=prompt
    )


def answer(seen: View, seed: int = 1) -> Action | None:
    return decide(seen, random.Random(seed))


def discarded(tile: str) -> tuple[Laid, ...]:
    return (Laid(seat=LEFT, tile=kind(tile)),)


def test_it_takes_a_win() -> None:
    win = Options(win=13, kongs=kinds("1m"), pong=True)
    assert answer(asked("123m456789p22678s", options=win)) == Win(decision=NUMBER)
    seen = asked("123m456789p2267s", Question.CLAIM, river=discarded("8s"), options=win)
    assert answer(seen) == Win(decision=NUMBER)


def test_it_discards_what_leaves_it_ready() -> None:
    assert answer(asked("123m456789p2267s9m")) == Discard(decision=NUMBER, tile=kind("9m"))


def test_between_ready_hands_it_takes_the_wider_wait() -> None:
    # Without the 5s it waits for 1s, 3s and 4s, without the 3s for another 5s only.
    seen = asked("123m456789p22s235s")
    assert answer(seen) == Discard(decision=NUMBER, tile=kind("5s"))


@pytest.mark.parametrize(("gone", "other"), [("9s", "5z"), ("5z", "9s")])
def test_it_waits_for_what_is_not_in_sight(gone: str, other: str) -> None:
    river = tuple(Laid(seat=RIGHT, tile=kind(gone)) for _ in range(2))
    seen = asked("123m456p444s999m9s5z", river=river)
    assert answer(seen) == Discard(decision=NUMBER, tile=kind(gone)), f"{other} is still there"


def test_it_keeps_its_jing() -> None:
    for seed in range(5):
        choice = answer(asked("12z147m258p369s346z"), seed)
        assert isinstance(choice, Discard)
        assert choice.tile not in JING


def test_it_claims_what_brings_it_closer() -> None:
    chow = Options(chows=((kind("1m"), kind("2m")),))
    seen = asked("12m456789p2267s9m", Question.CLAIM, river=discarded("3m"), options=chow)
    assert answer(seen) == Chow(decision=NUMBER, tiles=(kind("1m"), kind("2m")))
    pong = Options(pong=True)
    seen = asked("99m456789p2267s3m", Question.CLAIM, river=discarded("9m"), options=pong)
    assert answer(seen) == Pong(decision=NUMBER)


def test_it_leaves_what_does_not_bring_it_closer() -> None:
    # Ready for 5s and 8s: a pong of the pair would undo that.
    seen = asked(
        "123m456789p2267s", Question.CLAIM, river=discarded("2s"), options=Options(pong=True)
    )
    assert answer(seen) == Pass(decision=NUMBER)


def test_a_hand_that_a_claim_completes_is_still_only_ready() -> None:
    # The chow leaves four sets and a pair, of which it would have to break one.
    chow = Options(chows=((kind("6s"), kind("7s")),))
    seen = asked("123m456789p2267s", Question.CLAIM, river=discarded("8s"), options=chow)
    assert answer(seen) == Pass(decision=NUMBER)


def test_it_makes_a_kong_that_costs_nothing() -> None:
    own = Options(kongs=kinds("9s"))
    seen = asked("123m456789p5s9999s", options=own)
    assert answer(seen) == Kong(decision=NUMBER, tile=kind("9s"))
    added = asked("9s45p78p123m22s5z", melds=(meld("pong 999s"),), options=own)
    assert answer(added) == Kong(decision=NUMBER, tile=kind("9s"))
    exposed = Options(kongs=kinds("9s"), pong=True)
    seen = asked("123m456p78p22s999s", Question.CLAIM, river=discarded("9s"), options=exposed)
    assert answer(seen) == Kong(decision=NUMBER, tile=kind("9s"))


def test_it_makes_no_kong_of_tiles_that_its_sets_need() -> None:
    own = Options(kongs=kinds("5s"))
    choice = answer(asked("345s567s55s12m456p9p", options=own))
    assert isinstance(choice, Discard)


def test_it_makes_no_kong_of_jing() -> None:
    choice = answer(asked("1111z14m258p369s3z4m", options=Options(kongs=kinds("1z"))))
    assert isinstance(choice, Discard)
    assert choice.tile not in JING


def test_it_goes_on_to_the_next_round() -> None:
    assert answer(asked("123m", Question.CONTINUE)) == Continue(decision=NUMBER)


def test_who_is_asked_nothing_does_nothing() -> None:
    spectator = View(config=Config(), seat=None, table=Table())
    assert answer(spectator) is None
    waiting = View(config=Config(), seat=ME, table=Table())
    assert answer(waiting) is None


@pytest.mark.parametrize("seed", range(2))
def test_four_bots_play_a_game_to_its_end_with_legal_moves(seed: int) -> None:
    taste = random.Random(seed)
    chance = Chance(seed=bytes([seed]) * 32, entropy=b"")
    state = JINXIAN.initial(Config(total_rounds=4), chance, 0).state
    at = 0
    while JINXIAN.outcome(state) is None:
        views = [JINXIAN.view(state, Seat(seat)) for seat in range(SEATS)]
        seen = next(seen for seen in views if seen.prompt is not None)
        action = decide(seen, taste)
        assert action in list(legal_actions(seen))
        assert seen.seat is not None
        at += 1
        state = JINXIAN.apply(state, seen.seat, action, at).state
    # Hands that are played well are won: most rounds are, by bots.
    assert sum(record.winner is not None for record in state.table.history) >= 3


def test_the_same_view_and_seed_give_the_same_answer() -> None:
    seen = asked("12z147m258p369s346z")
    assert answer(seen, 3) == answer(seen, 3)

"""Finding the landlord (RULES.md 6.1)."""

from dataclasses import replace

import pytest

from parlor.rules.doudizhu import DOUDIZHU, Config
from parlor.rules.doudizhu.actions import Bid, Call, Pass, Play, Rob
from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.config import Bidding, RuleSet
from parlor.rules.doudizhu.events import Asked, Dealt, LandlordChosen
from parlor.rules.doudizhu.table import Phase, Question
from parlor.rules.game import Seat
from parlor.rules.reasons import Reason
from tests.unit.rules_doudizhu.table import Game, deal

CALL = Config(bidding=Bidding.CALL)


@pytest.mark.parametrize(
    ("first", "bids", "landlord", "bid"),
    [
        pytest.param(0, [1, 2, 3], 2, 3, id="6.1.2 each higher"),
        pytest.param(1, [3], 1, 3, id="6.1.2 a 3 ends the bidding"),
        pytest.param(2, [1, 0, 0], 2, 1, id="6.1.2 the others pass"),
        pytest.param(0, [0, 1, 0], 1, 1, id="6.1.2 a later bid"),
        pytest.param(0, [1, 0, 2], 2, 2, id="6.1.2 a higher bid"),
    ],
)
def test_the_highest_bidder_is_landlord(
    first: int, bids: list[int], landlord: int, bid: int
) -> None:
    game = Game(first=first)
    for turn, number in enumerate(bids):
        game.bid((first + turn) % SEATS, number)
    table = game.state.table
    assert (table.landlord, table.bid, table.phase) == (landlord, bid, Phase.PLAYING)
    assert table.counts[landlord] == len(game.state.hands[landlord]) == 20
    assert table.deadline is not None
    assert table.deadline.seats == (landlord,)


@pytest.mark.parametrize(
    ("first", "words", "landlord", "robs"),
    [
        pytest.param(0, "c--", 0, 0, id="6.1.3 nobody robs"),
        pytest.param(0, "crrr", 0, 3, id="6.1.3 the caller robs back"),
        pytest.param(0, "crr-", 2, 2, id="6.1.3 the last robber stays"),
        pytest.param(0, "c-r-", 2, 1, id="6.1.3 one robber"),
        pytest.param(0, "-crr", 1, 2, id="6.1.3 who declined may not rob"),
        pytest.param(0, "-c-", 1, 0, id="6.1.3 the only other does not rob"),
        pytest.param(0, "--c", 2, 0, id="6.1.3 nobody is left to rob"),
        pytest.param(2, "crr-", 1, 2, id="6.1.3 another first seat"),
    ],
)
def test_the_last_to_call_or_rob_is_landlord(
    first: int, words: str, landlord: int, robs: int
) -> None:
    game = Game(CALL, first=first)
    for word in words:
        asked = game.state.table.deadline
        assert asked is not None
        (seat,) = asked.seats
        if asked.question is Question.CALL:
            game.call(seat, word == "c")
        else:
            game.rob(seat, word == "r")
    table = game.state.table
    assert (table.landlord, table.robs, table.bid) == (landlord, robs, 1)


@pytest.mark.parametrize("config", [Config(), CALL], ids=["6.1.4 score", "6.1.4 call"])
def test_when_all_pass_the_next_seat_speaks_first_after_a_new_deal(config: Config) -> None:
    game = Game(config, first=1)
    old = game.state.hands
    for seat in (1, 2, 0):
        if config.bidding is Bidding.CALL:
            game.call(seat, False)
        else:
            game.bid(seat, 0)
    dealt, asked = game.events[1:]
    assert isinstance(dealt, Dealt)
    assert (dealt.deal, dealt.first) == (2, 2)
    assert isinstance(asked, Asked)
    assert asked.seats == (2,)
    assert game.state.hands != old
    assert game.state.table.bid == 0


@pytest.mark.parametrize("most", [1, 3])
def test_after_the_last_passed_deal_its_first_seat_must_be_landlord(most: int) -> None:
    """RULES.md 6.1.4."""
    game = Game(Config(max_passed_deals=most), first=0)
    for number in range(most):
        for turn in range(SEATS):
            game.bid((number + turn) % SEATS, 0)
    table = game.state.table
    assert (table.landlord, table.bid, table.deal) == ((most - 1) % SEATS, 1, most)


def test_the_landlord_takes_the_bottom_cards_and_all_see_them() -> None:
    """RULES.md 6.1.5."""
    game = Game(deal_1=deal("3", "4", "5", bottom="2BR"))
    assert not set(game.state.hands[0]) & {1, 52, 53}
    game.bid(0, 3)
    chosen = next(event for event in game.events if isinstance(event, LandlordChosen))
    assert set(chosen.bottom) == {1, 52, 53}
    assert {1, 52, 53} < set(game.state.hands[0])
    assert DOUDIZHU.view(game.state, None).table.bottom == chosen.bottom


def test_a_bid_out_of_turn_range_or_order_is_refused() -> None:
    """RULES.md 6.1.2 and 6.1.6."""
    game = Game(first=0)
    game.bid(0, 2)
    number = game.number(1)
    assert game.refusal(2, Bid(decision=0, bid=3)) is Reason.NOT_YOUR_TURN
    assert game.refusal(1, Bid(decision=number, bid=4)) is Reason.BAD_BID
    assert game.refusal(1, Bid(decision=number, bid=-1)) is Reason.BAD_BID
    assert game.refusal(1, Bid(decision=number, bid=2)) is Reason.BID_TOO_LOW
    assert game.refusal(1, Call(decision=number, call=True)) is Reason.BAD_ACTION
    assert game.refusal(1, Rob(decision=number, rob=True)) is Reason.BAD_ACTION
    assert game.refusal(1, Pass(decision=number)) is Reason.WRONG_PHASE
    assert game.refusal(1, Play(decision=number, cards=(0,))) is Reason.WRONG_PHASE


def test_a_word_of_the_other_stage_is_refused() -> None:
    """RULES.md 6.1.6."""
    game = Game(CALL, first=0)
    assert game.refusal(0, Rob(decision=1, rob=True)) is Reason.BAD_ACTION
    assert game.refusal(0, Bid(decision=1, bid=1)) is Reason.BAD_ACTION
    game.call(0, True)
    assert game.refusal(1, Call(decision=1, call=True)) is Reason.BAD_ACTION


def test_classic_has_no_bidding() -> None:
    """RULES.md 5.1 and 5.2."""
    game = Game(Config(rule_set=RuleSet.CLASSIC), first=2)
    assert game.state.table.phase is Phase.PLAYING
    assert game.state.table.counts == (18, 18, 18)
    assert game.refusal(2, Bid(decision=1, bid=1)) is Reason.WRONG_PHASE
    view = DOUDIZHU.view(game.state, Seat(2))
    assert view.prompt is not None
    assert view.prompt.question is Question.PLAY


def test_deals_differ_by_number_and_follow_from_the_seed() -> None:
    one, same = Game(), Game()
    assert one.state == same.state
    again = replace(one.state.chance, seed=b"x" * 32)
    other = DOUDIZHU.initial(Config(), again, one.at).state
    assert other.hands != one.state.hands

"""The bot of Dou Dizhu: always legal, the same way twice, and what it does in plain positions."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parlor.rules.chance import Chance
from parlor.rules.doudizhu import DOUDIZHU, Config, State, View, legal_actions
from parlor.rules.doudizhu.actions import Action, Bid, Call, Consent, Double, Pass, Play, Rob
from parlor.rules.doudizhu.candidates import part_of
from parlor.rules.doudizhu.cards import CARDS, in_display_order, text
from parlor.rules.doudizhu.config import Bidding, RuleSet, RunTop, Wings
from parlor.rules.doudizhu.policy import decide
from parlor.rules.doudizhu.state import Offer
from parlor.rules.doudizhu.table import Act, Deadline, Entry, Phase, Question, Table, Trick
from parlor.rules.doudizhu.unseen import holdings
from parlor.rules.doudizhu.view import Prompt
from parlor.rules.game import Seat
from tests.unit.rules_doudizhu.table import OPEN, TO_JOKER, cards, reading

SEATS = (Seat(0), Seat(1), Seat(2))
CLASSIC = Config(rule_set=RuleSet.CLASSIC)

configs = st.builds(
    Config,
    rule_set=st.sampled_from(RuleSet),
    run_top=st.sampled_from(RunTop),
    wings=st.sampled_from(Wings),
    bidding=st.sampled_from(Bidding),
    doubling=st.booleans(),
    show_cards=st.booleans(),
)


def played(config: Config, seed: int, bots: frozenset[int]) -> tuple[State, list[Action]]:
    """A whole game in which the other seats do anything legal; and what the bots did."""
    state = DOUDIZHU.initial(config, Chance(seed=seed.to_bytes(32), entropy=b""), 0).state
    taste = random.Random(seed)
    actions = []
    while DOUDIZHU.outcome(state) is None:
        views = [DOUDIZHU.view(state, seat) for seat in SEATS]
        seen = next((view for view in views if view.offer and view.offer.decision), None)
        seen = seen or next(view for view in views if view.prompt)
        assert seen.seat is not None
        if seen.seat in bots:
            action = decide(seen, taste)
            assert action is not None
            actions.append(action)
        else:
            action = taste.choice(list(legal_actions(seen)))
        state = DOUDIZHU.apply(state, Seat(seen.seat), action, 0).state
    return state, actions


@settings(max_examples=40, deadline=None)
@given(
    config=configs,
    seed=st.integers(min_value=0, max_value=2**32),
    bots=st.sets(st.sampled_from(SEATS), min_size=1),
)
def test_every_decision_is_accepted_until_the_game_ends(
    config: Config, seed: int, bots: set[Seat]
) -> None:
    state, _ = played(config, seed, frozenset(bots))
    assert state.table.ending is not None


def test_the_same_view_and_taste_give_the_same_game() -> None:
    assert played(Config(), 7, frozenset(SEATS)) == played(Config(), 7, frozenset(SEATS))


def test_who_is_asked_nothing_does_nothing() -> None:
    state = DOUDIZHU.initial(Config(), Chance(seed=bytes(32), entropy=b""), 0).state
    views = [DOUDIZHU.view(state, audience) for audience in (*SEATS, None)]
    waiting = [view for view in views if view.prompt is None]
    assert len(waiting) == 3
    assert all(decide(view, random.Random(1)) is None for view in waiting)


MANY = "?"
SOME = 12
"""So many cards of any kind have the hands that are given as `MANY`."""


def position(
    *hands: str, landlord: int | None, led: str = "", by: int = 0, config: Config | None = None
) -> View:
    """Seat 0 on turn; all other cards have been played. Of the other hands only the size shows."""
    dealt: list[tuple[int, ...]] = []
    for ranks in (*hands, led):
        taken = tuple(card for hand in dealt for card in hand)
        dealt.append(cards("", taken=taken) if ranks == MANY else cards(ranks, taken=taken))
    rest = [card for card in range(CARDS) if not any(card in hand for hand in dealt)]
    random.Random(0).shuffle(rest)
    for seat, ranks in enumerate(hands):
        if ranks == MANY:
            dealt[seat], rest = tuple(rest[:SOME]), rest[SOME:]
    gone = tuple(set(range(CARDS)).difference(*dealt[:3]))
    lead = reading(led, TO_JOKER if landlord is None else OPEN) if led else None
    first, second, third = (len(hand) for hand in dealt[:3])
    return View(
        config=config or (CLASSIC if landlord is None else Config()),
        seat=SEATS[0],
        table=Table(
            phase=Phase.PLAYING,
            counts=(first, second, third),
            landlord=None if landlord is None else Seat(landlord),
            trick=Trick(seat=Seat(by), cards=dealt[3], reading=lead) if lead else None,
            passes=1 if by == 1 else 0,
            deadline=Deadline(question=Question.PLAY, seats=SEATS[:1], due=1),
            history=(Entry(act=Act.PLAY, seat=SEATS[1], cards=gone),),
        ),
        hands=(in_display_order(dealt[0]), (), ()),
        decision=1,
        prompt=Prompt(
            question=Question.PLAY, decision=1, due=1, may_pass=lead is not None, to_beat=lead
        ),
    )


def move(seen: View) -> str:
    """The ranks that are played; empty for a pass."""
    action = decide(seen, random.Random(1))
    match action:
        case Play():
            return text(action.cards)
        case Pass():
            return ""
        case _:
            raise AssertionError(action)


@pytest.mark.parametrize(
    ("seen", "ranks"),
    [
        pytest.param(position("34567", MANY, MANY, landlord=0), "34567", id="goes out at once"),
        pytest.param(position("3AA", "K4", "QT", landlord=0), "AA", id="certain plays first"),
        pytest.param(
            position("3JJJAA", "K44", "QT9", landlord=None), "JJJ", id="certain plays, classic"
        ),
        pytest.param(
            position("35A2", "QKQKQK", "JJ9988", landlord=0, led="K", by=1),
            "A",
            id="takes the lead with the least that stands",
        ),
        pytest.param(
            position("79JK334455", MANY, MANY, landlord=0, led="6", by=2),
            "7",
            id="follows low",
        ),
        pytest.param(position("344", "K", MANY, landlord=1), "44", id="no single to a last card"),
        pytest.param(
            position("348J", "Q", MANY, landlord=1), "J", id="the highest single if it must be one"
        ),
        pytest.param(position("35578", "QQ", MANY, landlord=1), "8", id="no pair to a last pair"),
        pytest.param(
            position("359K", "Q", MANY, landlord=1, led="4", by=2), "K", id="blocks for its mate"
        ),
        pytest.param(
            position("3KK99", "J", MANY, landlord=2), "3", id="feeds a mate with one card"
        ),
        pytest.param(
            position("4499KKA", "JJ", MANY, landlord=2), "44", id="feeds a mate with two cards"
        ),
        pytest.param(
            position("34579T2", "QKQKQK77", MANY, landlord=1, led="A", by=2),
            "",
            id="lets its mate's strong play stand",
        ),
        pytest.param(
            position("34579JQK", MANY, "T6", landlord=1, led="8", by=2),
            "",
            id="lets a mate run who is about to go out",
        ),
        pytest.param(
            position("3334445", "55", "6", landlord=1, led="TT", by=2),
            "",
            id="nothing beats, so it passes",
        ),
        pytest.param(
            position("3334444779JK", MANY, "99QQKK22AATT", landlord=1, led="2", by=1),
            "",
            id="keeps its bomb early",
        ),
        pytest.param(
            position("3444479J", "K", MANY, landlord=1, led="QQ", by=1),
            "4444",
            id="a bomb stops the last card",
        ),
        pytest.param(
            position("35BR", "KKQQ2", MANY, landlord=0, led="A", by=1),
            "B",
            id="breaks the rocket rather than spend it",
        ),
    ],
)
def test_what_a_player_would_do(seen: View, ranks: str) -> None:
    assert move(seen) == ranks


@pytest.mark.parametrize(
    ("hand", "consents"),
    [
        pytest.param("334567899", True, id="nothing stops the last card"),
        pytest.param("334567BR9", False, id="a rocket"),
        pytest.param("33456789A", False, id="a single that stands"),
        pytest.param("345", False, id="it is about to go out itself"),
    ],
)
def test_it_consents_to_surrender_only_when_all_is_lost(hand: str, consents: bool) -> None:
    offer = Offer(seat=SEATS[2], mate=SEATS[0], decision=5, due=1)
    seen = position(hand, "K", "TTJJQQAA", landlord=1)
    asked = View(
        config=seen.config, seat=seen.seat, table=seen.table, hands=seen.hands, offer=offer
    )
    assert decide(asked, random.Random(1)) == Consent(decision=5, consent=consents)


def asked(question: Question, hand: str, *, lowest_bid: int = 0) -> View:
    """A seat with 17 cards that is asked something before the play."""
    return View(
        config=Config(),
        seat=SEATS[0],
        table=Table(phase=Phase.BIDDING, counts=(17, 17, 17)),
        hands=(in_display_order(cards(hand)), (), ()),
        prompt=Prompt(question=question, decision=1, due=1, lowest_bid=lowest_bid),
    )


STRONG = "3456789TTAA2222BR"
POOR = "3346689TTJQQK4578"


@pytest.mark.parametrize(
    ("seen", "action"),
    [
        (asked(Question.BID, STRONG, lowest_bid=1), Bid(decision=1, bid=3)),
        (asked(Question.BID, POOR, lowest_bid=1), Bid(decision=1, bid=0)),
        (asked(Question.BID, POOR, lowest_bid=3), Bid(decision=1, bid=0)),
        (asked(Question.CALL, STRONG), Call(decision=1, call=True)),
        (asked(Question.CALL, POOR), Call(decision=1, call=False)),
        (asked(Question.ROB, STRONG), Rob(decision=1, rob=True)),
        (asked(Question.ROB, POOR), Rob(decision=1, rob=False)),
        (asked(Question.DOUBLE, STRONG), Double(decision=1, double=True)),
        (asked(Question.DOUBLE, POOR), Double(decision=1, double=False)),
    ],
)
def test_it_speaks_by_the_strength_of_its_hand(seen: View, action: Action) -> None:
    assert decide(seen, random.Random(1)) == action


def test_the_bottom_cards_and_a_shown_hand_are_counted_where_they_are() -> None:
    seen = position("3J", "KQ", "A2", landlord=1)
    shown = in_display_order(cards("KQ"))
    single, pair = part_of(reading("A")), part_of(reading("33"))
    unknown = holdings(seen, SEATS[0], OPEN)
    assert unknown[SEATS[1]].may_beat(single)
    bottom = replace(seen, table=replace(seen.table, bottom=shown))
    laid_open = replace(seen, hands=(seen.hands[0], shown, ()))
    for known in (bottom, laid_open):
        others = holdings(known, SEATS[0], OPEN)
        assert not others[SEATS[1]].may_beat(single)
        assert others[SEATS[2]].odds(single) == 1
        assert not any(holding.may_beat(pair) for holding in others.values())

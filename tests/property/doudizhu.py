"""Dou Dizhu for the laws, once per rule set."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random

from hypothesis import strategies as st

from parlor.rules.doudizhu import DOUDIZHU, Config, State
from parlor.rules.doudizhu.actions import (
    Action,
    Bid,
    Call,
    Claim,
    Consent,
    Double,
    Pass,
    Play,
    Rob,
    SetAutoplay,
    Show,
    Surrender,
)
from parlor.rules.doudizhu.cards import CARDS, VALUES, in_display_order
from parlor.rules.doudizhu.combos import Shape
from parlor.rules.doudizhu.config import Bidding, RuleSet, RunTop, Wings
from parlor.rules.doudizhu.doubling import undecided
from parlor.rules.doudizhu.events import (
    CardsShown,
    Dealt,
    Doubled,
    Ended,
    Event,
    LandlordChosen,
)
from parlor.rules.doudizhu.state import ALL_SEATS
from parlor.rules.doudizhu.table import Phase
from parlor.rules.game import AnyGame, Audience, Seat
from parlor.wire.catalog import WIRE
from parlor.wire.game import WireGame


class DouDizhuAdapter:
    """One rule set."""

    game: AnyGame = DOUDIZHU
    wire: WireGame = WIRE["doudizhu"]
    zero_sum = True

    def __init__(self, rule_set: RuleSet) -> None:
        self.name = f"doudizhu-{rule_set.value.lower()}"
        self._rule_set = rule_set

    def configs(self) -> st.SearchStrategy[Config]:
        return st.builds(
            Config,
            rule_set=st.just(self._rule_set),
            run_top=st.sampled_from(RunTop),
            wings=st.sampled_from(Wings),
            bidding=st.sampled_from(Bidding),
            doubling=st.booleans(),
            show_cards=st.booleans(),
            base_score=st.sampled_from((1, 7, 10_000)),
            stake_cap=st.sampled_from((0, 50)),
            max_passed_deals=st.integers(1, 3),
            surrender=st.booleans(),
            play_ms=st.sampled_from((1_000, 30_000)),
            autoplay_after=st.integers(1, 3),
        )

    def weigh(self, action: Action) -> float:
        """Plays are many and end the game soonest; what ends it early is rare."""
        match action:
            case Play():
                return 1
            case Surrender():
                return 0.3
            case SetAutoplay():
                return 0.4
            case _:
                return 3

    def conserved(self, state: State) -> bool:
        played = [card for entry in state.table.history for card in entry.cards]
        held = [card for hand in state.hands for card in hand]
        all_cards = sorted([*played, *held, *state.bottom])
        counts = tuple(len(hand) for hand in state.hands)
        return all_cards == list(range(CARDS)) and counts == state.table.counts

    def redeal(self, state: State, audience: Audience, rng: Random) -> State:
        """Shuffles the hands that the audience does not see with the untaken bottom cards, and
        changes the secret answers of others."""
        table = state.table
        if table.phase is Phase.OVER:
            return state
        open_seats = {audience, table.landlord if table.shown else audience}
        hidden = [seat for seat in ALL_SEATS if seat not in open_seats]
        pool = [*state.bottom, *(card for seat in hidden for card in state.hands[seat])]
        rng.shuffle(pool)
        hands = [
            in_display_order(pool.pop() for _ in hand) if seat in hidden else hand
            for seat, hand in enumerate(state.hands)
        ]
        state = replace(state, hands=(hands[0], hands[1], hands[2]), bottom=tuple(pool))
        return self._answered_otherwise(state, audience)

    def _answered_otherwise(self, state: State, audience: Audience) -> State:
        """The others' choices to double turned over, and from outside the peasants' side no offer
        ever made. Their counts of decisions differ with it."""
        places = list(state.places)
        outside = audience is None or audience == state.table.landlord
        for seat in ALL_SEATS:
            if seat == audience:
                continue
            place = places[seat]
            if place.double is not None and state.table.doubled is None:
                places[seat] = replace(place, double=not place.double)
            if outside:
                places[seat] = replace(places[seat], consent=0)
        if outside:
            state = replace(state, offer=None, offered=not state.offered)
        return replace(state, places=(places[0], places[1], places[2]))

    def discloses(self, events: Sequence[Event]) -> bool:
        shows = Dealt | LandlordChosen | Doubled | CardsShown | Ended
        return any(isinstance(event, shows) for event in events)

    def unseen(self, state: State, audience: Audience) -> Iterator[tuple[Seat, Action, bool]]:
        waiting = undecided(state)
        if len(waiting) > 1:
            for seat in waiting:
                if seat != audience:
                    number = state.places[seat].decision
                    yield seat, Double(decision=number, double=True), False
                    yield seat, Double(decision=number, double=False), False
        yield from self._unseen_offers(state, audience)

    def _unseen_offers(
        self, state: State, audience: Audience
    ) -> Iterator[tuple[Seat, Action, bool]]:
        landlord = state.table.landlord
        if landlord is None or audience not in (None, landlord):
            return
        if state.table.phase is not Phase.PLAYING or not state.config.surrender:
            return
        if not state.offered:
            for seat in ALL_SEATS:
                if seat != landlord and not state.table.left[seat]:
                    yield seat, Surrender(), True
        if state.offer is not None:
            mate = state.offer.mate
            yield mate, Consent(decision=state.places[mate].consent, consent=False), True

    def mutated(self, state: State, seat: Seat, rng: Random) -> Iterator[Action]:
        place = state.places[seat]
        for number in (place.decision, place.decision + 1, place.decision - 1):
            yield Bid(decision=number, bid=rng.randrange(-1, 5))
            yield Call(decision=number, call=rng.random() < 0.5)
            yield Rob(decision=number, rob=rng.random() < 0.5)
            yield Double(decision=number, double=rng.random() < 0.5)
            yield Pass(decision=number)
            yield Consent(decision=number, consent=True)
            yield from self._mutated_plays(state, seat, number, rng)
        yield Consent(decision=place.consent, consent=True)
        yield Show()
        yield Surrender()
        yield SetAutoplay(on=rng.random() < 0.5)

    def _mutated_plays(
        self, state: State, seat: Seat, number: int, rng: Random
    ) -> Iterator[Action]:
        hand = state.hands[seat]
        for size in (0, 1, 1, 2, 4):
            cards = tuple(rng.sample(hand, min(size, len(hand))))
            claim = Claim(shape=rng.choice(list(Shape)), value=rng.randrange(2, 17))
            yield Play(decision=number, cards=cards)
            yield Play(decision=number, cards=cards, claim=claim)
        stranger = rng.randrange(-2, CARDS + 2)
        yield Play(decision=number, cards=(stranger,))
        yield Play(decision=number, cards=(*hand[:1], *hand[:1]))

    def is_among(self, action: Action, listed: Sequence[Action], state: State, seat: Seat) -> bool:
        """A play is represented by any with the same ranks, and by its claim if it has one."""
        if not isinstance(action, Play):
            return action in listed
        if not set(action.cards) <= set(state.hands[seat]) or len(set(action.cards)) < len(
            action.cards
        ):
            return False
        same_ranks = [play for play in listed if isinstance(play, Play) and _alike(play, action)]
        return any(action.claim in (None, play.claim) for play in same_ranks)


def _alike(one: Play, other: Play) -> bool:
    ranks = [sorted(VALUES[card] for card in play.cards) for play in (one, other)]
    return ranks[0] == ranks[1] and one.decision == other.decision


ADAPTERS = (DouDizhuAdapter(RuleSet.CLASSIC), DouDizhuAdapter(RuleSet.STANDARD))

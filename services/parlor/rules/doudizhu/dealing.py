"""The deal (RULES.md 5.1 and 6.1)."""

from parlor.rules.chance import Chance
from parlor.rules.doudizhu.cards import CARDS, SEATS, in_display_order, seat_after
from parlor.rules.doudizhu.config import Bidding, Config, RuleSet
from parlor.rules.doudizhu.events import Dealt
from parlor.rules.doudizhu.state import Place, State, Step, ask, then
from parlor.rules.doudizhu.table import Phase, Question, Table
from parlor.rules.game import Seat, Transition

FIRST_QUESTIONS = {Bidding.SCORE: Question.BID, Bidding.CALL: Question.CALL}


def first_deal(config: Config, chance: Chance, at: int) -> Step:
    """The game as it begins: cards dealt and a random seat asked."""
    place = Place()
    state = State(
        config=config,
        chance=chance,
        table=Table(phase=Phase.PLAYING if is_classic(config) else Phase.BIDDING),
        hands=((), (), ()),
        bottom=(),
        places=(place, place, place),
    )
    first = Seat(chance.below("first", n=SEATS))
    return _deal(Transition(state=state), 1, first, at)


def deal_again(step: Step, at: int) -> Step:
    """A new deal after all have passed; the next seat bids first (RULES.md 6.1)."""
    table = step.state.table
    return _deal(step, table.deal + 1, Seat(seat_after(table.first)), at)


def is_classic(config: Config) -> bool:
    """Whether the classic rule set is played, which has no landlord."""
    return config.rule_set is RuleSet.CLASSIC


def _deal(step: Step, number: int, first: Seat, at: int) -> Step:
    config = step.state.config
    deck = step.state.chance.permutation("deal", number, n=CARDS)
    size = 18 if is_classic(config) else 17
    step = then(
        step,
        Dealt(
            deal=number,
            first=first,
            counts=(size, size, size),
            hands=(
                in_display_order(deck[:size]),
                in_display_order(deck[size : 2 * size]),
                in_display_order(deck[2 * size : 3 * size]),
            ),
            bottom=in_display_order(deck[3 * size :]),
        ),
    )
    question = Question.PLAY if is_classic(config) else FIRST_QUESTIONS[config.bidding]
    return ask(step, question, (first,), at)

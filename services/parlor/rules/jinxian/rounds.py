"""The beginning of a game and of its rounds (RULES.md 2, 3, 10)."""

from parlor.rules.chance import Chance
from parlor.rules.game import Seat, Transition
from parlor.rules.jinxian.config import Config, DealerOnDraw
from parlor.rules.jinxian.events import (
    Continued,
    DealerChosen,
    DealerRoll,
    Dealt,
    JingTurned,
    PhaseChanged,
)
from parlor.rules.jinxian.jing import jing_of
from parlor.rules.jinxian.options import JingVariant
from parlor.rules.jinxian.state import ALL_SEATS, State, Step, then
from parlor.rules.jinxian.table import Phase, PhaseReason, RoundRecord
from parlor.rules.jinxian.tiles import in_order, seat_after
from parlor.rules.jinxian.turns import ask_turn
from parlor.rules.jinxian.wall import (
    DEALT,
    dealing_start,
    dealt_places,
    roll,
    shuffled,
    turned_place,
)

TIES = 10
"""After so many the lowest tied seat deals."""


def begin(config: Config, chance: Chance, at: int) -> Step:
    """The game as it begins: the first dealer by dice, and the first deal."""
    dealer, rolls = first_dealer(chance)
    step: Step = Transition(state=State(config=config, chance=chance))
    step = then(step, DealerChosen(dealer=dealer, rolls=rolls))
    return _deal(step, dealer, PhaseReason.ALL_READY, at)


def continue_round(step: Step, seat: Seat, at: int) -> Step:
    """A seat is ready for the next round, which begins with the last of them."""
    step = then(step, Continued(seat=seat))
    running = step.state.table.deadline
    waiting = running.seats if running else ()
    return step if waiting else next_round(step, at)


def next_round(step: Step, at: int) -> Step:
    """Deals again, by the dealer that the last round gives (RULES.md 10.2)."""
    dealer = next_dealer(step.state.table.history[-1], step.state.config)
    return _deal(step, dealer, PhaseReason.CONTINUE, at)


def next_dealer(last: RoundRecord, config: Config) -> Seat:
    """The winning dealer again (连庄); the one after a dealer who has lost."""
    dealer, winner = last.dealer, last.winner
    drawn_stays = winner is None and config.dealer_on_draw is DealerOnDraw.STAY
    return dealer if winner == dealer or drawn_stays else seat_after(dealer)


def first_dealer(chance: Chance) -> tuple[Seat, tuple[DealerRoll, ...]]:
    """The seat with the highest throw, and all throws; tied leaders throw again."""
    leaders, rolls = ALL_SEATS, []
    for attempt in range(TIES):
        thrown = [DealerRoll(seat, roll(chance, "dealer", attempt, seat)) for seat in leaders]
        rolls += thrown
        highest = max(sum(each.dice) for each in thrown)
        leaders = tuple(each.seat for each in thrown if sum(each.dice) == highest)
        if len(leaders) == 1:
            break
    return leaders[0], tuple(rolls)


def _deal(step: Step, dealer: Seat, reason: PhaseReason, at: int) -> Step:
    state = step.state
    number = state.table.round + 1
    dice = roll(state.chance, "deal", number)
    wall = shuffled(state.chance, number, dealing_start(dealer, dice))
    first, second, third, fourth = (
        in_order(wall[place] for place in places) for places in dealt_places(dealer)
    )
    step = then(
        step,
        PhaseChanged(phase=Phase.DEALING, reason=reason),
        Dealt(
            round=number,
            dealer=dealer,
            dice=dice,
            counts=(len(first), len(second), len(third), len(fourth)),
            hands=(first, second, third, fourth),
            drawn=wall[DEALT - 1],
            wall=wall,
        ),
        PhaseChanged(phase=Phase.JING_DETERMINING, reason=PhaseReason.DEAL_COMPLETE),
    )
    step = then(
        _turn_jing(step), PhaseChanged(phase=Phase.PLAYING, reason=PhaseReason.JING_DETERMINED)
    )
    return ask_turn(step, at, pause_ms=state.config.show_ms)


def _turn_jing(step: Step) -> Step:
    """The dealer rolls again and turns a tile near the tail (开精)."""
    state = step.state
    dice = roll(state.chance, "jing", state.table.round)
    place = turned_place(dice)
    has_lower = state.config.scoring.jing_variant is JingVariant.SHANG_XIA
    return then(
        step,
        JingTurned(
            dice=dice,
            place=place,
            jing=jing_of(state.wall[place]),
            lower=jing_of(state.wall[place + 1]) if has_lower else None,
        ),
    )

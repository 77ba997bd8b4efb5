"""Who came out ahead of whom, for ratings (RULES.md 5.5 and 6.4)."""

from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.config import Config, RuleSet
from parlor.rules.game import Outcome, Seat, Side


def standings(config: Config, outcome: Outcome) -> tuple[Side, ...]:
    """The landlord against the peasants, or in the classic rule set each for himself; none where nobody won.

    >>> out = Outcome(reason="OUT", winners=(Seat(0), Seat(2)), scores=(1, -2, 1))
    >>> [(side.seats, side.rank) for side in standings(Config(), out)]
    [((0, 2), 1), ((1,), 2)]
    """
    if not outcome.winners:
        return ()
    losers = tuple(Seat(seat) for seat in range(SEATS) if seat not in outcome.winners)
    if config.rule_set is RuleSet.STANDARD:
        return (Side(seats=outcome.winners, rank=1), Side(seats=losers, rank=2))
    return (
        *(Side(seats=(seat,), rank=1) for seat in outcome.winners),
        *(Side(seats=(seat,), rank=len(outcome.winners) + 1) for seat in losers),
    )

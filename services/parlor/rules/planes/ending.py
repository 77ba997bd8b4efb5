"""How a game ends, and who has won one that ran out of time (RULES.md 6)."""

from parlor.rules.game import Outcome, Seat, Side
from parlor.rules.planes.accuracy import is_more_accurate
from parlor.rules.planes.events import Ended
from parlor.rules.planes.state import Step, then
from parlor.rules.planes.table import BOTH, DecidedBy, Ending, EndReason, Tally


def end(
    step: Step,
    reason: EndReason,
    winner: Seat | None,
    at: int,
    *,
    decided_by: DecidedBy | None = None,
) -> Step:
    """The end at `at`, with both fleets shown; no winner is a draw."""
    table = step.state.table
    ending = Ending(
        reason=reason,
        winner=winner,
        decided_by=decided_by,
        duration_ms=at - table.started,
        moves=sum(tally.attacks for tally in table.tallies),
    )
    return then(step, Ended(ending=ending, at=at, fleets=step.state.fleets))


def run_out(step: Step, at: int) -> Step:
    """The limit of the whole game is over."""
    winner, decided_by = decide(step.state.table.tallies)
    return end(step, EndReason.TIME_LIMIT, winner, at, decided_by=decided_by)


def decide(tallies: tuple[Tally, Tally]) -> tuple[Seat | None, DecidedBy]:
    """Who is ahead: by fallen planes, then by exact accuracy, else nobody (RULES.md 6.2)."""
    for seat, other in ((0, 1), (1, 0)):
        if tallies[seat].destroyed > tallies[other].destroyed:
            return BOTH[seat], DecidedBy.PLANES
    if tallies[0].destroyed == tallies[1].destroyed:
        for seat, other in ((0, 1), (1, 0)):
            mine, theirs = tallies[seat], tallies[other]
            if is_more_accurate(mine.hits, mine.attacks, theirs.hits, theirs.attacks):
                return BOTH[seat], DecidedBy.ACCURACY
    return None, DecidedBy.DRAW


def outcome_of(ending: Ending) -> Outcome:
    """The end as every game tells it: the winner has 1 and the loser -1, a draw 0 and 0."""
    if ending.winner is None:
        return Outcome(reason=ending.reason.value, winners=(), scores=(0, 0))
    return Outcome(
        reason=ending.reason.value,
        winners=(ending.winner,),
        scores=(1, -1) if ending.winner == BOTH[0] else (-1, 1),
    )


def standings(outcome: Outcome) -> tuple[Side, ...]:
    """The winner before the loser, or both even where the game was played to a draw.

    >>> gone = Outcome(reason="BOTH_ABSENT", winners=(), scores=(0, 0))
    >>> standings(gone)
    ()
    """
    if outcome.winners:
        (winner,) = outcome.winners
        (loser,) = (seat for seat in BOTH if seat != winner)
        return (Side(seats=(winner,), rank=1), Side(seats=(loser,), rank=2))
    if outcome.reason != EndReason.TIME_LIMIT.value:
        # Nobody was there, or both agreed to stop.
        return ()
    return tuple(Side(seats=(seat,), rank=1) for seat in BOTH)

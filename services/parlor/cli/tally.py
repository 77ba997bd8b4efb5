"""What came of a run: counted as it happens, summed up at the end."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from parlor.client import Counts

EXPECTED: Final = frozenset(
    {"ALREADY_CHOSEN", "DECISION_OVER", "NOT_YOUR_TURN", "WRONG_PHASE", "WRONG_STATUS"}
)
"""Refusals of an action that lost the race against its deadline, or against another's claim."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """Everything that is counted in a run."""

    games_wanted: int
    games_finished: int = 0
    actions: int = 0
    """Accepted ones, each once however often it was sent."""
    refused: Counter[str] = field(default_factory=Counter)
    """By reason."""
    lost: int = 0
    """Accepted actions that the game's history does not show."""
    duplicated: int = 0
    """Actions that show more often than they were accepted, or repeats with another answer."""
    unchecked: int = 0
    """Players' games in which nobody can tell, since a view took the place of steps."""
    timeouts: int = 0
    """Turns let pass on purpose."""
    repeats: int = 0
    """Requests sent again on purpose."""
    drops: int = 0
    """Connections broken on purpose."""
    events: Counter[int] = field(default_factory=Counter)
    """Events received, by seat."""
    client: Counts = field(default_factory=Counts)
    """What the clients counted, summed."""
    leaks: list[str] = field(default_factory=list)
    latencies_ms: list[float] = field(default_factory=list)
    """From sending an action to receiving its event."""
    trouble: list[str] = field(default_factory=list)
    """What else went wrong, in words."""
    seconds: float = 0.0

    @property
    def unexpected(self) -> int:
        """Refusals of what should have been accepted."""
        return sum(n for reason, n in self.refused.items() if reason not in EXPECTED)

    @property
    def is_clean(self) -> bool:
        """Whether all games finished and nothing was lost, duplicated, leaked or wrong."""
        return self.games_finished == self.games_wanted and not (
            self.lost
            or self.duplicated
            or self.client.duplicates
            or self.client.mismatches
            or self.leaks
            or self.unexpected
            or self.trouble
        )

    def add(self, seat: int, counts: Counts) -> None:
        """Adds what the client of one seat counted."""
        self.events[seat] += counts.events
        for name in Counts.__slots__:
            setattr(self.client, name, getattr(self.client, name) + getattr(counts, name))

    def as_json(self) -> str:
        """The summary as one line."""
        return json.dumps(
            {
                "games_finished": self.games_finished,
                "games_wanted": self.games_wanted,
                "actions": self.actions,
                "refused": sum(self.refused.values()),
                "refused_by_reason": dict(self.refused),
                "lost": self.lost,
                "duplicated": self.duplicated + self.client.duplicates,
                "unchecked": self.unchecked,
                "gaps": self.client.gaps,
                "leaks": len(self.leaks),
                "mismatches": self.client.mismatches,
                "timeouts": self.timeouts,
                "repeats": self.repeats,
                "drops": self.drops,
                "events_by_seat": [self.events[seat] for seat in sorted(self.events)],
                "p50_ms": percentile(self.latencies_ms, 50),
                "p99_ms": percentile(self.latencies_ms, 99),
                "seconds": round(self.seconds, 1),
                "trouble": self.trouble,
            },
            ensure_ascii=False,
        )

    def lines(self) -> list[str]:
        """The summary for people."""
        by_reason = ", ".join(f"{n} {reason}" for reason, n in self.refused.most_common())
        p50, p99 = (percentile(self.latencies_ms, percent) for percent in (50, 99))
        by_seat = " / ".join(str(self.events[seat]) for seat in sorted(self.events))
        rows = [
            ("games finished", f"{self.games_finished} of {self.games_wanted}"),
            ("actions", f"{self.actions} in {self.seconds:.1f} s"),
            ("refused", f"{sum(self.refused.values())}" + (f" ({by_reason})" if by_reason else "")),
            (
                "lived badly",
                f"{self.timeouts} timeouts, {self.repeats} repeats, {self.drops} drops",
            ),
            ("events by seat", by_seat),
            ("gaps", str(self.client.gaps)),
            ("duplicates", str(self.duplicated + self.client.duplicates)),
            ("lost", str(self.lost)),
            ("cannot be told", str(self.unchecked)),
            ("leaks", str(len(self.leaks))),
            ("seeds not as committed", str(self.client.mismatches)),
            (
                "action to own event",
                f"p50 {p50} ms, p99 {p99} ms",
            ),
        ]
        lines = [f"{name:>22}  {value}" for name, value in rows]
        return lines + [f"{'trouble':>22}  {what}" for what in (*self.trouble, *self.leaks)]


def percentile(values: Sequence[float], percent: int) -> float:
    """The smallest value that `percent` of the values do not exceed; 0 for none.

    >>> percentile([3.0, 1.0, 2.0, 4.0], 50)
    2.0
    """
    if not values:
        return 0.0
    return round(sorted(values)[math.ceil(len(values) * percent / 100) - 1], 1)

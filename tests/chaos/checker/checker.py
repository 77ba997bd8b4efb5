"""The whole proof: logs run again, actions, sights and stays."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields

from tests.chaos.checker.actions import check_actions
from tests.chaos.checker.execution import executed
from tests.chaos.checker.finding import Finding, Kind
from tests.chaos.checker.seats import check_seats
from tests.chaos.checker.sights import check_sights
from tests.chaos.checker.stays import check_answers, check_clocks_ran, check_stays
from tests.chaos.history import GameLog, History, Stay


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was checked, and what was found."""

    acknowledged: int
    games: int
    lines: int
    clocks: int
    """Lines of clocks."""
    rewound: int
    """Views that took something back."""
    findings: tuple[Finding, ...]

    def count(self, kind: Kind) -> int:
        """How many findings are of this kind."""
        return Counter(finding.kind for finding in self.findings)[kind]

    def __add__(self, other: "Verdict") -> "Verdict":
        """Both as one."""
        names = [field.name for field in fields(self)]
        return Verdict(**{name: getattr(self, name) + getattr(other, name) for name in names})

    @property
    def kinds(self) -> set[Kind]:
        """Which promises were broken."""
        return {finding.kind for finding in self.findings}


def check(
    histories: Sequence[History],
    logs: Sequence[GameLog],
    stays: Sequence[Stay] = (),
    *,
    last_fault: float = 0.0,
    may_rewind: bool = False,
) -> Verdict:
    """Judges a campaign; `logs` are all games of the rooms that the histories name.

    With `may_rewind`, clients may be told that what they saw was taken back, if it was not acknowledged.
    """
    runs = {(log.room_id, log.game_no): executed(log) for log in logs if log.lines}
    sights = check_sights(histories, runs, may_rewind=may_rewind)
    acknowledged, findings = check_actions(histories, logs, sights.tokens)
    lines = [line for log in logs for line in log.lines]
    return Verdict(
        acknowledged=acknowledged,
        games=len(runs),
        lines=len(lines),
        clocks=sum(line.what == "clock" for line in lines),
        rewound=sights.rewound,
        findings=(
            *(finding for run in runs.values() for finding in run.findings),
            *findings,
            *sights.findings,
            *check_seats(histories, logs, stays),
            *check_clocks_ran(runs.values(), last_fault),
            *check_stays(stays, last_fault),
            *check_answers(histories, stays, last_fault),
        ),
    )

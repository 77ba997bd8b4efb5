"""What came of a campaign: one JSON object, and a table for people."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from parlor.cli.tally import percentile
from tests.chaos.checker import Kind, Verdict
from tests.chaos.faults import Fault
from tests.chaos.figures import lateness, longest_silence, pauses
from tests.chaos.history import GameLog, History
from tests.chaos.rolling import Resumes

MOST_FINDINGS = 50
"""How many are written out."""
MOST_PAUSES = 8
"""How many of the longest are written out, with what they met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A campaign and its verdict."""

    redis: str
    """Which Redis it had."""
    seed: int
    seconds: float
    faults: Sequence[Fault]
    histories: Sequence[History]
    logs: Sequence[GameLog]
    verdict: Verdict
    unanswered: int
    broken: Counter[str]
    refused_leaves: Counter[str]
    trouble: tuple[str, ...]
    """What ended a table altogether, or was not made whole again."""
    cuts: Counter[str] = field(default_factory=Counter)
    """Whom gateways cut off, by why."""
    resumes: Resumes | None = None
    """After a rolling restart, how often clients had to come back."""

    @property
    def is_clean(self) -> bool:
        """Whether every promise was kept."""
        return not self.verdict.findings and not self.trouble and not self._were_disturbed

    @property
    def kills(self) -> int:
        return sum(fault.is_kill for fault in self.faults)

    @property
    def _were_disturbed(self) -> bool:
        """Whether a rolling restart showed: a room was given up, or a client had to come back for nothing."""
        return self.resumes is not None and bool(self.broken or self.resumes.over)

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        verdict = self.verdict
        paused = pauses(self.histories, self.faults)
        resumes = self.resumes
        return {
            "redis": self.redis,
            "kills": self.kills,
            "faults": len(self.faults),
            "faults_by_kind": dict(sorted(Counter(fault.kind for fault in self.faults).items())),
            "games": verdict.games,
            "log_lines": verdict.lines,
            "clocks": verdict.clocks,
            "acknowledged": verdict.acknowledged,
            "lost": verdict.count(Kind.LOST),
            "doubled": verdict.count(Kind.DOUBLED),
            "stuck": verdict.count(Kind.STUCK),
            "leaks": verdict.count(Kind.LEAK),
            "spectated": sum(len(each.happened) for each in self.histories if each.spectates),
            "rewound": verdict.rewound,
            "findings": len(verdict.findings),
            "findings_by_kind": dict(Counter(found.kind.value for found in verdict.findings)),
            **_counted("pause", paused.all),
            **_counted("engine_pause", paused.engine),
            **_counted("engine_and_redis_pause", paused.engine_and_redis),
            **_counted("redis_pause", paused.redis),
            "silence_max_ms": round(longest_silence(self.histories, self.faults), 1),
            **_spread("timer_late", lateness(self.histories, self.logs, self.faults)),
            **({"resumes": resumes.count, "resumes_over": resumes.over} if resumes else {}),
            "cuts": dict(self.cuts),
            "unanswered": self.unanswered,
            "rooms_left_early": dict(self.broken),
            "leaves_refused": dict(self.refused_leaves),
            "trouble": list(self.trouble),
            "longest_pauses": paused.longest(MOST_PAUSES),
            "seconds": round(self.seconds, 1),
            "seed": self.seed,
        }

    def lines(self) -> list[str]:
        """The table."""
        rows: list[str] = []
        for name, value in self.as_dict().items():
            if isinstance(value, dict):
                rows.append(f"{name:>30}")
                rows += [f"{count:>30}  {what}" for what, count in value.items()]
            elif isinstance(value, list):
                rows.append(f"{name:>30}")
                rows += [f"{'':>30}  {what}" for what in value]
            else:
                rows.append(f"{name:>30}  {value}")
        return rows + [f"  {finding}" for finding in self.verdict.findings[:MOST_FINDINGS]]


def joined(one: Report, two: Report) -> Report:
    """Two campaigns as one, which came one after the other."""
    return Report(
        redis=f"{one.redis}+{two.redis}",
        seed=one.seed,
        seconds=one.seconds + two.seconds,
        faults=[*one.faults, *two.faults],
        histories=[*one.histories, *two.histories],
        logs=[*one.logs, *two.logs],
        verdict=one.verdict + two.verdict,
        unanswered=one.unanswered + two.unanswered,
        broken=one.broken + two.broken,
        refused_leaves=one.refused_leaves + two.refused_leaves,
        trouble=one.trouble + two.trouble,
        resumes=one.resumes + two.resumes if one.resumes and two.resumes else None,
        cuts=one.cuts + two.cuts,
    )


def _spread(name: str, values: Sequence[float]) -> dict[str, float]:
    return {
        f"{name}_p50_ms": percentile(values, 50),
        f"{name}_p99_ms": percentile(values, 99),
        f"{name}_max_ms": percentile(values, 100),
    }


def _counted(name: str, values: Sequence[float]) -> dict[str, float]:
    return {f"{name}s": len(values), **_spread(name, values)}

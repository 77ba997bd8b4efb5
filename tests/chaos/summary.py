"""What one command ran, as one object, and whether it may count as a proof."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import reduce
from typing import Any, Final

from tests.chaos.matching import Outcome
from tests.chaos.report import Report, joined

ENGINE_PAUSE_MS: Final = 3_000
"""How long players may wait for a move whose engine died, at the 99th percentile."""

LAWS: Final = ("lost", "doubled", "stuck", "leaks")
"""What has to be 0."""

FIGURES: Final = ("kills", "acknowledged", *LAWS, "pause_p99_ms", "timer_late_p99_ms")
"""What there is a figure of in any case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All campaigns of a command."""

    reports: Sequence[Report]
    matching: Outcome | None = None
    """Of those who were matched meanwhile, each of whom had to have one seat."""
    network_cut: str = ""
    """What was done of a cut network, or why nothing, in words."""
    kills_wanted: int = 0
    """How many kills the campaigns had to make."""
    every_fault: bool = True
    """Whether all kinds of faults were made, and so engines had to die too."""
    trouble: tuple[str, ...] = ()
    """What kept a campaign from its end."""

    def as_dict(self) -> dict[str, Any]:
        """The figures; of people who were matched, who has lost a place is lost, and who has two seats is doubled."""
        figures: dict[str, Any] = dict.fromkeys(FIGURES, 0)
        if self.reports:
            figures |= reduce(joined, self.reports).as_dict()
        if self.matching is not None:
            figures["kills"] += sum(self.matching.kills.values())
            figures["lost"] += self.matching.lost
            figures["doubled"] += self.matching.twice
            figures["matching"] = asdict(self.matching)
        figures["network_cut"] = self.network_cut
        figures["trouble"] = [*figures.get("trouble", ()), *self.trouble]
        return figures

    def failures(self) -> list[str]:
        """Why this proves nothing, or the contrary, in words; none where it is a proof."""
        figures = self.as_dict()
        broken = [f"{name}: {figures[name]}" for name in LAWS if figures[name]]
        if not all(report.is_clean for report in self.reports):
            broken.append("not every promise was kept")
        if self.matching is not None and not self.matching.is_clean:
            broken.append("not everybody who asked for a table has one seat")
        if not self.reports:
            broken.append("no campaign came to its end")
        return [*broken, *self.trouble, *self._not_shown(figures)]

    def _not_shown(self, figures: dict[str, Any]) -> list[str]:
        """What is missing to a proof: no figure is no good figure."""
        missed = [
            f"{report.redis}: nothing was acknowledged"
            for report in self.reports
            if not report.verdict.acknowledged
        ]
        kills = sum(report.kills for report in self.reports)
        if self.every_fault and not kills:
            missed.append("nobody died")
        if not self.kills_wanted:
            return missed
        if kills < self.kills_wanted:
            missed.append(f"{kills} kills of the {self.kills_wanted} that were asked for")
        if self.every_fault and not figures.get("engine_pauses"):
            missed.append("no player met the end of an engine")
        if figures.get("engine_pause_p99_ms", 0) > ENGINE_PAUSE_MS:
            missed.append(f"players waited for more than {ENGINE_PAUSE_MS} ms when engines died")
        return missed

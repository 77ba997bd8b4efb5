"""What of a verdict a test fails with at once, however slow its machine was."""

from typing import Final

from tests.chaos.checker import Kind, Verdict
from tests.stalls import BrokenPromise

NEVER: Final = frozenset(
    {
        Kind.LOST,
        Kind.DOUBLED,
        Kind.ORDER,
        Kind.LOG,
        Kind.LEAK,
        Kind.SCORE,
        Kind.SEQ,
        Kind.REWOUND,
    }
)
"""What no stall excuses. The other kinds are about time, or a stall may have something to do with them."""


def prove(verdict: Verdict) -> None:
    """Raises BrokenPromise where the verdict has a finding of these kinds."""
    found = [str(finding) for finding in verdict.findings if finding.kind in NEVER]
    if found:
        raise BrokenPromise("\n".join(found))

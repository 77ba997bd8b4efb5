"""What a campaign finds fails its test at once, or not, by its kind."""

import pytest

from tests.chaos.checker import Finding, Kind, Verdict
from tests.chaos.proof import prove
from tests.stalls import BrokenPromise


def verdict(*kinds: Kind) -> Verdict:
    findings = tuple(Finding(kind, "room", "seat 1") for kind in kinds)
    return Verdict(acknowledged=1, games=1, lines=1, clocks=0, rewound=0, findings=findings)


@pytest.mark.parametrize("kind", [Kind.LOST, Kind.DOUBLED, Kind.LEAK, Kind.ORDER, Kind.LOG])
def test_what_no_stall_excuses_is_a_broken_promise(kind: Kind) -> None:
    with pytest.raises(BrokenPromise, match=f"{kind.value}: room: seat 1"):
        prove(verdict(Kind.STUCK, kind))


def test_what_a_stall_may_have_to_do_with_is_left_to_the_test() -> None:
    prove(verdict())
    prove(verdict(Kind.STUCK, Kind.CLOCK))

"""Short campaigns: every promise holds while processes die."""

from dataclasses import replace

import pytest

from tests.chaos import failovers, faults
from tests.chaos.proof import prove
from tests.chaos.run import Campaign, run

LEAST = 60
"""Moves that have to be acknowledged, however long that takes."""
BRIEF = Campaign(
    seconds=9, seed=4, kills=5, tables=3, least=LEAST, settling_s=120, to_the_end=False
)


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_nothing_is_lost_while_processes_die() -> None:
    report = await run(BRIEF)
    figures = report.as_dict()
    prove(report.verdict)
    assert report.is_clean, "\n".join(report.lines())
    assert figures["kills"] >= 2
    assert figures["acknowledged"] >= LEAST
    assert figures["spectated"] > 50


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_nothing_is_lost_while_processes_die_though_redis_syncs_once_a_second() -> None:
    report = await run(replace(BRIEF, only="kill ", redis="relaxed"))
    figures = report.as_dict()
    prove(report.verdict)
    assert report.is_clean, "\n".join(report.lines())
    assert figures["kills"] >= 2
    assert figures["acknowledged"] >= LEAST


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_nothing_is_lost_while_primaries_die_under_sentinel() -> None:
    """The first fault of this seed is the death of the primary."""
    report = await run(replace(BRIEF, seed=6, redis="sentinel"))
    figures = report.as_dict()
    prove(report.verdict)
    assert report.is_clean, "\n".join(report.lines())
    assert figures["faults_by_kind"]["kill primary"] >= 1
    assert figures["acknowledged"] >= LEAST


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("seed", "fault"), [(0, "kill primary"), (1, "freeze primary")])
async def test_nothing_is_lost_while_a_clusters_primaries_die_or_freeze(
    seed: int, fault: str
) -> None:
    """It is the first fault of its seed."""
    report = await run(replace(BRIEF, seed=seed, redis="cluster"))
    figures = report.as_dict()
    prove(report.verdict)
    assert report.is_clean, "\n".join(report.lines())
    assert figures["faults_by_kind"][fault] >= 1
    assert figures["acknowledged"] >= LEAST


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_a_failover_that_takes_too_long_is_trouble_and_all_else_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(failovers, "WHOLE_S", 0.01)
    report = await run(
        Campaign(
            seconds=60,
            seed=6,
            kills=1,
            only="kill primary",
            tables=3,
            to_the_end=False,
            redis="sentinel",
        )
    )
    figures = report.as_dict()
    (trouble,) = figures["trouble"]
    assert "kill primary: the store is not whole again" in trouble
    assert not report.is_clean
    assert figures["kills"] == 1
    assert figures["spectated"] > 0


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("fault", "why"), [("stop reading", {"too_slow", "silent"}), ("fall silent", {"silent"})]
)
async def test_who_does_not_read_or_is_silent_for_long_is_cut_off_and_comes_back(
    fault: str, why: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every such fault is a long one."""
    monkeypatch.setattr(faults, "LONG_IN", 1)
    report = await run(replace(BRIEF, only=fault))
    figures = report.as_dict()
    prove(report.verdict)
    assert report.is_clean, "\n".join(report.lines())
    assert set(figures["faults_by_kind"]) == {fault}
    assert figures["cuts"].keys() & why
    assert figures["acknowledged"] >= LEAST

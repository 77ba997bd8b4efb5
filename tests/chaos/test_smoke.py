"""Short campaigns: every promise holds while processes die."""

from dataclasses import replace

import pytest

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
    assert report.is_clean, "\n".join(report.lines())
    assert figures["kills"] >= 2
    assert figures["acknowledged"] >= LEAST


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_nothing_is_lost_while_primaries_die_under_sentinel() -> None:
    """The first fault of this seed is the death of the primary."""
    report = await run(replace(BRIEF, seed=6, redis="sentinel"))
    figures = report.as_dict()
    assert report.is_clean, "\n".join(report.lines())
    assert figures["faults_by_kind"]["kill primary"] >= 1
    assert figures["acknowledged"] >= LEAST


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_nothing_is_lost_while_a_clusters_primaries_die() -> None:
    """The first fault of this seed is the death of a primary."""
    report = await run(replace(BRIEF, seed=1, redis="cluster"))
    figures = report.as_dict()
    assert report.is_clean, "\n".join(report.lines())
    assert figures["faults_by_kind"]["kill primary"] >= 1
    assert figures["acknowledged"] >= LEAST

"""What makes a run clean, and what its last line says."""

import json

import pytest

from parlor.cli.tally import Tally, percentile
from parlor.client import Counts


def finished() -> Tally:
    return Tally(games_wanted=2, games_finished=2, actions=90)


def test_a_run_is_clean_when_all_games_finished_and_only_races_were_lost() -> None:
    tally = finished()
    tally.refused["DECISION_OVER"] = 3
    tally.client.gaps = 1
    assert tally.is_clean


@pytest.mark.parametrize(
    "spoiled",
    [
        Tally(games_wanted=2, games_finished=1),
        Tally(games_wanted=0, lost=1),
        Tally(games_wanted=0, duplicated=1),
        Tally(games_wanted=0, leaks=["a card"]),
        Tally(games_wanted=0, trouble=["late"]),
        Tally(games_wanted=0, client=Counts(duplicates=1)),
        Tally(games_wanted=0, client=Counts(mismatches=1)),
    ],
)
def test_anything_lost_doubled_leaked_or_unfinished_is_not_clean(spoiled: Tally) -> None:
    assert not spoiled.is_clean


def test_a_refusal_of_a_legal_move_is_not_clean() -> None:
    tally = finished()
    tally.refused["NOT_IN_HAND"] = 1
    assert not tally.is_clean


def test_the_last_line_is_one_object_with_the_promised_fields() -> None:
    tally = finished()
    tally.latencies_ms = [5.0, 1.0, 9.0]
    tally.add(0, Counts(events=7, gaps=1))
    tally.add(1, Counts(events=6))
    said = json.loads(tally.as_json())
    promised = {
        "games_finished": 2,
        "actions": 90,
        "refused": 0,
        "lost": 0,
        "duplicated": 0,
        "gaps": 1,
        "leaks": 0,
        "p50_ms": 5.0,
        "p99_ms": 9.0,
    }
    assert promised.items() <= said.items()
    assert said["events_by_seat"] == [7, 6]
    assert any("p50 5.0 ms, p99 9.0 ms" in line for line in tally.lines())


def test_a_percentile_is_one_of_the_values() -> None:
    assert percentile([], 99) == 0
    assert percentile([4.0], 50) == 4
    assert percentile([float(n) for n in range(1, 101)], 99) == 99

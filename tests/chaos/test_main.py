"""The command's last line and its exit status, whatever its campaigns came to."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.chaos.__main__ import main
from tests.chaos.checker import Finding, Kind, Verdict
from tests.chaos.faults import Fault
from tests.chaos.history import History, Sent, Told
from tests.chaos.matching import Outcome
from tests.chaos.report import Report
from tests.chaos.rolling import Resumes

KILL = Fault("kill engine planes", 900, 900)
PLACED = Outcome(seconds=20, players=2, kills={"engine": 2, "redis": 1}, matched=4)


def report(*kinds: Kind, answered_ms: float = 2_000, kills: int = 5, **more: Any) -> Report:
    """A campaign in which a move met the end of its engine."""
    sent = Sent(at=1_000, request_id="a", room_id="s1-planes-r", game_no=1, seat=0, action=b"\x01")
    told = Told(at=1_000 + answered_ms, request_id="a", accepted=True)
    findings = tuple(Finding(kind, "room", "found") for kind in kinds)
    given: dict[str, Any] = {
        "redis": "single",
        "seed": 1,
        "seconds": 30.0,
        "faults": [KILL] * kills,
        "histories": [History("ann", [sent, told])],
        "logs": [],
        "verdict": Verdict(
            acknowledged=40, games=1, lines=50, clocks=1, rewound=0, findings=findings
        ),
        "unanswered": 0,
        "broken": Counter(),
        "refused_leaves": Counter(),
        "trouble": (),
    }
    return Report(**{**given, **more})


async def uncut(_: int) -> tuple[Report | None, str]:
    """Where a network cannot be cut."""
    return None, "skipped: nobody may"


def ended(
    capsys: pytest.CaptureFixture[str],
    *arguments: str,
    reports: Sequence[Report],
    outcome: Outcome = PLACED,
    severed: Report | None = None,
) -> tuple[int, dict[str, Any]]:
    """The exit status and the last line, where campaigns come to these reports."""
    left = iter(reports)

    async def carry_out(campaign: Any, *, say: Callable[[str], None]) -> Report:
        return next(left)

    async def match(**_: Any) -> Outcome:
        return outcome

    async def cut(_: int) -> tuple[Report | None, str]:
        return severed, "told"

    status = main(arguments, carry_out=carry_out, match=match, sever=cut)
    last: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return status, last


def test_the_last_line_is_one_object_of_all_campaigns_and_of_matching(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = tmp_path / "reports" / "chaos.json"
    status, last = ended(
        capsys,
        *("--redis", "all", "--matching", "20", "--report", str(file)),
        reports=[report()] * 3,
    )
    assert status == 0
    assert last["kills"] == 3 * 5 + 3
    assert last["acknowledged"] == 120
    assert [last[law] for law in ("lost", "doubled", "stuck", "leaks")] == [0, 0, 0, 0]
    assert last["pause_p99_ms"] == 2_000
    assert last["timer_late_p99_ms"] == 0
    written = json.loads(file.read_text())
    assert len(written["campaigns"]) == 3
    assert {**written, **last} == written


@pytest.mark.parametrize(
    ("kind", "law"),
    [
        (Kind.LOST, "lost"),
        (Kind.DOUBLED, "doubled"),
        (Kind.STUCK, "stuck"),
        (Kind.LEAK, "leaks"),
        (Kind.CLOCK, "findings"),
    ],
)
def test_whatever_one_campaign_finds_is_a_failure(
    capsys: pytest.CaptureFixture[str], kind: Kind, law: str
) -> None:
    reports = [report(), report(kind), report()]
    status, last = ended(capsys, "--redis", "all", reports=reports)
    assert (status, last[law]) == (1, 1)


@pytest.mark.parametrize("kinds", [(), (Kind.LOST,)])
def test_a_cut_network_is_told_and_what_is_found_of_it_is_a_failure(
    capsys: pytest.CaptureFixture[str], kinds: tuple[Kind, ...]
) -> None:
    severed = report(*kinds, kills=0)
    status, last = ended(capsys, "--redis", "all", reports=[report()] * 3, severed=severed)
    assert (status, last["lost"]) == (len(kinds), len(kinds))
    assert (last["network_cut"], last["kills"]) == ("told", 15)


@pytest.mark.parametrize(
    ("outcome", "law"),
    [(replace(PLACED, lost=1), "lost"), (replace(PLACED, twice=1), "doubled")],
)
def test_who_was_matched_and_has_not_one_seat_is_a_failure(
    capsys: pytest.CaptureFixture[str], outcome: Outcome, law: str
) -> None:
    status, last = ended(capsys, "--matching", "20", reports=[report()], outcome=outcome)
    assert (status, last[law]) == (1, 1)


def test_trouble_is_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    status, last = ended(capsys, reports=[report(trouble=("not whole again",))])
    assert (status, last["trouble"]) == (1, ["not whole again"])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(report(), 0, id="as was asked for"),
        pytest.param(report(kills=4), 1, id="too few kills"),
        pytest.param(report(answered_ms=3_001), 1, id="a long pause"),
        pytest.param(report(histories=[]), 1, id="no pause at all"),
    ],
)
def test_a_campaign_with_a_goal_fails_where_that_was_not_shown(
    capsys: pytest.CaptureFixture[str], given: Report, expected: int
) -> None:
    assert ended(capsys, "--kills", "5", reports=[given])[0] == expected
    # Without a goal, how long players waited is told and not judged.
    assert ended(capsys, reports=[given])[0] == 0


def test_a_campaign_in_which_nobody_died_or_moved_shows_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    still = replace(report().verdict, acknowledged=0)
    assert ended(capsys, reports=[report(kills=0)])[0] == 1
    assert ended(capsys, reports=[report(verdict=still)])[0] == 1
    # What was asked for alone may be no death.
    assert ended(capsys, "--only", "vanish", reports=[report(kills=0)])[0] == 0


def test_a_client_that_came_back_for_nothing_in_one_campaign_of_three_is_a_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    reports = [report(resumes=Resumes(4, over)) for over in (0, 1, 0)]
    status, last = ended(capsys, "--rolling", "--redis", "all", reports=reports)
    assert (status, last["resumes"], last["resumes_over"]) == (1, 12, 1)


def test_what_is_not_done_in_time_is_a_failure_and_the_rest_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def carry_out(campaign: Any, *, say: Callable[[str], None]) -> Report:
        await asyncio.Event().wait()
        raise AssertionError

    async def match(**_: Any) -> Outcome:
        return PLACED

    status = main(["--matching", "20", "--within", "0.1"], carry_out=carry_out, match=match)
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert status == 1
    assert last["trouble"] == ["not done within 0.1 s"]
    assert (last["kills"], last["acknowledged"], last["stuck"]) == (3, 0, 0)


@pytest.mark.parametrize(
    ("within", "expected"),
    [
        pytest.param((), [40, 40, 40], id="without a limit"),
        pytest.param(("--within", "900"), [40, 40, 40], id="enough time"),
        pytest.param(("--within", "200"), [10, 35, 40], id="not enough for all"),
        pytest.param(("--within", "30"), [5, 5, 5], id="far from enough"),
    ],
)
def test_faults_are_made_for_a_shorter_time_where_there_is_little(
    within: tuple[str, ...], expected: list[int]
) -> None:
    """These campaigns take no time, and leave theirs to those behind them."""
    seconds: list[int] = []

    async def carry_out(campaign: Any, *, say: Callable[[str], None]) -> Report:
        seconds.append(round(campaign.seconds))
        return report()

    arguments = ["--redis", "all", "--seconds", "40", "--settling", "25", *within]
    assert main(arguments, carry_out=carry_out, sever=uncut) == 0
    assert seconds == expected


def test_a_campaign_that_breaks_is_a_failure_and_the_rest_is_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    async def carry_out(campaign: Any, *, say: Callable[[str], None]) -> Report:
        raise OSError("no server")

    async def match(**_: Any) -> Outcome:
        return PLACED

    status = main(["--matching", "20"], carry_out=carry_out, match=match)
    last = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (status, last["trouble"], last["kills"]) == (1, ["OSError: no server"], 3)

"""The processes that think."""

import asyncio
import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from parlor.engine.advice.advisers import Advisers
from parlor.engine.advice.questions import Outcome
from parlor.rules.planes import PLANES
from parlor.rules.planes.policy import decide
from parlor.serving import ServiceError
from parlor.serving.errors import reason_name
from parlor.v1.planes_rules_service_pb2 import (
    PlanesRulesServiceAdviseRequest,
    PlanesRulesServiceAdviseResponse,
    PlanesRulesServiceListActionsRequest,
)
from parlor.wire.planes import PLANES as WIRE
from tests.unit.engine_advice.questions import views

PLACING = WIRE.view_to(next(views(PLANES, decide, seed=1)))
ADVISE = PlanesRulesServiceAdviseRequest(view=PLACING, seed=1).SerializeToString()
LONGEST_S = 60.0
"""More than a busy machine takes."""
# All that comes before the page is made as well, for some 15 ms.
HEAVY = PlanesRulesServiceListActionsRequest(view=PLACING, page_token="4000").SerializeToString()


@pytest.fixture
async def advisers() -> AsyncIterator[Advisers]:
    async with Advisers("planes", 1, longest_s=LONGEST_S) as made:
        yield made


async def refusal(asking: Awaitable[Outcome]) -> str:
    """The reason, whether the process gave it or nobody waited for the process."""
    try:
        outcome = await asking
    except ServiceError as error:
        return reason_name(error.reason)
    assert outcome.refusal is not None
    return outcome.refusal.reason


def processes() -> list[int]:
    return [child.pid for child in multiprocessing.active_children() if child.pid]


async def test_no_process_runs_before_the_first_question_or_after_the_last() -> None:
    async with Advisers("planes", 2, longest_s=LONGEST_S) as advisers:
        assert not processes()
        outcome = await advisers.ask("Advise", ADVISE)
        answer = PlanesRulesServiceAdviseResponse.FromString(outcome.payload)
        assert answer.action.HasField("place")
        assert len(processes()) == 2
    assert not processes()


async def test_questions_at_the_same_time_are_all_answered(advisers: Advisers) -> None:
    outcomes = await asyncio.gather(*(advisers.ask("Advise", ADVISE) for _ in range(20)))
    assert len(set(outcomes)) == 1


async def test_more_questions_than_may_wait_are_refused_at_once() -> None:
    async with Advisers("planes", 1, longest_s=LONGEST_S, most_waiting=3) as advisers:
        asked = [advisers.ask("Advise", ADVISE) for _ in range(5)]
        results = await asyncio.gather(*asked, return_exceptions=True)
        refused = [one for one in results if isinstance(one, ServiceError)]
        assert [reason_name(one.reason) for one in refused] == ["OVERLOADED"] * 2
        assert (await advisers.ask("Advise", ADVISE)).payload


async def test_a_question_is_given_up_when_its_time_is_over(advisers: Advisers) -> None:
    assert (await advisers.ask("ListActions", HEAVY)).payload
    assert await refusal(advisers.ask("ListActions", HEAVY, within_s=0.003)) == "TIMEOUT"
    # The same process goes on.
    [before] = processes()
    assert (await advisers.ask("ListActions", HEAVY)).payload
    assert processes() == [before]


async def test_a_question_without_a_deadline_ends_with_the_longest_time() -> None:
    async with Advisers("planes", 1, longest_s=0.003) as advisers:
        assert await refusal(advisers.ask("ListActions", HEAVY)) == "TIMEOUT"


async def test_a_question_is_not_waited_for_beyond_its_time(advisers: Advisers) -> None:
    # The process takes longer than that to start.
    assert await refusal(advisers.ask("Advise", ADVISE, within_s=0.001)) == "TIMEOUT"


async def test_a_process_that_died_is_replaced(advisers: Advisers) -> None:
    await advisers.ask("Advise", ADVISE)
    [first] = processes()
    os.kill(first, signal.SIGKILL)
    assert (await advisers.ask("Advise", ADVISE)).payload
    [second] = processes()
    assert second != first


async def test_questions_survive_the_death_of_the_process_that_thinks(advisers: Advisers) -> None:
    await advisers.ask("Advise", ADVISE)
    asked = [asyncio.create_task(advisers.ask("ListActions", HEAVY)) for _ in range(5)]
    await asyncio.sleep(0)
    os.kill(processes()[0], signal.SIGKILL)
    assert all(outcome.payload for outcome in await asyncio.gather(*asked))


async def test_without_advisers_questions_are_for_other_replicas() -> None:
    async with Advisers("planes", 0, longest_s=LONGEST_S) as advisers:
        assert await refusal(advisers.ask("Advise", ADVISE)) == "NO_ENGINE"


_PARENT = """
import asyncio, multiprocessing, sys, time
from pathlib import Path
from parlor.engine.advice import advisers

async def main():
    async with advisers.Advisers("planes", 1, longest_s=60.0) as asked:
        await asked.ask("Advise", b"")
        Path(sys.argv[1]).write_text(str(multiprocessing.active_children()[0].pid))
        time.sleep(60)

if __name__ == "__main__":
    asyncio.run(main())
"""


async def test_processes_end_with_their_engine_also_when_it_is_killed(
    tmp_path: Path, eventually: Callable[..., Awaitable[None]]
) -> None:
    script, written = tmp_path / "parent.py", tmp_path / "pid"
    script.write_text(_PARENT)
    # The semaphores that it leaves behind are cleaned up with a warning.
    command = [sys.executable, str(script), str(written)]
    parent = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    await eventually(lambda: written.exists() and written.read_text(), timeout=60)
    child = int(written.read_text())
    parent.kill()
    parent.wait()
    await eventually(lambda: not _is_alive(child))


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"

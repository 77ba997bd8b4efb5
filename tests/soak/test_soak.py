"""A soak's judgement: what stays for ever, or grows, is found."""

import subprocess
import sys
from collections import Counter
from dataclasses import replace

import pytest

from parlor.serving.tether import tethered
from tests.soak.churn import VISITS
from tests.soak.run import Soak, Soaked, run
from tests.soak.sizes import Process, Sizes, grown, resident_kib, standing_keys, started_by

ENGINE = Process(pid=11, resident=70_000)
REDIS = Process(pid=12, resident=10_000)
SIZES = Sizes(processes={"engine-1": ENGINE, "redis": REDIS}, keys={"player": 20})
ALL = Counter(dict.fromkeys((*VISITS, "hint"), 1))


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_rooms_that_stay_for_ever_fail_a_soak() -> None:
    """The leak is planted by a setting: an unused room is not closed for an hour."""
    planted = {"PARLOR_ENGINE_OPEN_IDLE_MS": "3600000", "PARLOR_ENGINE_FINISHED_IDLE_MS": "3600000"}
    soaked = await run(Soak(seconds=20, tables=3, env=planted, gone_s=1.0))
    assert any(finding.startswith("keys has grown") for finding in soaked.findings)
    assert any(finding.endswith("are left by the warm-up") for finding in soaked.findings)
    assert any(finding.endswith("are left at the end") for finding in soaked.findings)


@pytest.mark.parametrize(
    ("after", "found"),
    [
        pytest.param(SIZES, (), id="all the same"),
        pytest.param(replace(SIZES, keys={"player": 21, "code": 1}), (), id="a tenth more keys"),
        pytest.param(
            replace(SIZES, keys={"player": 20, "code": 3}), ("keys has grown to 115%",), id="keys"
        ),
        pytest.param(
            replace(
                SIZES, processes={"engine-1": replace(ENGINE, resident=78_000), "redis": REDIS}
            ),
            ("engine-1 has grown to 111%",),
            id="a process",
        ),
        pytest.param(replace(SIZES, processes={"redis": REDIS}), ("engine-1 is gone",), id="gone"),
        pytest.param(
            replace(SIZES, processes={**SIZES.processes, "engine-1": replace(ENGINE, pid=13)}),
            ("engine-1 was replaced",),
            id="another in its place",
        ),
        pytest.param(
            replace(SIZES, processes={**SIZES.processes, "engine-1.1": replace(ENGINE, pid=13)}),
            ("engine-1.1 is new",),
            id="one more",
        ),
    ],
)
def test_what_is_more_than_a_tenth_larger_is_found(after: Sizes, found: tuple[str, ...]) -> None:
    assert grown(SIZES, after) == found


@pytest.mark.parametrize(
    ("done", "stayed", "found"),
    [
        pytest.param(ALL, (0, 0), (), id="as it should be"),
        pytest.param(ALL, (3, 0), ("3 keys of rooms are left by the warm-up",), id="warm-up"),
        pytest.param(ALL, (0, 1), ("1 keys of rooms are left at the end",), id="end"),
        pytest.param(
            Counter({"TimeoutError": 90, **ALL, "matched": 0}),
            (0, 0),
            ("no visit of the kind 'matched' came to its end",),
            id="nobody was matched",
        ),
    ],
)
def test_a_soak_that_proves_nothing_is_found(
    done: Counter[str], stayed: tuple[int, int], found: tuple[str, ...]
) -> None:
    soaked = Soaked(before=SIZES, after=SIZES, done=done, stayed=stayed, seconds=1.0)
    assert soaked.findings == found


def test_only_the_keys_of_shards_that_there_are_stand() -> None:
    standing = standing_keys(["planes"], shards=2)
    assert {"{s0}:owner:planes", "{s1}:outages:planes", "{s1}:finished"} <= standing
    assert not {"{s2}:finished", "{s0}:owner:chess", "{p:planes}:owner"} & standing


def test_what_a_process_has_started_is_found() -> None:
    starting = (
        "import subprocess as s, sys; print(s.Popen(['cat']).pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        tethered([sys.executable, "-c", starting]), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        started = int(process.stdout.readline())
        assert list(started_by(process.pid)) == [started]


def test_what_a_process_holds_is_measured() -> None:
    holding = "import sys; held = b'x' * 50_000_000; print(flush=True); sys.stdin.read()"
    process = subprocess.Popen(
        tethered([sys.executable, "-c", holding]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()
        assert 50_000_000 / 1024 < resident_kib(process.pid) < 150_000_000 / 1024
    finally:
        process.kill()
        process.communicate()

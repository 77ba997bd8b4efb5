"""A soak's judgement: what stays for ever, or grows, is found."""

import subprocess
import sys
from dataclasses import replace

import pytest

from parlor.serving.tether import tethered
from tests.soak.run import Soak, run
from tests.soak.sizes import Sizes, grown, resident_kib

SIZES = Sizes(resident={"engine-1": 70_000, "redis": 10_000}, keys={"player": 20})


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_rooms_that_stay_for_ever_fail_a_soak() -> None:
    """The leak is planted by a setting: an unused room is not closed for an hour."""
    planted = {"PARLOR_ENGINE_OPEN_IDLE_MS": "3600000", "PARLOR_ENGINE_FINISHED_IDLE_MS": "3600000"}
    soaked = await run(Soak(seconds=20, tables=3, env=planted, gone_s=1.0))
    assert any(finding.startswith("keys has grown") for finding in soaked.findings)
    assert any(finding.endswith("rooms are left") for finding in soaked.findings)


@pytest.mark.parametrize(
    ("after", "found"),
    [
        pytest.param(SIZES, (), id="all the same"),
        pytest.param(replace(SIZES, keys={"player": 21, "code": 1}), (), id="a tenth more keys"),
        pytest.param(
            replace(SIZES, keys={"player": 20, "code": 3}), ("keys has grown to 115%",), id="keys"
        ),
        pytest.param(
            replace(SIZES, resident={"engine-1": 78_000, "redis": 9_000}),
            ("engine-1 has grown to 111%",),
            id="a process",
        ),
        pytest.param(
            replace(SIZES, resident={"redis": 10_000}), ("engine-1 is gone",), id="none there"
        ),
    ],
)
def test_what_is_more_than_a_tenth_larger_is_found(after: Sizes, found: tuple[str, ...]) -> None:
    assert grown(SIZES, after) == found


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

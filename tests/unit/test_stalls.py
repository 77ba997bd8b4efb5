"""A test that fails while the machine stands still is tried again, and no other unless that is asked for."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.stalls import TRIES

ROOT = Path(__file__).parents[2]

PLUGIN = """
import sys
sys.path.insert(0, {root!r})
from tests.stalls import Stalls

def pytest_configure(config):
    config.pluginmanager.register(Stalls(lenient={lenient}))
"""

STOPPED = """
import os, subprocess, pytest

TRIES = []

@pytest.fixture
def tried():
    TRIES.append(1)
    return len(TRIES)

def stand_still():
    subprocess.Popen(["sh", "-c", f"kill -STOP {os.getpid()}; sleep 0.6; kill -CONT {os.getpid()}"]).wait()
"""


def ended(folder: Path, test: str, *, lenient: bool = False) -> tuple[int, str]:
    """What pytest ends with and says of one test."""
    (folder / "conftest.py").write_text(PLUGIN.format(root=str(ROOT), lenient=lenient))
    (folder / "test_it.py").write_text(STOPPED + test)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-c", "/dev/null"]
    done = subprocess.run(
        [*command, "--rootdir", str(folder), str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout


def test_a_test_that_the_machine_broke_is_tried_again_and_named(tmp_path: Path) -> None:
    code, said = ended(
        tmp_path,
        """
def test_it(tried):
    if tried == 1:
        stand_still()
    assert tried == 2
""",
    )
    assert code == 0, said
    assert "1 passed" in said
    assert "StoodStill" in said


def test_a_fixture_of_many_tests_that_the_machine_broke_is_made_again(tmp_path: Path) -> None:
    code, said = ended(
        tmp_path,
        """
@pytest.fixture(scope="session")
def shared():
    TRIES.append(1)
    if len(TRIES) == 1:
        stand_still()
        raise TimeoutError

def test_it(shared):
    pass

def test_another(shared):
    assert len(TRIES) == 2
""",
    )
    assert code == 0, said
    assert "2 passed" in said


def test_a_test_that_a_disk_broke_is_tried_again_and_named(tmp_path: Path) -> None:
    code, said = ended(
        tmp_path,
        """
import threading, time

def test_it(tried):
    flushed, flush = threading.Event(), os.fsync

    def flush_late(file):
        time.sleep(0.6)
        flush(file)
        flushed.set()

    if tried == 1:
        os.fsync = flush_late
        assert flushed.wait(60)
        os.fsync = flush
        assert False
""",
    )
    assert code == 0, said
    assert "the disk stood still" in said


def test_a_test_that_fails_while_the_machine_keeps_going_has_failed(tmp_path: Path) -> None:
    code, said = ended(tmp_path, "def test_it(tried):\n    assert tried == 2\n")
    assert code == 1
    assert "TriedAgain" not in said


def test_a_test_is_tried_once_more_where_that_is_asked_for_and_its_failure_is_named(
    tmp_path: Path,
) -> None:
    code, said = ended(tmp_path, "def test_it(tried):\n    assert tried == 2\n", lenient=True)
    assert code == 0, said
    assert "TriedAgain" in said
    assert "assert 1 == 2" in said


def test_a_test_that_fails_twice_has_failed_whatever_is_asked_for(tmp_path: Path) -> None:
    code, said = ended(tmp_path, "def test_it(tried):\n    assert tried == 3\n", lenient=True)
    assert code == 1
    assert "assert 2 == 3" in said


def test_a_test_that_fails_in_every_try_has_failed(tmp_path: Path) -> None:
    code, said = ended(
        tmp_path,
        """
def test_it(tried):
    stand_still()
    assert tried == 0
""",
    )
    assert code == 1, said
    assert f"assert {TRIES} == 0" in said


@pytest.mark.parametrize(
    "raised",
    ["BrokenPromise('lost')", "ExceptionGroup('', [ValueError(), BrokenPromise('lost')])"],
)
@pytest.mark.parametrize("lenient", [False, True])
def test_a_broken_promise_is_never_tried_again(tmp_path: Path, raised: str, lenient: bool) -> None:
    code, said = ended(
        tmp_path,
        f"""
from tests.stalls import BrokenPromise

def test_it(tried):
    if tried == 1:
        stand_still()
        raise {raised}
""",
        lenient=lenient,
    )
    assert code == 1, said
    assert "lost" in said
    assert "TriedAgain" not in said
    assert "StoodStill" not in said


def test_a_test_that_passes_is_never_tried_again(tmp_path: Path) -> None:
    code, said = ended(tmp_path, "def test_it(tried):\n    stand_still()\n    assert tried == 1\n")
    assert code == 0, said
    assert "StoodStill" not in said

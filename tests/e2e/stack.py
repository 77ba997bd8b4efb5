"""All of Parlor, as `make up` runs it, on free ports: for pages to be opened on."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import parlor

_SERVICES = Path(parlor.__file__).parent.parent
_STOP_S = 40.0


class Stack:
    """A running Parlor."""

    def __init__(self, described: dict[str, Any]) -> None:
        self._described = described

    @property
    def url(self) -> str:
        """The page."""
        url: str = self._described["url"]
        return url

    @property
    def environment(self) -> dict[str, str]:
        """What a command needs to know to work on this Parlor."""
        return {"PYTHONPATH": str(_SERVICES), "PARLOR_REDIS_URL": self._described["redis_url"]}

    def kill(self, service: str) -> None:
        """Kills a service's first processes as a crash would; they are started again on their ports."""
        for pid in self._described["pids"][service]:
            os.kill(pid, signal.SIGKILL)


@contextmanager
def running(folder: Path) -> Iterator[Stack]:
    """A Parlor for the time being; its logs are in `folder`."""
    env = os.environ | {
        "PYTHONPATH": str(_SERVICES),
        "PARLOR_EVERYTHING_PORT": "0",
        "PARLOR_EVERYTHING_ENGINES": "1",
        "PARLOR_EVERYTHING_DIRECTORY": str(folder),
        "PARLOR_EVERYTHING_START_MS": "300000",
        # Bots who think as long as people make no game better to test.
        "PARLOR_BOTS_THINK_MS": "0",
        # Who waits for a table of tiles waits until that was looked at.
        "PARLOR_MATCHMAKING_POOLS": "jinxian.fill_after_ms=never",
    }
    log = (folder / "everything.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "parlor.everything", "--json"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (folder / "everything.log").read_text()
        yield Stack(json.loads(line))
    finally:
        process.terminate()
        try:
            process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
        log.close()

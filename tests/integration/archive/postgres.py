"""A private PostgreSQL for tests, of whatever version the machine has."""

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_START_S = 60
_NOBODY = "nobody"


def binaries() -> Path | None:
    """Where PostgreSQL's programs are; None where there are none."""
    on_path = shutil.which("initdb")
    if on_path:
        # Resolved: a link to it may have none of the others beside it.
        return Path(on_path).resolve().parent
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Server:
    """A server that listens on a socket in its own directory only."""

    def __init__(self, programs: Path, directory: Path) -> None:
        self._programs = programs
        self._directory = directory

    def new_database(self) -> str:
        """The URL of a database in which nothing is yet."""
        name = f"t{uuid.uuid4().hex}"
        self.run("createdb", "-h", self._directory, "-U", "postgres", name)
        return f"postgresql://postgres@/{name}?host={self._directory}"

    def start(self) -> None:
        """Starts it, and returns when it answers."""
        # Without fsync: what is tested here does not survive its test.
        options = f"-c listen_addresses= -c fsync=off -k {self._directory}"
        log = self._directory / "log"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", log, "-o", options, "start")

    def stop(self) -> None:
        """Stops it at once, as if it had crashed."""
        self.run("pg_ctl", "-D", self.data, "-w", "-m", "immediate", "stop")

    @property
    def data(self) -> Path:
        """Where its data are."""
        return self._directory / "data"

    def run(self, program: str, *arguments: Any) -> None:
        """Runs one of the programs, as a user whom PostgreSQL accepts: it refuses root."""
        user: dict[str, Any] = {}
        if os.getuid() == 0:
            user = {"user": _NOBODY, "group": "nogroup", "extra_groups": ()}
        subprocess.run(
            [self._programs / program, *arguments],
            check=True,
            timeout=_START_S,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self._directory,
            **user,
        )


@contextmanager
def server(programs: Path) -> Iterator[Server]:
    """A server that ends with the context, and all that was in it."""
    # A socket's path may have about a hundred characters, and pytest's directories are its user's alone.
    with tempfile.TemporaryDirectory(prefix="pg-", dir="/tmp", ignore_cleanup_errors=True) as name:
        directory = Path(name)
        if os.getuid() == 0:
            shutil.chown(directory, _NOBODY)
        running = Server(programs, directory)
        running.run("initdb", "-D", running.data, "-U", "postgres", "-A", "trust", "-N")
        running.start()
        try:
            yield running
        finally:
            running.stop()

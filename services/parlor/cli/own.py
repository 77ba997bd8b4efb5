"""A whole Parlor of one's own, for as long as a command runs."""

import asyncio
import json
import os
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from parlor.serving.tether import tethered

_START_S = 200.0
_STOP_S = 30.0
_LAST_LINES = 12


class NotStarted(Exception):
    """It did not become ready; the message says why."""


@asynccontextmanager
async def own_parlor(
    *, kinds: Sequence[str], gateways: int = 2, bots: int = 0, env: Mapping[str, str] = os.environ
) -> AsyncIterator[tuple[str, ...]]:
    """The URLs of the gateways of a Parlor that ends with the context.

    It serves `kinds` and has so many processes of bots.
    """
    with tempfile.TemporaryDirectory(prefix="parlor-") as name:
        directory = Path(name)
        settings = {
            "PARLOR_EVERYTHING_PORT": "0",
            "PARLOR_EVERYTHING_KINDS": ",".join(kinds),
            "PARLOR_EVERYTHING_GATEWAYS": str(gateways),
            "PARLOR_EVERYTHING_BOTS": str(bots),
            "PARLOR_EVERYTHING_DIRECTORY": name,
        }
        said = directory / "everything.log"
        with said.open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *tethered([sys.executable, "-m", "parlor.everything", "--json"]),
                env={**env, **settings},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                # Ctrl-C is for this process, which stops the other one when it has finished.
                start_new_session=True,
            )
        try:
            yield await _urls(process, said)
        finally:
            await _stop(process)


async def _urls(process: asyncio.subprocess.Process, said: Path) -> tuple[str, ...]:
    """Where the gateways are, once everything is ready."""
    assert process.stdout is not None
    try:
        async with asyncio.timeout(_START_S):
            line = await process.stdout.readline()
    except TimeoutError:
        line = b""
    if not line:
        raise NotStarted(f"Parlor did not start:\n{_end_of(said)}")
    return tuple(f"http://{gateway['http']}" for gateway in json.loads(line)["gateways"])


def _end_of(log: Path) -> str:
    return "\n".join(log.read_text(errors="replace").splitlines()[-_LAST_LINES:])


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        async with asyncio.timeout(_STOP_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()

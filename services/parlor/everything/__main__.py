"""`python -m parlor.everything` runs all of Parlor until it is told to stop."""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import uvloop

import parlor.everything
from parlor.everything.config import EverythingConfig
from parlor.everything.failure import NotStarted
from parlor.everything.stack import Everything
from parlor.serving import redis_server
from parlor.serving.config import BadConfig, from_env


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs everything until SIGINT or SIGTERM; ends with 1 where that cannot be done."""
    parser = argparse.ArgumentParser(
        prog="parlor.everything", description=parlor.everything.__doc__
    )
    parser.add_argument(
        "--json",
        action="store_true",
        help="when all is ready, print where it is as one JSON object on one line",
    )
    options = parser.parse_args(arguments)
    try:
        config = from_env(EverythingConfig, "EVERYTHING")
        uvloop.run(_until_stopped(config, as_json=options.json))
    except (BadConfig, NotStarted, redis_server.NoRedisServer, OSError) as error:
        print(f"parlor: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, BadConfig) else 1)


async def _until_stopped(config: EverythingConfig, *, as_json: bool) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    _say(f"starting; logs are in {Path(config.directory).resolve()}")
    stopped = asyncio.create_task(stop.wait())
    starting = asyncio.create_task(_run(config, as_json=as_json))
    try:
        await asyncio.wait((stopped, starting), return_when=asyncio.FIRST_COMPLETED)
    finally:
        if stopped.done():
            _say("stopping")
        stopped.cancel()
        starting.cancel()
        ends = await asyncio.gather(starting, return_exceptions=True)
    for end in ends:
        if isinstance(end, Exception):
            raise end
    _say("stopped")


async def _run(config: EverythingConfig, *, as_json: bool) -> None:
    async with Everything(config, say=_say) as parlor:
        if as_json:
            print(json.dumps(parlor.describe()), flush=True)
        else:
            _say(
                f"ready (Ctrl-C stops it)\n\n    {parlor.url}\n"
                f"    gRPC at {parlor.gateways[0].grpc}\n    PARLOR_REDIS_URL={parlor.redis_url}\n"
            )
        await parlor.until_failed()


def _say(line: str) -> None:
    print(f"parlor: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()

"""An engine process, and requests to it over one stream, for the benchmarks."""

import asyncio
import os
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

from parlor.serving.ports import free_port
from parlor.v1 import engine_service_pb2


@contextmanager
def engine(redis_url: str, kind: str = "doudizhu") -> Iterator[tuple[str, str]]:
    """An engine process; its gRPC and HTTP addresses."""
    ports = free_port(), free_port()
    env = {
        **os.environ,
        "PARLOR_REDIS_URL": redis_url,
        "PARLOR_ENGINE_GRPC_PORT": str(ports[0]),
        "PARLOR_ENGINE_HTTP_PORT": str(ports[1]),
        "PARLOR_ENGINE_UNBOUNDED": "1",
        "PARLOR_ENGINE_MOST_ROOMS": "50000",
        "PARLOR_ENGINE_CONNECT_MS": "3600000",
        "PYTHONPATH": "services",
    }
    # What it logs is a part of what it does.
    process = subprocess.Popen(
        [sys.executable, "-m", "parlor.engine", kind], env=env, stderr=subprocess.DEVNULL
    )
    try:
        yield f"127.0.0.1:{ports[0]}", f"http://127.0.0.1:{ports[1]}"
    finally:
        process.terminate()
        process.wait()


async def ready(http: str) -> None:
    """Waits until the engine takes requests; raises TimeoutError after 20 s."""
    async with asyncio.timeout(60):
        while True:
            try:
                await asyncio.to_thread(urllib.request.urlopen, f"{http}/readyz", timeout=1)
                return
            except OSError:
                await asyncio.sleep(0.05)


async def send(stub: Any, requests: list[engine_service_pb2.EngineRequest]) -> None:
    """Carries requests over one stream, as a gateway does, and waits for all answers."""
    queue = iter(requests)
    grants: asyncio.Queue[int] = asyncio.Queue()

    async def outgoing() -> AsyncIterator[engine_service_pb2.RelayRequest]:
        sent = 0
        while sent < len(requests):
            granted = await grants.get()
            batch = [request for _, request in zip(range(granted), queue, strict=False)]
            sent += len(batch)
            yield engine_service_pb2.RelayRequest(requests=batch)

    answered = 0
    async for response in stub.Relay(outgoing()):
        grants.put_nowait(response.credits)
        answered += len(response.answers)
        for answer in response.answers:
            assert answer.WhichOneof("result") in ("frame", "done"), answer
        if answered == len(requests):
            return

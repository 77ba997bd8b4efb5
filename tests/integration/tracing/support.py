"""A receiver of OTLP, services that send it their spans, and what to ask of those."""

import asyncio
import json
import os
import secrets
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import jwt
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from tests.integration.gateway.support import Client as Frames
from tests.integration.gateway.support import JsonLine

PATIENCE_S = 60
SECRET = "0123456789abcdef0123456789abcdef"
KEY = f"k=HS256:value:{SECRET}"


@dataclass(frozen=True, slots=True)
class Seen:
    """One span, as a receiver got it."""

    service: str
    name: str
    trace: str
    span: str
    parent: str
    """Empty for the first of its trace."""
    links: tuple[str, ...]
    """Traces that it names without being part of them."""
    facts: dict[str, str | int]
    is_failed: bool


class Receiver(trace_service_pb2_grpc.TraceServiceServicer):
    """Takes what is exported to it."""

    def __init__(self) -> None:
        self.endpoint = ""
        self.spans: list[Seen] = []
        self.raw: list[bytes] = []
        """Every export as it came."""
        self._came = asyncio.Event()

    async def Export(self, request: Any, context: Any) -> Any:
        self.raw.append(request.SerializeToString())
        for each in request.resource_spans:
            resource = _facts(each.resource.attributes)
            for scope in each.scope_spans:
                self.spans += [_seen(str(resource["service.name"]), span) for span in scope.spans]
        self._came.set()
        return trace_service_pb2.ExportTraceServiceResponse()

    async def of(self, trace: str, *names: str) -> dict[str, Seen]:
        """The spans of one trace by name, once each of these is there."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                self._came.clear()
                found = {span.name: span for span in self.spans if span.trace == trace}
                if found.keys() >= set(names):
                    return found
                await self._came.wait()

    async def named(self, name: str, **facts: str | int) -> Seen:
        """A span of this name that says this, once there is one."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                self._came.clear()
                for span in self.spans:
                    if span.name == name and facts.items() <= span.facts.items():
                        return span
                await self._came.wait()


def _seen(service: str, span: Any) -> Seen:
    return Seen(
        service=service,
        name=span.name,
        trace=span.trace_id.hex(),
        span=span.span_id.hex(),
        parent=span.parent_span_id.hex(),
        links=tuple(link.trace_id.hex() for link in span.links),
        facts={key.removeprefix("parlor."): fact for key, fact in _facts(span.attributes).items()},
        is_failed=span.status.code == span.status.STATUS_CODE_ERROR,
    )


def _facts(attributes: Any) -> dict[str, str | int]:
    return {each.key: getattr(each.value, each.value.WhichOneof("value")) for each in attributes}


@asynccontextmanager
async def receiver() -> AsyncIterator[Receiver]:
    """A receiver at a free port."""
    server = grpc.aio.server()
    made = Receiver()
    # OpenTelemetry's generated code has no types.
    add: Any = trace_service_pb2_grpc.add_TraceServiceServicer_to_server
    add(made, server)
    made.endpoint = f"http://127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    try:
        yield made
    finally:
        await server.stop(None)


@dataclass(frozen=True, slots=True)
class Service:
    """A process of Parlor."""

    grpc: str
    http: str
    log: Path

    def lines(self) -> list[dict[str, Any]]:
        """What it has logged."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@asynccontextmanager
async def service(log: Path, *command: str, **settings: str) -> AsyncIterator[Service]:
    """A process that has started, on free ports."""
    env = {**os.environ, "PARLOR_LOG_FORMAT": "json", "OTEL_BSP_SCHEDULE_DELAY": "50", **settings}
    with log.open("w") as err:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", *command, env=env, stderr=err
        )
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not (started := _started(log)):
                assert process.returncode is None, log.read_text()
                await asyncio.sleep(0.02)
        yield Service(started["grpc"], started["http"], log)
    finally:
        process.terminate()
        await process.wait()


def _started(log: Path) -> dict[str, Any]:
    whole = [line for line in log.read_text().splitlines(keepends=True) if line.endswith("\n")]
    return next((line for line in map(json.loads, whole) if line["event"] == "started"), {})


def token(player: str, scope: str = "play match") -> str:
    claims = {"sub": player, "exp": time.time() + 600, "scope": scope}
    return jwt.encode(claims, SECRET, algorithm="HS256", headers={"kid": "k"})


def traceparent(trace: str, *, is_traced: bool = True) -> tuple[str, str]:
    """A span of some program that is no part of Parlor, and its id."""
    span = secrets.token_hex(8)
    return f"00-{trace}-{span}-{int(is_traced):02x}", span


async def frames(
    door: App[GatewayConfig], http: aiohttp.ClientSession, token: str, **headers: str
) -> Frames:
    """A session over WebSocket whose upgrade has these headers."""
    socket = await http.ws_connect(
        f"http://{door.http_address}/ws", protocols=(JsonLine.protocol,), headers=headers
    )
    client = Frames(JsonLine(socket), token=token)
    await client.hello()
    return client

"""What an operator asks over HTTP: `/healthz`, `/readyz`, `/metrics`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

ReadyCheck = Callable[[], Awaitable[bool]]
"""Whether one thing that the service cannot work without is there; raising counts as no."""

_CHECK_TIMEOUT_S: Final = 1.0


def add_endpoints(
    http: web.Application, checks: Mapping[str, ReadyCheck], is_draining: Callable[[], bool]
) -> None:
    """Adds the three routes to a process's HTTP application."""

    async def healthz(_request: web.Request) -> web.Response:
        # Only that the event loop turns: a restart would not bring back a Redis that is away.
        return web.json_response({"status": "ok"})

    async def readyz(_request: web.Request) -> web.Response:
        results = await asyncio.gather(*(_holds(check) for check in checks.values()))
        report = {"draining": is_draining(), "checks": dict(zip(checks, results, strict=True))}
        ready = all(results) and not is_draining()
        return web.json_response(report, status=200 if ready else 503)

    async def metrics(_request: web.Request) -> web.Response:
        return web.Response(body=generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    http.router.add_get("/healthz", healthz)
    http.router.add_get("/readyz", readyz)
    http.router.add_get("/metrics", metrics)


async def _holds(check: ReadyCheck) -> bool:
    try:
        async with asyncio.timeout(_CHECK_TIMEOUT_S):
            return await check()
    except Exception:
        # Whatever it is, the answer is no; the check's owner logs what it finds wrong.
        return False

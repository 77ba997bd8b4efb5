"""Maintenance: from an instant on no ticket, room or game begins, so that what runs can come to its end.

An operator plans it under one key of Redis. Every process that lets something begin, or tells players,
looks there once a second; the instant itself is Redis time, the same for all.
"""

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import msgspec
import structlog
from redis.exceptions import RedisError

from parlor.serving.errors import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1.error_reason_pb2 import ErrorReason

log = structlog.get_logger(__name__)

LOOK_S: Final = 1.0


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """A maintenance as it is planned, in ms of Redis time."""

    at_ms: int
    """When it begins."""
    until_ms: int = 0
    """When it is over; 0 where that is not known. Nothing but its being called off ends it."""


async def plan(batch: Batch, keys: Keys, planned: Plan) -> None:
    """Plans it, in place of what was planned."""
    await batch.call("SET", keys.maintenance(), msgspec.json.encode(planned))


async def call_off(batch: Batch, keys: Keys) -> bool:
    """Ends it; whether any was planned."""
    return bool(await batch.call("DEL", keys.maintenance()))


async def planned_now(batch: Batch, keys: Keys) -> Plan | None:
    """What is planned; None for nothing, or what another release has written."""
    raw = await batch.call("GET", keys.maintenance())
    try:
        return None if raw is None else msgspec.json.decode(raw, type=Plan)
    except msgspec.DecodeError as error:
        log.warning("maintenance_unreadable", error=str(error))
        return None


class Maintenance:
    """What this process knows of it; `now` gives Redis time in ms."""

    def __init__(self, batch: Batch, keys: Keys, now: Callable[[], int]) -> None:
        self._batch = batch
        self._keys = keys
        self._now = now
        self.planned: Plan | None = None
        """None where none is planned."""

    @property
    def is_on(self) -> bool:
        """Whether it has begun."""
        return self.planned is not None and self.planned.at_ms <= self._now()

    def check(self) -> None:
        """Raises MAINTENANCE where nothing may begin now."""
        if self.planned is None or not self.is_on:
            return
        until = {"end_time": rfc3339(self.planned.until_ms)} if self.planned.until_ms else {}
        raise ServiceError(
            ErrorReason.ERROR_REASON_MAINTENANCE, "nothing begins during maintenance", **until
        )

    async def look(self) -> None:
        """Reads what is planned; what was known stays where Redis does not answer."""
        try:
            self.planned = await planned_now(self._batch, self._keys)
        except RedisError as error:
            log.warning("maintenance_unknown", error=type(error).__name__)

    async def keep(self) -> None:
        """Looks for ever."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_S)


def rfc3339(ms: int) -> str:
    """An instant in ms since 1970 as people and JSON write it.

    >>> rfc3339(1_764_558_000_000)
    '2025-12-01T03:00:00.000Z'
    """
    text = datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z")

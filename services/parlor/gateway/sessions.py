"""The sessions that are open here: counted and bounded."""

import asyncio
import random
from typing import Protocol

from parlor.gateway.config import GatewayConfig
from parlor.gateway.payload import Payload
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason


class Endable(Protocol):
    """A session, as far as its end goes."""

    def drained(self, retry_after_ms: int) -> None:
        """Ends it, because the gateway stops."""

    def tell(self, payload: Payload) -> None:
        """Tells it what all are told."""


class Sessions:
    """All sessions of one gateway."""

    def __init__(self, config: GatewayConfig, draining: asyncio.Event) -> None:
        self._config = config
        self._draining = draining
        self._open: set[Endable] = set()
        self.empty = asyncio.Event()
        """Set while no session is open."""
        self.empty.set()
        self._end = asyncio.Lock()

    @property
    def open(self) -> frozenset[Endable]:
        """All that are open now."""
        return frozenset(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def refusal(self) -> ServiceError | None:
        """Why no further session is taken now; None when one is."""
        if self._draining.is_set():
            return ServiceError(
                ErrorReason.ERROR_REASON_DRAINING,
                "this gateway stops",
                retry_after_ms=str(self.pause_ms()),
            )
        if len(self._open) >= self._config.connections:
            return ServiceError(
                ErrorReason.ERROR_REASON_OVERLOADED,
                "this gateway is full",
                retry_after_ms=str(self.pause_ms()),
            )
        return None

    def add(self, session: Endable) -> None:
        """Counts a session; raises DRAINING or OVERLOADED."""
        refusal = self.refusal()
        if refusal is not None:
            raise refusal
        self._open.add(session)
        self.empty.clear()

    def remove(self, session: Endable) -> None:
        """Counts it no more."""
        self._open.discard(session)
        if not self._open:
            self.empty.set()

    async def one_by_one(self) -> None:
        """Waits for the turn of a session that its client has ended.

        A network that breaks ends hundreds at once, which would hold up everybody else for as long
        as all of it takes; here one goes in each turn of the event loop.
        """
        async with self._end:
            await asyncio.sleep(0)

    def pause_ms(self) -> int:
        """How long a client is to wait before it connects again: a random part of the setting."""
        # Spread, or all clients would knock at the next gateway in the same instant.
        return random.randint(
            self._config.retry_after_ms // 10, max(1, self._config.retry_after_ms)
        )

"""What all players of a gateway are told: maintenance is planned, has been moved, or is called off."""

import asyncio
from collections.abc import Callable
from typing import Protocol

from parlor.gateway import frames, metrics
from parlor.gateway.payload import Payload
from parlor.serving.maintenance import LOOK_S, Maintenance


class Told(Protocol):
    """A session, as far as notices go."""

    def tell(self, payload: Payload) -> None:
        """Sends it, unless the session is not open yet: then it comes behind the welcome."""


class Notices:
    """Looks at what is planned, and tells every session what has changed."""

    def __init__(self, maintenance: Maintenance) -> None:
        self._maintenance = maintenance

    def current(self) -> Payload | None:
        """What a new session has to be told; None for nothing."""
        planned = self._maintenance.planned
        return None if planned is None else frames.maintenance(planned)

    async def keep(self, sessions: Callable[[], frozenset[Told]]) -> None:
        """Looks for ever."""
        told = self._maintenance.planned
        while True:
            await self._maintenance.look()
            metrics.maintenance.set(self._maintenance.is_on)
            if self._maintenance.planned != told:
                told = self._maintenance.planned
                payload = frames.maintenance(told)
                for session in sessions():
                    session.tell(payload)
            await asyncio.sleep(LOOK_S)

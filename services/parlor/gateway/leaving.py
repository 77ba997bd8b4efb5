"""How a gateway that was told to stop parts with its clients.

They go one by one, each at a random moment, so that the other gateways take them up over
`leave_ms` and not in one instant; and only while there is another gateway to go to. Who is still
here shortly before the drain limit is sent away with all the rest.
"""

import asyncio
import random
from typing import Final

import structlog

from parlor.gateway.config import GatewayConfig
from parlor.gateway.peers import HEARTBEAT_S, Peers
from parlor.gateway.sessions import Sessions

log = structlog.get_logger(__name__)

LAST_MS: Final = 2_500
"""How long before the drain limit the last are sent away: what their goodbyes and the engines' word of it take."""


class Leaving:
    """The end of one gateway's sessions."""

    def __init__(self, config: GatewayConfig, sessions: Sessions, peers: Peers) -> None:
        self._config = config
        self._sessions = sessions
        self._peers = peers

    async def leave(self) -> None:
        """Sends all clients elsewhere; returns when their connections are closed."""
        log.info("sessions_ending", count=len(self._sessions))
        sending = asyncio.create_task(self._one_by_one())
        try:
            async with asyncio.timeout(max(0, self._config.drain_ms - LAST_MS) / 1000):
                await self._sessions.empty.wait()
        except TimeoutError:
            log.warning("sessions_cut", count=len(self._sessions))
            for session in self._sessions.open:
                session.drained(self._sessions.pause_ms())
        finally:
            sending.cancel()
        await self._sessions.empty.wait()

    async def _one_by_one(self) -> None:
        await self._peers.beat()
        # Those that were told to stop in the same moment need a heartbeat to say so.
        await asyncio.sleep(HEARTBEAT_S)
        await self._peers.beat()
        leaving = list(self._sessions.open)
        random.shuffle(leaving)
        moments = sorted(random.uniform(0, self._config.leave_ms / 1000) for _ in leaving)
        passed = 0.0
        for session, moment in zip(leaving, moments, strict=True):
            await asyncio.sleep(moment - passed)
            passed = moment
            await self._peers.others.wait()
            # It has waited for its moment here and needs no further pause.
            session.drained(0)

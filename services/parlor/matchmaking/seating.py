"""What becomes of an assigned match whose people, or bots, do not come.

A match is due to have begun some time after its players got their seats. Who is not ready by then is
not there. Where bots fill the pool they take the free seats, and the match has as long again.
Otherwise, or when that has not helped either, the room is closed and those who did come wait again
in front of those who came later. What is decided is recorded before it is done, so that whoever
owns the pool next does the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import structlog

from parlor.matchmaking import metrics
from parlor.matchmaking.backfill import Backfill
from parlor.matchmaking.engines import Engines
from parlor.matchmaking.places import Places
from parlor.matchmaking.store import Ownership, PoolStore
from parlor.matchmaking.tables import Tables
from parlor.matchmaking.tickets import MatchRecord
from parlor.serving.errors import ServiceError
from parlor.serving.invitations import Invitation, Invitations
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.v1.engine_service_pb2 import AttendanceResponse
from parlor.v1.error_reason_pb2 import ErrorReason

log = structlog.get_logger(__name__)

_MOST_TRIES: Final = 2
"""How often bots are asked to take the seats of those who did not come."""
_AGAIN_MS: Final = 1_000
"""When a match is looked at again whose room nobody could look into."""


@dataclass(frozen=True, slots=True)
class Seating:
    """Looks after matches between their assignment and their game."""

    keys: Keys
    batch: Batch
    store: PoolStore
    places: Places
    engines: Engines
    invitations: Invitations
    tables: Tables
    backfill: Backfill
    connect_ms: int

    async def look(self, own: Ownership, record: MatchRecord) -> None:
        """Looks at a match that is due to have begun, and sees to it where it has not."""
        if record.returning is not None:
            await self._dissolve(own, record, record.returning)
        elif await self._has_log(record.room_id):
            await self._settle(own, record)
        else:
            try:
                there = await self.engines.attendance(record.room_id)
            except ServiceError as error:
                if error.reason == ErrorReason.ERROR_REASON_ROOM_NOT_FOUND:
                    await self._settle(own, record)
                else:
                    await self.store.postpone(own, record, due_ms=_AGAIN_MS)
                return
            if there.begun:
                await self._settle(own, record)
            else:
                await self._replace_or_dissolve(own, record, there)

    async def invite(self, record: MatchRecord, count: int) -> None:
        """Asks for bots to take free seats of the match's room."""
        invitation = Invitation(record.room_id, "", record.link_token)
        await self.invitations.send(invitation, count, f"{record.match}-{record.tries}")
        log.info("bots_invited", match=record.match, count=count)
        await self.backfill.offer(record)

    async def _replace_or_dissolve(
        self, own: Ownership, record: MatchRecord, there: AttendanceResponse
    ) -> None:
        people = [seat for seat in there.seats if seat.player and not seat.bot]
        here = {seat.player for seat in people if seat.ready}
        free = sum(not seat.player for seat in there.seats)
        table = self.tables.table(own.pool, bots=await self.invitations.heard())
        fills = table.fill_after_ms is not None and record.tries < _MOST_TRIES
        if here and len(here) == len(people) and free and fills:
            record = msgspec.structs.replace(record, tries=record.tries + 1)
            if await self.store.postpone(own, record, due_ms=self.connect_ms):
                metrics.replaced.labels("bots").inc(free)
                await self.invite(record, free)
            return
        returning = []
        for ticket in record.tickets:
            members = await self.store.members(ticket)
            # Of a party everybody has to be there: it stays together.
            if members and all(member.player in here for member in members):
                returning.append(ticket)
        record = msgspec.structs.replace(record, returning=tuple(returning))
        if await self.store.postpone(own, record, due_ms=0):
            await self._dissolve(own, record, returning)

    async def _dissolve(
        self, own: Ownership, record: MatchRecord, returning: Sequence[str]
    ) -> None:
        """Closes the room and gives those who came their tickets back."""
        kept = []
        try:
            await self.engines.disband(record.room_id)
        except ServiceError as error:
            if error.reason == ErrorReason.ERROR_REASON_WRONG_STATUS:
                # The last one was ready just now.
                await self._settle(own, record)
            else:
                await self.store.postpone(own, record, due_ms=_AGAIN_MS)
            return
        for ticket in returning:
            members = await self.store.members(ticket)
            back = [
                await self.places.unseat(member.player, record.room_id, ticket)
                for member in members
            ]
            if members and all(back):
                kept.append(ticket)
                continue
            # One of a party is elsewhere by now: the ticket ends, and holds nobody.
            for member in members:
                await self.places.free(member.player, ticket)
        if await self.store.give_back(own, record, kept):
            metrics.replaced.labels("dissolved").inc()
            log.info("match_dissolved", match=record.match, returning=len(kept))

    async def _settle(self, own: Ownership, record: MatchRecord) -> None:
        await self.store.settle(own, record)

    async def _has_log(self, room_id: str) -> bool:
        """Whether the room has begun to play, which costs no engine anything to find out."""
        return bool(await self.batch.call("EXISTS", self.keys.log(room_id, 1)))

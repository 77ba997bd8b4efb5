"""Where parties are begun, joined, left and followed."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from parlor.matchmaking.desk import Desk, check_request_id, named
from parlor.matchmaking.parties import Parties, Party
from parlor.matchmaking.tickets import WAITING, Member
from parlor.serving.errors import ServiceError
from parlor.serving.redis import Subscriber
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason


class Gatherings:
    """The parties of everybody, as their members use them. All of it raises ServiceError."""

    def __init__(
        self,
        parties: Parties,
        desk: Desk,
        subscriber: Subscriber,
        draining: asyncio.Event,
        *,
        look_ms: int,
    ) -> None:
        self._parties = parties
        self._desk = desk
        self._subscriber = subscriber
        self._draining = draining
        self._look_s = look_ms / 1000
        self._watching: defaultdict[str, set[asyncio.Event]] = defaultdict(set)

    async def create(self, request: pb.CreatePartyRequest) -> Party:
        """Begins a party."""
        check_request_id(request.request_id)
        return await self._parties.create(Member(named(request.player), request.name))

    async def join(self, request: pb.JoinPartyRequest) -> Party:
        """Joins a party."""
        check_request_id(request.request_id)
        return await self._parties.join(request.code, Member(named(request.player), request.name))

    async def leave(self, request: pb.LeavePartyRequest) -> Party:
        """Leaves a party, or takes another out of it; a ticket that waits is given back."""
        check_request_id(request.request_id)
        player = named(request.player)
        party = await self._parties.leave(player, request.member or player)
        ticket = await self._desk.store.look(party.ticket) if party.ticket else None
        if ticket is not None and ticket.state == WAITING:
            try:
                await self._desk.give_back(ticket)
            except ServiceError as error:
                if error.reason != ErrorReason.ERROR_REASON_TICKET_MATCHED:
                    raise
        return party

    async def watch(self, player: str) -> AsyncIterator[Party | None]:
        """The player's party whenever it has changed; None at the end, when there is none."""
        player = named(player)
        party = await self._parties.of(player)
        if party is not None:
            code, last = party.code, 0
            async with self._changes(code) as changed:
                while party is not None and party.code == code:
                    if party.version != last:
                        last = party.version
                        yield party
                    await self._wait(changed)
                    party = await self._parties.of(player)
                    await self._parties.keep(player, code)
        yield None

    @asynccontextmanager
    async def _changes(self, code: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set when the party has changed, and when the replica stops."""
        changed = asyncio.Event()
        # It may have changed since it was looked at.
        changed.set()
        watching = self._watching[code]
        watching.add(changed)
        channel = self._parties.moved(code)
        try:
            if len(watching) == 1:
                await self._subscriber.subscribe(channel, lambda *_: self._hear(code))
            yield changed
        finally:
            watching.discard(changed)
            if not watching:
                del self._watching[code]
                await self._subscriber.unsubscribe(channel)

    def _hear(self, code: str) -> None:
        for changed in self._watching.get(code, ()):
            changed.set()

    def end(self) -> None:
        """Sends everybody who watches to another replica."""
        for code in self._watching:
            self._hear(code)

    async def _wait(self, changed: asyncio.Event) -> None:
        """Returns when the party may have changed; raises DRAINING when the replica stops."""
        try:
            async with asyncio.timeout(self._look_s):
                await changed.wait()
        except TimeoutError:
            pass
        changed.clear()
        if self._draining.is_set():
            raise ServiceError(ErrorReason.ERROR_REASON_DRAINING, "this replica is stopping")

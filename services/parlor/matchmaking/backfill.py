"""A bot's seat at a running game, for a late person who would else get a table of bots alone.

Tables that bots were asked to are offered for a while. When nobody else is found for a single
player in time, the offer nearest in rating, within the player's window, takes the place of a new
table: the player joins that room, as anybody does who was given its link, and the bot there gives
way. Whoever matches people comes first: a match of two or more, or of a party, gets its own table.

The offer is recorded with the match before it is taken up. A replica that finds such a match asks
the room whether the player sits there; only once that has been denied a room of its own is opened,
and that is recorded before too. So nobody gets two seats.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Final

import msgspec
import structlog

from parlor.matchmaking import metrics
from parlor.matchmaking.engines import Engines
from parlor.matchmaking.places import Places
from parlor.matchmaking.pools import kind_of_pool
from parlor.matchmaking.store import Ownership, PoolStore, Proposed
from parlor.matchmaking.tables import Tables
from parlor.matchmaking.tickets import MatchRecord, Offer, pool_of
from parlor.serving.errors import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1.engine_service_pb2 import AttendanceResponse, Player
from parlor.v1.error_reason_pb2 import ErrorReason

log = structlog.get_logger(__name__)

_MOST: Final = 100
"""Tables of a pool that are offered at once, the newest."""
_TRIES: Final = 3
"""Tables that are asked for one player."""

_OFFER: Final = msgspec.json.Decoder(Offer)


@dataclass(frozen=True, slots=True)
class Backfill:
    """The offers of every pool: the sorted set `offers`, tables by when they were made."""

    keys: Keys
    batch: Batch
    store: PoolStore
    places: Places
    engines: Engines
    tables: Tables
    clock: RedisClock
    offered_ms: int | None
    """How long a table is offered; None: none is."""

    async def offer(self, record: MatchRecord) -> None:
        """Offers the seats of the bots that were asked to a match's room."""
        if self.offered_ms is None:
            return
        pool = pool_of(record.tickets[0])
        found = await self.store.look_at(pool, record.tickets)
        ratings = [ticket.rating for ticket in found if ticket is not None]
        if not ratings:
            return
        offer = Offer(room_id=record.room_id, link_token=record.link_token, rating=fmean(ratings))
        key = self._key(pool)
        await self.batch.call("ZADD", key, self.clock.now(), msgspec.json.encode(offer))
        await self.batch.call("ZREMRANGEBYRANK", key, 0, -_MOST - 1)
        await self.batch.call("PEXPIRE", key, self.offered_ms)

    async def offered(self, own: Ownership, matches: Sequence[Proposed]) -> list[Proposed]:
        """New matches, with an offer recorded where one suits a player who has found nobody."""
        if self.offered_ms is None or not any(map(_is_alone, matches)):
            return list(matches)
        offers = await self._offers(own.pool.name)
        return [
            await self._with_offer(own, match, offers) if _is_alone(match) else match
            for match in matches
        ]

    async def seated(self, own: Ownership, match: Proposed) -> Proposed:
        """A match after its offer was taken up: with the room, or without an offer where nothing
        came of it. Raises ServiceError where that is not known.
        """
        record, (member,) = match.record, match.members[0]
        offer, ticket = record.offer, record.tickets[0]
        assert offer is not None
        there = await self._attendance(offer)
        # The place comes before the seat, as everywhere: it lets nobody else seat the player.
        sits = await self.places.seat((member.player, ticket, offer.room_id))
        is_there = _has(there, member.player)
        if not is_there and _has_room(there) and sits == [True]:
            player = Player(player=member.player, name=member.name)
            is_there = await self.engines.join(
                offer.room_id, player, offer.link_token, request_id=record.match
            )
        metrics.backfills.labels(
            kind_of_pool(own.pool.name), "seated" if is_there else "refused"
        ).inc()
        if is_there:
            log.info("bot_replaced", match=record.match, room=offer.room_id)
            record = msgspec.structs.replace(
                record,
                room_id=offer.room_id,
                link_token=offer.link_token,
                bots=0,
                offer=None,
            )
            return replace(match, record=record)
        await self._withdraw(own, offer)
        await self.places.unseat(member.player, offer.room_id, ticket)
        return await self._recorded(own, match, None)

    async def _with_offer(self, own: Ownership, match: Proposed, offers: list[Offer]) -> Proposed:
        """The match with the nearest offer that still stands; nobody else gets that one now."""
        (ticket,) = match.record.tickets
        found = await self.store.look(ticket)
        if found is None:
            return match
        window = self.tables.table(own.pool, bots=True).window
        width = window.width(match.record.at_ms - found.since_ms)
        near = [offer for offer in offers if abs(offer.rating - found.rating) <= width]
        near.sort(key=lambda offer: abs(offer.rating - found.rating))
        for offer in near[:_TRIES]:
            try:
                there = await self._attendance(offer)
            except ServiceError:
                continue
            if not _has_room(there):
                # Where the game has not begun, bots may be on their way.
                if there.begun:
                    await self._withdraw(own, offer)
            # Who has left that game may not come back to it.
            elif not _has(there, match.members[0][0].player):
                offers.remove(offer)
                return await self._recorded(own, match, offer)
        return match

    async def _attendance(self, offer: Offer) -> AttendanceResponse:
        """Who is in the room, as after a game where it is gone; raises ServiceError."""
        try:
            return await self.engines.attendance(offer.room_id)
        except ServiceError as error:
            if error.reason != ErrorReason.ERROR_REASON_ROOM_NOT_FOUND:
                raise
            return AttendanceResponse(begun=True)

    async def _withdraw(self, own: Ownership, offer: Offer) -> None:
        """Offers a table no more."""
        await self.batch.call("ZREM", self._key(own.pool.name), msgspec.json.encode(offer))

    async def _recorded(self, own: Ownership, match: Proposed, offer: Offer | None) -> Proposed:
        """The match with another offer, or none, once that is recorded."""
        record = msgspec.structs.replace(match.record, offer=offer)
        if await self.store.opened(own, [record]) != [True]:
            # The pool's next owner goes on from what is recorded.
            raise ServiceError(ErrorReason.ERROR_REASON_CONFLICT, "the pool is another's")
        return replace(match, record=record)

    async def _offers(self, pool: str) -> list[Offer]:
        """What is offered, the newest first."""
        key, since = self._key(pool), self.clock.now() - (self.offered_ms or 0)
        found = await self.batch.call("ZREVRANGEBYSCORE", key, "+inf", since)
        return [_OFFER.decode(raw) for raw in found]

    def _key(self, pool: str) -> str:
        return self.keys.pool(pool, "offers")


def _is_alone(match: Proposed) -> bool:
    """Whether it is one player's, with bots."""
    return match.record.bots > 0 and len(match.record.tickets) == len(match.members[0]) == 1


def _has(there: AttendanceResponse, player: str) -> bool:
    return any(seat.player == player for seat in there.seats)


def _has_room(there: AttendanceResponse) -> bool:
    """Whether a bot plays there with a person."""
    has_person = any(seat.online and not seat.bot for seat in there.seats)
    return there.playing and has_person and any(seat.bot for seat in there.seats)

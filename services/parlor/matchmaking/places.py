"""A player's one place: a ticket, then the room that it led to.

The place is taken before the ticket exists and freed after it has ended, so a replica that dies in
between leaves a place that nothing stands behind. Whoever finds a player busy looks there first.
"""

import asyncio
from collections.abc import Sequence

from redis.exceptions import RedisError

from parlor.matchmaking.engines import Engines
from parlor.matchmaking.store import PoolStore
from parlor.matchmaking.tickets import Member
from parlor.serving.errors import ServiceError
from parlor.serving.keys import Keys, is_room_id
from parlor.serving.players import STALE_MS, Held, Move, Players
from parlor.serving.redis import Batch
from parlor.v1.error_reason_pb2 import ErrorReason

_TICKET = "ticket:"
_ROOM = "room:"


class Places:
    """Places as matchmaking takes, moves and frees them."""

    def __init__(self, batch: Batch, keys: Keys, store: PoolStore, engines: Engines) -> None:
        self._batch = batch
        self._keys = keys
        self._store = store
        self._engines = engines
        self._players = Players(batch, keys)

    async def ticket_of(self, player: str) -> str:
        """The ticket that the player holds; empty without one."""
        return _ticket(await self._players.place(player))

    async def latest_ticket_of(self, player: str) -> str:
        """The ticket that the player holds, or that led to the seat that the player has; empty without either."""
        place, moved_from = await self._players.whereabouts(player)
        return _ticket(place) or _ticket(moved_from)

    async def take(self, members: Sequence[Member], ticket: str) -> str:
        """The ticket that the first of them holds now with all the others: this one, or one taken
        before. Taken in the players' order, all or none.

        Raises PLAYER_BUSY with `place` and `player` where one has a seat, or another's ticket.
        """
        taken: list[str] = []
        try:
            for player in sorted(member.player for member in members):
                held = await self._take(player, ticket)
                if held != _TICKET + ticket:
                    if len(members) == 1 and (other := _ticket(held)):
                        return other
                    raise ServiceError(
                        ErrorReason.ERROR_REASON_PLAYER_BUSY,
                        "the player has a seat or another ticket",
                        place=held,
                        player=player,
                    )
                taken.append(player)
        except BaseException:
            await asyncio.gather(*(self.free(player, ticket) for player in taken))
            raise
        return ticket

    async def take_each(self, takes: Sequence[tuple[str, str]]) -> list[bool | RedisError]:
        """Whether each player, who comes alone, has the ticket named with it; another is busy."""
        held = await self._players.take_each(
            [(player, _TICKET + ticket) for player, ticket in takes]
        )
        return [
            end if isinstance(end, RedisError) else end.place == _TICKET + ticket
            for (_, ticket), end in zip(takes, held, strict=True)
        ]

    async def free(self, player: str, ticket: str) -> None:
        """Gives the ticket's place up."""
        await self._players.free(player, _TICKET + ticket)

    async def seat(self, *seats: tuple[str, str, str]) -> list[bool]:
        """Moves players from their tickets into rooms, each named with both; False for one who is
        elsewhere.

        Done again, it changes nothing: a player who has left the room meanwhile is not put back.
        """
        moves = [Move(player, _TICKET + ticket, _ROOM + room) for player, ticket, room in seats]
        held = await self._players.move(*moves)
        return [place == move.to for place, move in zip(held, moves, strict=True)]

    async def unseat(self, player: str, room_id: str, ticket: str) -> bool:
        """Moves the player from the room, or from nowhere, back to the ticket; False where the
        player is elsewhere.
        """
        back = _TICKET + ticket
        (held,) = await self._players.move(Move(player, _ROOM + room_id, back, or_none=True))
        return held == back

    async def _take(self, player: str, ticket: str) -> str:
        """What the player holds after the ticket's place was asked for."""
        wanted = _TICKET + ticket
        held = await self._players.take(player, wanted)
        if held.place != wanted and await self._is_empty(player, held):
            await self._players.free(player, held.place)
            held = await self._players.take(player, wanted)
        return held.place

    async def _is_empty(self, player: str, held: Held) -> bool:
        """Whether nothing stands behind a place that is held."""
        if ticket := _ticket(held.place):
            found = await self._store.look(ticket)
            if found is not None:
                return found.is_over
            return await self._is_stale(held)
        if not await self._is_stale(held):
            return False
        room_id = held.place.removeprefix(_ROOM)
        if not is_room_id(room_id):
            return True
        if not await self._batch.call("EXISTS", self._keys.room(room_id)):
            return True
        return not await self._engines.seats(player, room_id)

    async def _is_stale(self, held: Held) -> bool:
        """Whether what should stand behind the place has had its time to appear."""
        seconds, micros = await self._batch.call("TIME")
        now_ms = int(seconds) * 1000 + int(micros) // 1000
        return now_ms - held.since_ms > STALE_MS


def _ticket(place: str) -> str:
    """The ticket that a place is; empty for a room, and for none."""
    return place.removeprefix(_TICKET) if place.startswith(_TICKET) else ""

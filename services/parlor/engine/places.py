"""Seats and the players' places: a player is in one room or ticket at a time."""

import structlog
from redis.exceptions import RedisError

from parlor.engine.formats import RELEASED, Formats
from parlor.engine.record import Room
from parlor.engine.snapshot import UnreadableRecord
from parlor.engine.step import Refused
from parlor.serving.keys import Keys, is_room_id
from parlor.serving.players import STALE_MS, Held, Players
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1.error_reason_pb2 import ErrorReason

_log = structlog.get_logger(__name__)

_ROOM = "room:"
_TICKET = "ticket:"


class Places:
    """Takes and frees the places that go with the seats of rooms."""

    def __init__(
        self,
        batch: Batch,
        keys: Keys,
        players: Players,
        clock: RedisClock,
        *,
        formats: Formats = RELEASED,
    ) -> None:
        self._batch = batch
        self._keys = keys
        self._players = players
        self._clock = clock
        self._formats = formats

    async def take(self, player: str, room_id: str) -> None:
        """Takes the player's place for a seat in the room; raises Refused(PLAYER_BUSY) if it is taken."""
        place = _ROOM + room_id
        for _ in range(2):
            held = await self._players.take(player, place)
            if held.place == place:
                return
            if not await self._is_empty(player, held):
                break
            await self._players.free(player, held.place)
        raise Refused(
            ErrorReason.ERROR_REASON_PLAYER_BUSY,
            "the player has a ticket or a seat elsewhere",
            {"place": held.place},
        )

    async def free(self, room_id: str, players: tuple[str, ...]) -> None:
        """Frees the places of players who are seated no more.

        A failure is only logged: the seat is gone for good, and who finds the player busy looks there.
        """
        for player in players:
            try:
                await self._players.free(player, _ROOM + room_id)
            except RedisError as error:
                _log.warning(
                    "place_not_freed", room=room_id, player=player, error=type(error).__name__
                )

    async def _is_empty(self, player: str, held: Held) -> bool:
        """Whether nothing has stood behind a place for long enough that nobody is still at work on it."""
        if self._clock.now() - held.since_ms < STALE_MS:
            return False
        ticket, room_id = held.place.removeprefix(_TICKET), held.place.removeprefix(_ROOM)
        if ticket != held.place:
            state = await self._batch.call("HGET", self._keys.ticket(ticket), "state")
            return state in (None, b"cancelled")
        if room_id == held.place or not is_room_id(room_id):
            return False
        raw = await self._batch.call("HGET", self._keys.room(room_id), "record")
        if raw is None:
            return True
        try:
            return Room(record=self._formats.decode(raw)).seat_of(player) is None
        except UnreadableRecord:
            return False

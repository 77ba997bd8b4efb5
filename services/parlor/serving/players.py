"""Where a player is: the one ticket or room of each, and the number of the newest connection.

A place is `room:<id>` or `ticket:<id>`. It is taken before the ticket or the seat exists and freed
after it is gone, so a process that dies in between leaves a place that nothing stands behind:
whoever finds a player busy looks there, and frees what has been empty for longer than `STALE_MS`.
A player who was moved has, for as long as the place is held, also the one before it: the ticket of a
seat that was not taken by hand.
"""

import asyncio
from collections.abc import Sequence
from typing import Final, NamedTuple

from redis.exceptions import RedisError

from parlor.serving.keys import Keys
from parlor.serving.redis import Argument, Batch, Script, answers
from parlor.serving.together import Together

STALE_MS = 5_000
"""How long a taken place may stay empty before others may take it away."""

FORGET_S = 7 * 86_400
"""How long the connection number of a player without a place is kept."""

_TOGETHER: Final = 100
"""Places that are taken in one script."""

_Asked = tuple[str, str, str]
"""Player, place, and what it may be taken instead of."""

_TAKE = Script("""
-- ARGV, for each player: place, place to take it instead of
local time = redis.call('TIME')
local now, places = time[1] * 1000 + math.floor(time[2] / 1000), {}
for i, key in ipairs(KEYS) do
  local place, instead_of = ARGV[2 * i - 1], ARGV[2 * i]
  local held = redis.call('HGET', key, 'place')
  if held and held ~= place and held ~= instead_of then
    places[i] = {held, redis.call('HGET', key, 'since') or '0'}
  else
    if held ~= place then
      redis.call('HSET', key, 'place', place, 'since', now, 'from', '')
      -- Only who holds no place is forgotten after a while.
      if not held then redis.call('PERSIST', key) end
    end
    places[i] = {place, '0'}
  end
end
return places
""")

_MOVE = Script("""
-- ARGV, for each player: place, place to move to, 1 to move also who holds none
local time = redis.call('TIME')
local now, places = time[1] * 1000 + math.floor(time[2] / 1000), {}
for i, key in ipairs(KEYS) do
  local from, to, or_none = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  local held = redis.call('HGET', key, 'place') or ''
  if held == from or (held == '' and or_none == '1') then
    redis.call('HSET', key, 'place', to, 'since', now, 'from', from)
    if held == '' then redis.call('PERSIST', key) end
    held = to
  end
  places[i] = held
end
return places
""")

_FREE = Script("""
if redis.call('HGET', KEYS[1], 'place') ~= ARGV[1] then return 0 end
-- First: on a server of a Cluster that is just giving the slot away, a script may not touch what it has deleted.
redis.call('EXPIRE', KEYS[1], ARGV[2])
return redis.call('HDEL', KEYS[1], 'place', 'since', 'from') > 0 and 1 or 0
""")

_CONNECT = Script("""
local number = redis.call('HINCRBY', KEYS[1], 'connection', 1)
if redis.call('HEXISTS', KEYS[1], 'place') == 0 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return number
""")


class Held(NamedTuple):
    """A place that a player holds."""

    place: str
    since_ms: int
    """When it was taken, in ms of Redis time; 0 for the caller's own."""


class Move(NamedTuple):
    """A player's way from one place to another."""

    player: str
    place: str
    to: str
    or_none: bool = False


class Players:
    """The players' keys."""

    def __init__(self, batch: Batch, keys: Keys) -> None:
        self._batch = batch
        self._keys = keys
        self._taking = Together(self._take, most=_TOGETHER)

    async def take(self, player: str, place: str, *, instead_of: str = "") -> Held:
        """Takes `place` unless the player holds another; gives what is held afterwards.

        A held `instead_of` is given up for it in the same step. Taking what is held is no change.
        """
        return await self._taking(None, (player, place, instead_of))

    async def take_each(self, asked: Sequence[tuple[str, str]]) -> "list[Held | RedisError]":
        """As `take` for many, each a player and a place; what came of each, in order."""
        chunks = [
            [(player, place, "") for player, place in asked[start : start + _TOGETHER]]
            for start in range(0, len(asked), _TOGETHER)
        ]
        taken = await asyncio.gather(*(self._take(None, chunk) for chunk in chunks))
        return [end for chunk in taken for end in chunk]

    async def _take(self, _key: None, asked: Sequence[_Asked]) -> "list[Held | RedisError]":
        """What comes of places that are asked for in one turn; in a Cluster each has its own slot."""
        numbered = list(enumerate(asked))
        groups = self._batch.by_slot(numbered, lambda each: self._keys.player(each[1][0]))
        ends = await answers(self._take_group([one for _, one in group]) for group in groups)
        found: dict[int, Held | RedisError] = {}
        for group, held in zip(groups, ends, strict=True):
            for place, (number, _) in enumerate(group):
                found[number] = held if isinstance(held, RedisError) else held[place]
        return [found[number] for number, _ in numbered]

    async def _take_group(self, asked: Sequence[_Asked]) -> list[Held]:
        keys = [self._keys.player(player) for player, _, _ in asked]
        args = [text for _, place, instead_of in asked for text in (place, instead_of)]
        held = await _TAKE(self._batch, keys, args)
        return [Held(place=place.decode(), since_ms=int(since)) for place, since in held]

    async def move(self, *moves: Move) -> list[str]:
        """Moves each player in one step; gives what each holds afterwards, empty for nothing.

        A player who holds another place, or none, is left alone; with `or_none` only who holds
        another one.
        """
        places: dict[Move, str] = {}

        async def move(group: Sequence[Move]) -> None:
            keys = [self._keys.player(each.player) for each in group]
            args: list[Argument] = []
            for each in group:
                args += [each.place, each.to, int(each.or_none)]
            held = await _MOVE(self._batch, keys, args)
            places.update(zip(group, (place.decode() for place in held), strict=True))

        groups = self._batch.by_slot(moves, lambda each: self._keys.player(each.player))
        await asyncio.gather(*map(move, groups))
        return [places[each] for each in moves]

    async def free(self, player: str, place: str) -> bool:
        """Gives `place` up; False when the player does not hold it."""
        return bool(await _FREE(self._batch, [self._keys.player(player)], [place, FORGET_S]))

    async def place(self, player: str) -> str:
        """The player's place; empty when there is none."""
        held = await self._batch.call("HGET", self._keys.player(player), "place")
        return held.decode() if held else ""

    async def whereabouts(self, player: str) -> tuple[str, str]:
        """The player's place, and the one that the player was moved to it from; empty where there is
        none.
        """
        key = self._keys.player(player)
        place, moved_from = await self._batch.call("HMGET", key, "place", "from")
        return (place or b"").decode(), (moved_from or b"").decode()

    async def connect(self, player: str) -> int:
        """The number of a new connection: one more than any before it."""
        return int(await _CONNECT(self._batch, [self._keys.player(player)], [FORGET_S]))

    async def newest_connection(self, player: str) -> int:
        """The number of the player's newest connection; 0 when there has been none."""
        return int(await self._batch.call("HGET", self._keys.player(player), "connection") or 0)

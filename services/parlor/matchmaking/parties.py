"""Parties in Redis: people who want to play at one table, found by a code.

A party's key has a slot of its own, and each member's key says which party that is. The party's is
the truth: a member's key that leads to a party without the member says nothing. Both are forgotten
after a time in which nothing happens.
"""

import secrets
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from parlor.matchmaking.tickets import Member, members_of
from parlor.serving.errors import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, Script
from parlor.v1.error_reason_pb2 import ErrorReason

ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
"""Without what looks alike: 0 and O, 1 and I."""
CODE_LENGTH: Final = 6
MOST_MEMBERS: Final = 8
_TRIES: Final = 20

_CREATE: Final = Script("""
-- KEYS party; ARGV members, keep ms
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'members', ARGV[1], 'version', 1)
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
""")

_CHANGE: Final = Script("""
-- KEYS party; ARGV version read, members (empty: the party ends), ticket, keep ms, channel
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then
  redis.call('DEL', KEYS[1])
else
  redis.call('HSET', KEYS[1], 'members', ARGV[2], 'ticket', ARGV[3])
  redis.call('HINCRBY', KEYS[1], 'version', 1)
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
redis.call('SPUBLISH', ARGV[5], ARGV[1])
return 1
""")

_FORGET: Final = Script("""
-- KEYS a member's party; ARGV code
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
""")


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """A party as it stands."""

    code: str
    members: tuple[Member, ...]
    """The first one leads."""
    ticket: str = ""
    version: int = 1

    def has(self, player: str) -> bool:
        """Whether the player is in it."""
        return any(member.player == player for member in self.members)

    @property
    def leader(self) -> str:
        """Who leads it."""
        return self.members[0].player


class Parties:
    """The keys of every party."""

    def __init__(self, batch: Batch, keys: Keys, *, keep_ms: int) -> None:
        self._batch = batch
        self._keys = keys
        self._keep_ms = keep_ms

    def moved(self, code: str) -> str:
        """The channel on which a party's changes are told."""
        return self._keys.party_moved(code)

    async def of(self, player: str) -> Party | None:
        """The player's party; None where there is none."""
        code = await self._batch.call("GET", self._keys.player_party(player))
        party = await self._party(code.decode()) if code else None
        return party if party is not None and party.has(player) else None

    async def create(self, member: Member) -> Party:
        """The party that the player leads, begun now where there is none.

        Raises PLAYER_BUSY for a member of another's.
        """
        party = await self.of(member.player)
        if party is not None:
            if party.leader != member.player:
                raise _busy(party, member.player)
            return party
        for _ in range(_TRIES):
            code = "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))
            encoded = msgspec.json.encode((member,))
            if await _CREATE(self._batch, [self._keys.party(code)], [encoded, self._keep_ms]):
                await self._remember(member.player, code)
                return Party(code=code, members=(member,))
        raise ServiceError(ErrorReason.ERROR_REASON_OVERLOADED, "no free code was found")

    async def join(self, code: str, member: Member) -> Party:
        """The party with this code, with the player in it.

        Raises PARTY_NOT_FOUND, PARTY_FULL, or PLAYER_BUSY for a member of another one.
        """
        code = code.upper()
        mine = await self.of(member.player)
        if mine is not None and mine.code != code:
            raise _busy(mine, member.player)
        while True:
            party = await self._party(code)
            if party is None:
                raise no_party()
            if not party.has(member.player):
                if len(party.members) >= MOST_MEMBERS:
                    raise ServiceError(
                        ErrorReason.ERROR_REASON_PARTY_FULL, f"{MOST_MEMBERS} members at most"
                    )
                changed = await self._change(party, (*party.members, member), party.ticket)
                if changed is None:
                    continue
                party = changed
            await self._remember(member.player, code)
            return party

    async def leave(self, player: str, member: str) -> Party:
        """The party without `member`, as `player` asks; without members where it has ended.

        Its ticket is still the one that it had. Raises PARTY_NOT_FOUND, or NOT_PARTY_LEADER where
        `player` may not take `member` out.
        """
        while True:
            party = await self.of(player)
            if party is None or not party.has(member):
                raise no_party()
            if player not in (member, party.leader):
                raise not_leader()
            rest = tuple(each for each in party.members if each.player != member)
            changed = await self._change(party, rest, party.ticket)
            if changed is not None:
                await _FORGET(self._batch, [self._keys.player_party(member)], [party.code])
                return changed

    async def led_by(self, player: str, code: str) -> Party:
        """The party with this code, if the player leads it.

        Raises PARTY_NOT_FOUND where the player is not even in it: who guesses codes learns nothing.
        """
        party = await self._party(code.upper())
        if party is None or not party.has(player):
            raise no_party()
        if party.leader != player:
            raise not_leader()
        return party

    async def take_ticket(self, party: Party, ticket: str) -> bool:
        """Notes the ticket of all of them; False where the party has changed meanwhile."""
        return await self._change(party, party.members, ticket) is not None

    async def keep(self, player: str, code: str) -> None:
        """Keeps the party, and the player in it, for another while: somebody looks at it."""
        for key in (self._keys.party(code), self._keys.player_party(player)):
            await self._batch.call("PEXPIRE", key, self._keep_ms)

    async def _party(self, code: str) -> Party | None:
        if not is_code(code):
            return None
        members, version, ticket = await self._batch.call(
            "HMGET", self._keys.party(code), "members", "version", "ticket"
        )
        if members is None:
            return None
        return Party(
            code=code,
            members=members_of(members),
            ticket=ticket.decode() if ticket else "",
            version=int(version),
        )

    async def _change(self, party: Party, members: tuple[Member, ...], ticket: str) -> Party | None:
        """The party with these members and this ticket; None where it has changed meanwhile."""
        args: list[Any] = [
            *(party.version, msgspec.json.encode(members) if members else ""),
            *(ticket, self._keep_ms, self.moved(party.code)),
        ]
        if not await _CHANGE(self._batch, [self._keys.party(party.code)], args):
            return None
        return Party(code=party.code, members=members, ticket=ticket, version=party.version + 1)

    async def _remember(self, player: str, code: str) -> None:
        await self._batch.call("SET", self._keys.player_party(player), code, "PX", self._keep_ms)


def is_code(text: str) -> bool:
    """Whether `text` has the shape of a party's code.

    >>> is_code("K7WM3P"), is_code("K7WM30")
    (True, False)
    """
    return len(text) == CODE_LENGTH and all(letter in ALPHABET for letter in text)


def no_party() -> ServiceError:
    """The refusal where there is no such party, or none of the player."""
    return ServiceError(ErrorReason.ERROR_REASON_PARTY_NOT_FOUND, "no such party")


def not_leader() -> ServiceError:
    """The refusal of what only the leader may do."""
    return ServiceError(ErrorReason.ERROR_REASON_NOT_PARTY_LEADER, "only the leader may do this")


def _busy(party: Party, player: str) -> ServiceError:
    return ServiceError(
        ErrorReason.ERROR_REASON_PLAYER_BUSY,
        "the player is in another party",
        place=f"party:{party.code}",
        player=player,
    )

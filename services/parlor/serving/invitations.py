"""Invitations to bots: engines and matchmaking write them, processes of bots take them.

An invitation is one free seat in one room. It is a wish and no promise: it grows stale within
seconds, and a process that dies with it has lost it. Whoever still has a free seat asks again.
"""

import enum
from dataclasses import dataclass

from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, Script

KEPT_MS = 10_000
"""How long an invitation that nobody takes stands."""
HERE_MS = 2_000
"""How long a process of bots counts as there since it last looked."""
PAUSE_MS = 3_000
"""How long a room has to wait before it may ask again."""
_MOST = 1_000

_SEND = Script("""
-- KEYS: bots are here, invitations, the room has asked
-- ARGV: request id, pause, kept for, most, invitation, how many
if redis.call('EXISTS', KEYS[1]) == 0 then return 'nobody' end
local asked = redis.call('GET', KEYS[3])
if asked == ARGV[1] then return 'sent' end
if asked then return 'again' end
redis.call('SET', KEYS[3], ARGV[1], 'PX', ARGV[2])
for _ = 1, tonumber(ARGV[6]) do redis.call('RPUSH', KEYS[2], ARGV[5]) end
redis.call('LTRIM', KEYS[2], -tonumber(ARGV[4]), -1)
redis.call('PEXPIRE', KEYS[2], ARGV[3])
return 'sent'
""")

_TAKE = Script("""
-- KEYS: bots are here, invitations. ARGV: here for, how many
redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
return redis.call('LPOP', KEYS[2], ARGV[2]) or {}
""")


class Sent(enum.Enum):
    """What came of asking."""

    SENT = "sent"
    """Also for a repeat of the same request."""
    NOBODY = "nobody"
    """No bot is free."""
    AGAIN = "again"
    """The room has asked a moment ago."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """One free seat."""

    room_id: str
    code: str = ""
    """Opens the room; empty where anybody may sit down, or the link's token opens it."""
    link_token: str = ""
    """Opens the room too; empty where it is not known."""


class Invitations:
    """The invitations of a deployment."""

    def __init__(self, batch: Batch, keys: Keys) -> None:
        self._batch = batch
        self._keys = keys

    async def send(self, invitation: Invitation, count: int, request_id: str) -> Sent:
        """Invites `count` bots."""
        keys = self._keys
        outcome = await _SEND(
            self._batch,
            [keys.bots_here(), keys.invitations(), keys.invited(invitation.room_id)],
            [
                request_id,
                PAUSE_MS,
                KEPT_MS,
                _MOST,
                f"{invitation.room_id} {invitation.code} {invitation.link_token}",
                count,
            ],
        )
        return Sent(outcome.decode())

    async def heard(self) -> bool:
        """Whether bots who are free have looked for invitations just now."""
        return bool(await self._batch.call("EXISTS", self._keys.bots_here()))

    async def take(self, most: int) -> list[Invitation]:
        """Up to `most` invitations, the oldest first, for bots who are free; says that they are there."""
        taken = await _TAKE(
            self._batch, [self._keys.bots_here(), self._keys.invitations()], [HERE_MS, most]
        )
        return [Invitation(*entry.decode().split(" ")) for entry in taken]

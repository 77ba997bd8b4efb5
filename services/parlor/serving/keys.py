"""Every Redis key that more than one service touches, and what a missing one means.

A room's id is `s<shard>-<kind>-<rest>`; all its keys carry the hash tag `{s<shard>}`, so that one
script touches one slot of a Redis Cluster.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

ROOM_ID = re.compile(r"s(\d{1,4})-([a-z]{1,16})-[0-9a-z]{6,40}")

FEED_LENGTH = 256
"""Entries that a room's feed keeps. A client further behind gets a view."""


def is_room_id(text: str) -> bool:
    """Whether `text` has the shape of a room's id.

    >>> is_room_id("s17-doudizhu-4t7k2m9q"), is_room_id("s17-doudizhu-{x}")
    (True, False)
    """
    return ROOM_ID.fullmatch(text) is not None


def shard_of(room_id: str) -> int:
    """The shard of a room; raises ValueError when `room_id` is none.

    >>> shard_of("s17-doudizhu-4t7k2m9q")
    17
    """
    return int(_parts(room_id)[1])


def kind_of(room_id: str) -> str:
    """The kind of game of a room; raises ValueError when `room_id` is none.

    >>> kind_of("s17-doudizhu-4t7k2m9q")
    'doudizhu'
    """
    return _parts(room_id)[2]


@dataclass(frozen=True, slots=True)
class Keys:
    """Names of keys behind the configured prefix."""

    prefix: str = ""

    # A room. All of them are gone when it is.

    def room(self, room_id: str) -> str:
        """Hash: version, token, due, record, state; `added`, what later releases know beyond the record, of its last
        step or of an earlier one; `chat`, once somebody has spoken; `answered:<player>`. Missing: there is no such
        room.
        """
        return f"{self._shard(room_id)}:room:{room_id}"

    def log(self, room_id: str, game_no: int) -> str:
        """Stream of one game's transitions, secret while it runs. Missing: it has not begun, or is
        archived.
        """
        return f"{self._shard(room_id)}:log:{room_id}:{game_no}"

    def feed(self, room_id: str) -> str:
        """Stream of the last entries, field `e`: a FeedItem. Missing: there is no such room."""
        return f"{self._shard(room_id)}:feed:{room_id}"

    def live(self, room_id: str) -> str:
        """Channel of FeedItems as they are committed."""
        return f"{self._shard(room_id)}:live:{room_id}"

    def chat(self, room_id: str) -> str:
        """List of the last lines of chat, newest first. Missing: nothing was said."""
        return f"{self._shard(room_id)}:chat:{room_id}"

    def timer(self, kind: str, room_id: str) -> str:
        """Exists while a deadline runs; its TTL is the room's earliest deadline."""
        return self.timer_prefix(shard_of(room_id), kind) + room_id

    def timer_prefix(self, shard: int, kind: str) -> str:
        """What the timer keys of a shard's rooms begin with."""
        return f"{self.prefix}{{s{shard}}}:timer:{kind}:"

    # A shard. `shard` is its number.

    def deadlines(self, shard: int, kind: str) -> str:
        """Sorted set: room by due time in ms. Missing: nothing is due in the shard, ever."""
        return f"{self.prefix}{{s{shard}}}:deadlines:{kind}"

    def presence(self, shard: int, kind: str) -> str:
        """Sorted set of leases: `<room>:<player>` until, in ms. Missing: nobody is connected."""
        return f"{self.prefix}{{s{shard}}}:presence:{kind}"

    def connections(self, shard: int, kind: str) -> str:
        """Hash beside `presence`: `<room>:<player>` to the number of the connection that holds it."""
        return f"{self.prefix}{{s{shard}}}:connections:{kind}"

    def owner(self, shard: int, kind: str) -> str:
        """Hash: replica, fence, until, beat, outages. Missing: nobody has looked after the shard yet."""
        return f"{self.prefix}{{s{shard}}}:owner:{kind}"

    def outages(self, shard: int, kind: str) -> str:
        """List of the last outages: `<number>:<start>:<end>`, oldest first. Missing: the shard has had none."""
        return f"{self.prefix}{{s{shard}}}:outages:{kind}"

    def finished(self, shard: int) -> str:
        """Stream of the shard's ended games that are not archived yet, the oldest first. Fields `game`, an encoded
        `FinishedGame`, and `token`, the one of its last step. Missing: all are archived.

        One per shard, for the step that ends a game writes it, and a script touches one slot only.
        """
        return f"{self.prefix}{{s{shard}}}:finished"

    # The deployment.

    def archive_owner(self) -> str:
        """String with a lease: the replica that archives now. Missing: none does."""
        return f"{self.prefix}archive:owner"

    def engines(self) -> str:
        """Hash: replica to its announcement, JSON. Missing: no engine runs."""
        return f"{self.prefix}engines"

    def gateways(self) -> str:
        """Sorted set: gateway, until when it takes clients, in ms. Missing: none does."""
        return f"{self.prefix}gateways"

    def maintenance(self) -> str:
        """String: the planned maintenance, JSON. Missing: none is planned."""
        return f"{self.prefix}maintenance"

    def code(self, code: str) -> str:
        """String: the room that the six digits open. Missing: none does."""
        return f"{self.prefix}code:{code}"

    def assets(self, tree: str) -> str:
        """Hash: the browser client's files of one release, by path. Missing: no gateway has it."""
        return f"{self.prefix}assets:{tree}"

    def player(self, player: str) -> str:
        """Hash: place, since, from, connection. Missing: the player is nowhere and has never connected."""
        return f"{self.prefix}{{u:{player}}}"

    def ratings(self, player: str) -> str:
        """Hash: ladder, such as `doudizhu-standard`, to the player's rating of all time on it; published
        by the archive. Missing, or a field missing: the player has not been rated there, or long ago.
        """
        return f"{self.prefix}{{u:{player}}}:ratings"

    def player_party(self, player: str) -> str:
        """String: the code of the player's party. Missing: the player is in none."""
        return f"{self.prefix}{{u:{player}}}:party"

    def party(self, code: str) -> str:
        """Hash: members, version, ticket. Missing: there is no such party."""
        return f"{self.prefix}{{y:{code}}}:party"

    def party_moved(self, code: str) -> str:
        """Channel on which a party's changes are told."""
        return f"{self.prefix}{{y:{code}}}:moved"

    def session(self, player: str) -> str:
        """Channel on which a new connection of a player gives its number; older ones then close."""
        return f"{self.prefix}{{u:{player}}}:session"

    def pool(self, pool: str, part: str) -> str:
        """A key of a matchmaking pool; see the matchmaking store."""
        return f"{self.prefix}{{p:{pool}}}:{part}"

    def ticket(self, ticket: str) -> str:
        """Hash: a ticket, whose id begins with its pool. Missing: it is forgotten, or was never made."""
        return self.pool(ticket.rpartition("-")[0], f"ticket:{ticket}")

    # Bots. One slot, for one script reads and writes them.

    def bots_here(self) -> str:
        """Exists while some process has bots that are free."""
        return f"{self.prefix}{{bots}}:here"

    def invitations(self) -> str:
        """List of invitations, oldest first. Missing: nobody asks for bots."""
        return f"{self.prefix}{{bots}}:invitations"

    def invited(self, room_id: str) -> str:
        """String: the request by which the room has asked for bots. Missing: not lately."""
        return f"{self.prefix}{{bots}}:invited:{room_id}"

    def timer_pattern(self, kind: str, db: int) -> str:
        """Pattern of the keyspace channels on which the timers of one kind expire."""
        return f"__keyspace@{db}__:{_escaped(self.prefix)}{{s*}}:timer:{kind}:*"

    # To find them all, across shards and pools.

    def deadlines_pattern(self) -> str:
        """Pattern of every `deadlines`."""
        return f"{_escaped(self.prefix)}{{s*}}:deadlines:*"

    def pools_pattern(self, part: str) -> str:
        """Pattern of one part of every pool."""
        return f"{_escaped(self.prefix)}{{p:*}}:{part}"

    def _shard(self, room_id: str) -> str:
        return f"{self.prefix}{{s{shard_of(room_id)}}}"


@lru_cache(maxsize=65_536)
def _parts(room_id: str) -> re.Match[str]:
    match = ROOM_ID.fullmatch(room_id)
    if match is None:
        raise ValueError(f"not a room id: {room_id[:80]!r}")
    return match


def _escaped(text: str) -> str:
    return re.sub(r"([*?\[\]\\^])", r"\\\1", text)

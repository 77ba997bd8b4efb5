"""What a ticket is, and a match of several.

Structs instead of dataclasses: frozen ones of these take a tenth of the time to make, and in a rush
every ticket is made anew with each of its steps.
"""

import secrets

import msgspec

WAITING = "waiting"
MATCHED = "matched"
ASSIGNED = "assigned"
CANCELLED = "cancelled"

ENDED = frozenset({ASSIGNED, CANCELLED})
"""States in which a ticket is in no queue and no match."""

_MOST_NAME = 64


class Member(msgspec.Struct, frozen=True, array_like=True):
    """A player on a ticket."""

    player: str
    name: str

    @classmethod
    def of(cls, player: str, name: str) -> "Member":
        """One whose name is cut to what fits a seat."""
        return cls(player, name[:_MOST_NAME])


class NewTicket(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket as it is asked for."""

    ticket: str
    members: tuple[Member, ...]
    """Its owner first."""
    rating: float
    request_id: str
    digest: str
    """Tells a repeat of the request from another one with the same id."""


class TicketRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A ticket as it stands."""

    ticket: str
    state: str
    members: tuple[Member, ...]
    since_ms: int
    rating: float
    ahead: int
    """How many wait longer; 0 where it does not wait."""
    room_id: str
    has_begun: bool
    """Whether the game that it led to has begun: it will not wait again."""
    request_id: str
    digest: str
    estimate_s: int | None
    """What those of its pool have waited who were matched last, up to whole seconds: what moved with
    every match would be told with every match. None where that is unknown.
    """

    @property
    def is_over(self) -> bool:
        """Whether it never waits again. An assigned ticket does where its table is dissolved."""
        return self.state == CANCELLED or self.has_begun

    def has(self, player: str) -> bool:
        """Whether the player is on it."""
        return any(member.player == player for member in self.members)


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """A table whose game runs and in which bots play: a late person may take the seat of one."""

    room_id: str
    link_token: str
    rating: float
    """The mean of those who were matched there."""


class MatchRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A match, from its proposal until its game has begun."""

    match: str
    tickets: tuple[str, ...]
    """By their wait."""
    bots: int = 0
    """Seats that are left to bots."""
    at_ms: int = 0
    """When it was proposed."""
    room_id: str = ""
    """Empty until the room is open."""
    link_token: str = ""
    """What lets bots into the room."""
    tries: int = 0
    """How often bots were asked to take the seats of those who did not come."""
    offer: Offer | None = None
    """Where its one player is to take a bot's seat, in place of a room of its own, until that is
    done or has failed. A release that does not know of it opens the room."""
    returning: tuple[str, ...] | None = None
    """Once the match is given up after its room was open: the tickets that go back to the queue."""


_PARTY = "p"


def new_ticket(pool: str, size: int = 1) -> str:
    """A fresh id; it names its pool, so that a player's place leads to the ticket, and says whether
    several are on it.
    """
    return f"{pool}-{_PARTY if size > 1 else ''}{secrets.token_hex(8)}"


def is_partys(ticket: str) -> bool:
    """Whether several are on a ticket."""
    return ticket.rpartition("-")[2].startswith(_PARTY)


def new_match() -> str:
    """A fresh id; the room's follows from it."""
    return f"m-{secrets.token_hex(12)}"


def pool_of(ticket: str) -> str:
    """The pool of a ticket; empty for what is no ticket.

    >>> pool_of("doudizhu-classic-a1b2-0123456789abcdef")
    'doudizhu-classic-a1b2'
    """
    return ticket.rpartition("-")[0]


_MEMBERS = msgspec.json.Decoder(tuple[Member, ...])
_RECORDS = msgspec.json.Decoder(MatchRecord)


def members_of(raw: bytes) -> tuple[Member, ...]:
    """The players on a ticket, as the store keeps them."""
    return _MEMBERS.decode(raw)


def record_of(raw: bytes) -> MatchRecord:
    """A match, as the store keeps it."""
    return _RECORDS.decode(raw)

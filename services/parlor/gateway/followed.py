"""A room that sessions here follow, and how its entries reach them.

Delivering is a plain loop: no task, no wait and no encoding per recipient. Whatever does not fit is
not settled there: the room is read again from its feed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from parlor.gateway.payload import Payload
from parlor.gateway.resume import Audience, Position, delivery_to, head_of, position_of
from parlor.gateway.traffic import fan_out
from parlor.serving import tracing
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.feed_pb2 import FeedEntry, FeedItem
from parlor.v1.room_pb2 import Position as PositionMessage


class Recipient(Protocol):
    """A session, as a room sees it."""

    @property
    def player(self) -> Player:
        """Who receives."""

    def send(self, payload: Payload) -> None:
        """Takes what goes to the client; never waits and never raises."""

    def seated(self, room_id: str, seat: Audience) -> None:
        """Learns where its player sits, whenever that was looked up."""

    def unfollowed(self, room_id: str) -> None:
        """Learns that the room is followed no more."""


class Follower:
    """One session's interest in one room."""

    __slots__ = ("audience", "held", "position", "recipient", "repair_after")

    def __init__(self, recipient: Recipient) -> None:
        self.recipient = recipient
        self.audience: Audience = None
        self.position: Position = (0, b"")
        self.held: list[FeedEntry | Payload] | None = []
        """What has come while the follower is brought up to date; None when it is."""
        self.repair_after = False
        """Whether messages may have been lost meanwhile."""

    @property
    def is_held(self) -> bool:
        """Whether it is being brought up to date."""
        return self.held is not None


class FollowedRoom:
    """The followers of one room."""

    def __init__(
        self,
        room_id: str,
        *,
        most_held: int,
        on_gap: Callable[["FollowedRoom", str], None],
        on_moved: Callable[["FollowedRoom", Follower], None],
        on_closed: Callable[["FollowedRoom"], None],
    ) -> None:
        self.room_id = room_id
        self.followers: dict[Recipient, Follower] = {}
        self.heard = True
        """Whether anything has come since the last look at the feed's end."""
        self.repairing = False
        self.repair_again = False
        self._most_held = most_held
        self._on_gap = on_gap
        self._on_moved = on_moved
        self._on_closed = on_closed

    def take(self, _channel: bytes, data: bytes) -> None:
        """Takes a message of the room's live channel."""
        self.heard = True
        item = FeedItem.FromString(data)
        match item.WhichOneof("item"):
            case "entry":
                fan_out.entries += 1
                followers = tuple(self.followers.values())
                with tracing.went_on(
                    "fan_out",
                    item.trace_parent,
                    "internal",
                    room=self.room_id,
                    followers=len(followers),
                ):
                    self.give(item.entry, followers)
                if item.entry.closed:
                    self._on_closed(self)
            case "chat":
                self._give_chat(Payload(item.chat))
            case _:
                # A newer release says something that this one does not know how to deliver.
                pass

    def give(self, entry: FeedEntry, followers: Iterable[Follower]) -> None:
        """Delivers an entry to each follower that is due it, and holds it for those being brought
        up to date.
        """
        payloads: dict[int, Payload] = {}
        by_audience: dict[Audience, _Due] = {}
        seats = {player: seat for seat, player in enumerate(entry.seating) if player}
        sent, gap = 0, False
        for follower in followers:
            if follower.held is not None:
                self._hold(follower, entry)
                continue
            audience = follower.audience
            if entry.seating_changed and seats.get(follower.recipient.player.player) != audience:
                self._on_moved(self, follower)
                continue
            due = by_audience.get(audience)
            if due is None:
                due = by_audience[audience] = _due(entry, audience, payloads)
            payload, before, position = due
            if payload is not None and _follows(follower.position, before):
                follower.recipient.send(payload)
                follower.position = position
                sent += 1
            elif position != follower.position:
                gap = True
        fan_out.recipients += sent
        if gap:
            self._on_gap(self, "number")

    def check(self, last: FeedEntry) -> None:
        """Compares the feed's last entry with where the followers stand: a message may have been
        lost.
        """
        for follower in self.followers.values():
            if (
                follower.held is None
                and position_of(head_of(last, follower.audience)) != follower.position
            ):
                self._on_gap(self, "silence")
                return

    def send_all(self, follower: Follower, entries: Sequence[FeedEntry]) -> None:
        """Gives a follower that has been brought up to `entries` what it has missed, then what was
        held above it.
        """
        held, follower.held = follower.held, None
        for entry in entries:
            self.give(entry, (follower,))
        for item in held or ():
            if isinstance(item, Payload):
                follower.recipient.send(item)
            elif follower.is_held:
                # A held entry moved the player to another seat: all that follows is held again.
                self._hold(follower, item)
            elif not _is_behind(item, follower):
                self.give(item, (follower,))
        if follower.repair_after and not follower.is_held:
            follower.repair_after = False
            self._on_gap(self, "reconnect")

    def head_for(self, recipient: Recipient) -> PositionMessage | None:
        """Where the room stands for one of its followers; None while it is brought up to date."""
        follower = self.followers.get(recipient)
        if follower is None or follower.held is not None:
            return None
        seq, token = follower.position
        return PositionMessage(room_id=self.room_id, seq=seq, token=token)

    def _give_chat(self, payload: Payload) -> None:
        for follower in tuple(self.followers.values()):
            if follower.held is None:
                follower.recipient.send(payload)
            else:
                self._hold(follower, payload)

    def _hold(self, follower: Follower, item: FeedEntry | Payload) -> None:
        held = follower.held
        if held is None:
            return
        if len(held) >= self._most_held:
            # The feed has all of them but the chat.
            held.clear()
            follower.repair_after = True
        held.append(item)


_Due = tuple[Payload | None, Position, Position]
"""What an audience gets of an entry, if anything, and where it stands before and afterwards."""


def _due(entry: FeedEntry, audience: Audience, payloads: dict[int, Payload]) -> _Due:
    """What the audience gets; all who get the same share one payload."""
    head = head_of(entry, audience)
    position = position_of(head)
    number = delivery_to(entry, audience)
    if number is None:
        return None, position, position
    delivery = entry.deliveries[number]
    payload = payloads.get(number)
    if payload is None:
        payload = payloads[number] = Payload(delivery.frame)
    return payload, (delivery.seq - 1, head.token_before), position


def _follows(position: Position, before: Position) -> bool:
    """Whether an entry goes on from `position`: at that number, and not after another step of that number."""
    return position[0] == before[0] and before[1] in (b"", position[1])


def _is_behind(entry: FeedEntry, follower: Follower) -> bool:
    """Whether the follower was already brought up to the entry, or beyond it."""
    position = position_of(head_of(entry, follower.audience))
    return position[0] < follower.position[0] or position == follower.position

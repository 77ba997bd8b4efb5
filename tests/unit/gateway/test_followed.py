"""From an entry to the followers it is for."""

import pytest

from parlor.gateway.followed import FollowedRoom, Follower
from parlor.gateway.payload import Payload
from parlor.gateway.resume import Audience
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.feed_pb2 import Delivery, FeedEntry, FeedItem, Head

ROOM = "s1-doudizhu-abcdefgh"


class Seen:
    """A recipient that remembers."""

    def __init__(self, player: str) -> None:
        self.player = Player(player=player)
        self.payloads: list[Payload] = []

    @property
    def frames(self) -> list[bytes]:
        return [payload.frame for payload in self.payloads]

    def send(self, payload: Payload) -> None:
        self.payloads.append(payload)

    def seated(self, room_id: str, seat: Audience) -> None: ...

    def unfollowed(self, room_id: str) -> None: ...


class Table:
    """A room with ann and bob in their seats and cat watching; all stand at number 1."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.room = FollowedRoom(
            ROOM,
            most_held=3,
            on_gap=lambda _room, cause: self.told.append(f"gap {cause}"),
            on_moved=lambda _room, who: self.told.append(f"moved {who.recipient.player.player}"),
            on_closed=lambda _room: self.told.append("closed"),
        )
        self.ann, self.bob, self.cat = Seen("ann"), Seen("bob"), Seen("cat")
        for recipient, audience in ((self.ann, 0), (self.bob, 1), (self.cat, None)):
            follower = self.room.followers[recipient] = Follower(recipient)
            follower.audience, follower.position, follower.held = audience, (1, b"a"), None

    def take(self, entry: FeedEntry) -> None:
        self.room.take(b"", FeedItem(entry=entry).SerializeToString())

    def frames(self) -> list[list[bytes]]:
        return [recipient.frames for recipient in (self.ann, self.bob, self.cat)]


def entry(seq: int, token: bytes = b"b", **changes: object) -> FeedEntry:
    """An entry of which everybody gets number `seq`: the seats together, spectators less."""
    made = FeedEntry(token=token, **changes)  # type: ignore[arg-type]
    made.seats.extend([Head(seq=seq, token=token)] * 2)
    made.spectators.CopyFrom(Head(seq=seq, token=token))
    made.deliveries.append(Delivery(seats=[0, 1], seq=seq, frame=b"seats%d" % seq))
    made.deliveries.append(Delivery(spectators=True, seq=seq, frame=b"watch%d" % seq))
    return made


def test_each_gets_what_its_audience_gets_and_what_is_the_same_is_made_once() -> None:
    table = Table()
    table.take(entry(2))
    assert table.frames() == [[b"seats2"], [b"seats2"], [b"watch2"]]
    assert table.ann.payloads[0] is table.bob.payloads[0]
    assert table.told == []


def test_an_entry_behind_a_step_that_was_taken_back_is_no_continuation() -> None:
    """A failover took number 1 back, and the message of the other number 1 was lost."""
    table = Table()
    after_another = entry(2)
    for head in (*after_another.seats, after_another.spectators):
        head.token_before = b"z"
    table.take(after_another)
    assert table.frames() == [[], [], []]
    assert table.told == ["gap number"]
    for head in (*after_another.seats, after_another.spectators):
        head.token_before = b"a"
    table.take(after_another)
    assert table.frames() == [[b"seats2"], [b"seats2"], [b"watch2"]]


def test_an_entry_that_brings_nothing_changes_nothing() -> None:
    table = Table()
    hidden = entry(2)
    del hidden.deliveries[:]
    hidden.deliveries.append(Delivery(seats=[1], seq=2, frame=b"bob only"))
    hidden.seats[0].CopyFrom(Head(seq=1, token=b"a"))
    hidden.spectators.CopyFrom(Head(seq=1, token=b"a"))
    table.take(hidden)
    assert table.frames() == [[], [b"bob only"], []]
    assert table.told == []


@pytest.mark.parametrize("seq", [3, 9])
def test_a_gap_in_the_numbers_is_not_delivered_but_repaired(seq: int) -> None:
    table = Table()
    table.take(entry(seq))
    assert table.frames() == [[], [], []]
    assert table.told == ["gap number"]


def test_the_same_number_of_another_life_is_a_gap() -> None:
    table = Table()
    table.take(entry(1, b"z"))
    assert (table.frames(), table.told) == ([[], [], []], ["gap number"])


def test_who_changed_seats_gets_nothing_of_the_entry() -> None:
    table = Table()
    table.take(entry(2, seating=["ann", "cat"], seating_changed=True))
    assert table.frames() == [[b"seats2"], [], []]
    assert table.told == ["moved bob", "moved cat"]


def test_what_comes_while_a_follower_is_brought_up_follows_what_it_missed() -> None:
    table = Table()
    follower = table.room.followers[table.ann]
    follower.held = []
    table.take(entry(2, b"b"))
    table.room.take(b"", FeedItem(chat=b"hello").SerializeToString())
    table.take(entry(3, b"c"))
    assert table.ann.frames == []
    table.room.send_all(follower, [entry(2, b"b")])
    assert table.ann.frames == [b"seats2", b"hello", b"seats3"]
    assert table.told == []


def test_too_much_held_is_read_again_instead() -> None:
    table = Table()
    follower = table.room.followers[table.ann]
    follower.held = []
    for seq in range(2, 7):
        table.take(entry(seq, b"%d" % seq))
    table.room.send_all(follower, [])
    assert "gap reconnect" in table.told


def test_the_last_entry_of_the_feed_shows_what_was_not_heard() -> None:
    table = Table()
    table.room.check(entry(1, b"a"))
    assert table.told == []
    table.room.check(entry(2))
    assert table.told == ["gap silence"]


def test_the_room_is_over_with_an_entry_that_says_so() -> None:
    table = Table()
    table.take(entry(2, closed=True))
    assert table.frames() == [[b"seats2"], [b"seats2"], [b"watch2"]]
    assert table.told == ["closed"]


def test_an_item_of_a_newer_release_is_passed_over() -> None:
    table = Table()
    table.room.take(b"", FeedItem().SerializeToString())
    assert (table.frames(), table.told) == ([[], [], []], [])

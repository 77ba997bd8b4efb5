"""The rooms of a session: asked for until they come."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from parlor.client import Refused
from parlor.client.rooms import Rooms
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import ClientFrame, Refusal, ServerFrame
from tests.unit.client.test_room import ROOM, Asked, first_view


class Gateway:
    """Refuses a room for some reasons, one after the other, and then shows it."""

    def __init__(self, *reasons: "ErrorReason.ValueType") -> None:
        self._reasons = list(reasons)
        self._tasks: set[asyncio.Task[None]] = set()
        self.asked = 0
        self.rooms = Rooms(Asked(), self._send, self._aside)

    async def _send(self, frame: ClientFrame) -> None:
        assert frame.watch.room_id == ROOM
        self.asked += 1
        if self._reasons:
            self.rooms.take_refusal(Refusal(reason=self._reasons.pop(0)))
        else:
            self.rooms.take(ServerFrame(view=first_view()))

    def _aside(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


async def test_a_room_that_cannot_be_shown_while_the_store_is_away_is_asked_for_again() -> None:
    gateway = Gateway(
        ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, ErrorReason.ERROR_REASON_NO_ENGINE
    )
    room = await gateway.rooms.watch(ROOM, "")
    assert (room.room_id, gateway.asked) == (ROOM, 3)


@pytest.mark.parametrize("reason", ["ROOM_NOT_FOUND", "TOO_FAST"])
async def test_whom_a_second_question_would_not_help_is_refused_at_once(reason: str) -> None:
    gateway = Gateway(ErrorReason.Value(f"ERROR_REASON_{reason}"))
    with pytest.raises(Refused, match=reason):
        await gateway.rooms.watch(ROOM, "")
    assert gateway.asked == 1


async def test_who_watches_a_private_room_finds_it_by_its_code() -> None:
    watched = first_view()
    watched.ClearField("seat")

    async def send(frame: ClientFrame) -> None:
        assert frame.watch.code == "123456"
        other = first_view(room_id=f"{ROOM}1", code="654321")
        rooms.take(ServerFrame(view=other))
        rooms.take(ServerFrame(view=watched))

    rooms = Rooms(Asked(), send, lambda work: work.close())
    rooms.take(ServerFrame(view=watched))
    assert await rooms.watch("", "123456") is rooms.followed[ROOM]


def followed(count: int) -> tuple[Rooms, list[ClientFrame]]:
    """Rooms that are followed, and what is sent from now on."""
    sent: list[ClientFrame] = []

    async def send(frame: ClientFrame) -> None:
        sent.append(frame)

    def at_once(work: Coroutine[Any, Any, None]) -> None:
        with pytest.raises(StopIteration):
            work.send(None)

    rooms = Rooms(Asked(), send, at_once)
    for number in range(count):
        rooms.take(ServerFrame(view=first_view(room_id=f"{ROOM}{number}")))
    return rooms, sent


def test_a_hello_names_no_more_rooms_than_it_may_and_the_others_are_asked_for() -> None:
    rooms, sent = followed(10)
    assert [position.room_id for position in rooms.positions] == [
        f"{ROOM}{number}" for number in range(2, 10)
    ]
    rooms.resumed()
    assert [frame.watch.room_id for frame in sent] == [f"{ROOM}0", f"{ROOM}1"]


async def test_a_view_that_comes_after_its_room_was_let_go_changes_nothing() -> None:
    rooms, sent = followed(1)
    (room_id,) = rooms.followed
    await rooms.unwatch(room_id)
    late = first_view(room_id=room_id)
    late.ClearField("seat")
    rooms.take(ServerFrame(view=late))
    assert not rooms.followed
    assert [frame.WhichOneof("frame") for frame in sent] == ["unwatch"]
    # A seat is something that a player has to know of.
    rooms.take(ServerFrame(view=first_view(room_id=room_id)))
    assert list(rooms.followed) == [room_id]

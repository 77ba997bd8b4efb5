"""Frames as a client receives them, and what the look for leaks says of them."""

from typing import Any

from parlor.cli.leaks import LeakCheck
from parlor.v1 import doudizhu_pb2, jinxian_pb2, planes_pb2
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import Event, GameConfig, RoomView

_EVENTS: dict[str, Any] = {
    "doudizhu": doudizhu_pb2.DouDizhuEvent,
    "jinxian": jinxian_pb2.JinxianEvent,
    "planes": planes_pb2.PlanesEvent,
}


def view(config: GameConfig, seat: int | None = 0, **fields: Any) -> ServerFrame:
    """A room's view; a game in it stands under its kind."""
    return ServerFrame(view=RoomView(seat=seat, config=config, **fields))


def entry(*events: Event) -> ServerFrame:
    return ServerFrame(entry=Entry(seq=1, events=events))


def happened(kind: str, **event: Any) -> ServerFrame:
    """A step with one event of a game."""
    return entry(Event(**{kind: _EVENTS[kind](**event)}))


def leaks(*frames: ServerFrame) -> int:
    check = LeakCheck()
    for frame in frames:
        check.hear(frame)
    return len(check.leaks)

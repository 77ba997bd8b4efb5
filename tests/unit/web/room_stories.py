"""Random lives of rooms as JSON, each step with the view that the Python client makes of it."""

from random import Random
from typing import Any

from google.protobuf.duration_pb2 import Duration
from google.protobuf.timestamp_pb2 import Timestamp

from parlor.client import folding
from parlor.gateway.json_out import writer
from parlor.v1.planes_pb2 import PlanesConfig, PlanesEvent
from parlor.v1.room_pb2 import (
    ChatLine,
    CloseReason,
    DissolveChanged,
    DissolveVote,
    Event,
    GameConfig,
    GameEnded,
    GameResult,
    GameStarted,
    HostChanged,
    OptionsChanged,
    ReadyOpened,
    RoomClosed,
    RoomOptions,
    RoomStatus,
    RoomView,
    SeatChanged,
    SeatView,
)

PLAYER = "ada"
_SEATS = 4
_STEPS = 60
_NAMES = ("", PLAYER, "bo", "cy")


def stories(count: int) -> list[dict[str, Any]]:
    """`[{"name", "player", "first", "steps": [{"event" or "chat", "after"}]}]`."""
    return [_story(Random(seed), f"room {seed}") for seed in range(count)]


def _story(chance: Random, name: str) -> dict[str, Any]:
    view = RoomView(
        room_id="s1-planes-a",
        seq=1,
        token=b"t",
        code="123456",
        config=GameConfig(planes=PlanesConfig()),
        seats=[SeatView() for _ in range(_SEATS)],
        status=RoomStatus.ROOM_STATUS_OPEN,
        commitment=b"c",
    )
    first = _json(view)
    steps = []
    for number in range(_STEPS):
        if chance.random() < 0.3:
            # Lines come twice after a reconnection.
            line = ChatLine(number=max(1, number - chance.randrange(3)), player="bo", text="hi")
            folding.add_chat(view, line)
            steps.append({"chat": _json(line), "after": _json(view)})
        else:
            event = _event(chance, number)
            folding.fold(view, event, PLAYER)
            steps.append({"event": _json(event), "after": _json(view)})
    return {"name": name, "player": PLAYER, "first": first, "steps": steps}


def _event(chance: Random, number: int) -> Event:
    instant = Timestamp(seconds=1_700_000_000 + number)
    seat = chance.randrange(_SEATS)
    vote = DissolveVote(proposer=seat, agreed=[seat], expire_time=instant)
    result = GameResult(game_no=number, reason="OUT", winners=[seat], scores=[1, -1], seed=b"s")
    closed = chance.choice((CloseReason.CLOSE_REASON_IDLE, CloseReason.CLOSE_REASON_FAULTED))
    config = GameConfig(planes=PlanesConfig(turn_limit=Duration(seconds=number + 1)))
    options = RoomOptions(spectators=chance.random() < 0.5, private=chance.random() < 0.5)
    content = SeatView(
        player=chance.choice(_NAMES),
        name="x",
        ready=chance.random() < 0.5,
        ready_time=instant if chance.random() < 0.5 else None,
    )
    events = (
        Event(seat_changed=SeatChanged(seat=seat, content=content)),
        Event(host_changed=HostChanged(host=seat)),
        Event(host_changed=HostChanged()),
        Event(ready_opened=ReadyOpened(commitment=b"d", ready_time=instant)),
        Event(ready_opened=ReadyOpened(commitment=b"e")),
        Event(game_started=GameStarted(game_no=number, commitment=b"f")),
        Event(game_ended=GameEnded(result=result)),
        Event(dissolve_changed=DissolveChanged(vote=vote)),
        Event(dissolve_changed=DissolveChanged()),
        Event(options_changed=OptionsChanged(config=config, options=options)),
        Event(room_closed=RoomClosed(reason=closed)),
        Event(planes=PlanesEvent()),
    )
    return chance.choice(events)


def _json(message: Any) -> Any:
    return writer(message.DESCRIPTOR)(message)

"""What the room's own events make of its view; the game's events are the game's to fold."""

from parlor.v1 import room_pb2
from parlor.v1.room_pb2 import CloseReason, Event, RoomStatus, RoomView

CHAT_LINES = 50
"""How many lines of chat a view keeps."""


def fold(view: RoomView, event: Event, player: str) -> None:
    """Brings `view` up to date with one event of the room, as `player` sees it.

    Game events leave it as it is.
    """
    match event.WhichOneof("event"):
        case "seat_changed":
            view.seats[event.seat_changed.seat].CopyFrom(event.seat_changed.content)
            _find_seat(view, player)
        case "host_changed":
            _set_host(view, event.host_changed)
        case "ready_opened":
            _open_ready(view, event.ready_opened)
        case "game_started":
            view.status = RoomStatus.ROOM_STATUS_PLAYING
            view.game_no = event.game_started.game_no
            view.commitment = event.game_started.commitment
            view.ClearField("ready_time")
        case "game_ended":
            view.status = RoomStatus.ROOM_STATUS_FINISHED
            view.result.CopyFrom(event.game_ended.result)
            view.ClearField("dissolve")
        case "dissolve_changed":
            view.ClearField("dissolve")
            if event.dissolve_changed.HasField("vote"):
                view.dissolve.CopyFrom(event.dissolve_changed.vote)
        case "options_changed":
            view.config.CopyFrom(event.options_changed.config)
            view.options.CopyFrom(event.options_changed.options)
        case "room_closed":
            view.ClearField("code")
            if event.room_closed.reason == CloseReason.CLOSE_REASON_FAULTED:
                view.status = RoomStatus.ROOM_STATUS_FAULTED


def add_chat(view: RoomView, line: room_pb2.ChatLine) -> None:
    """Adds a line of chat, and lets go of the oldest beyond `CHAT_LINES`."""
    if any(known.number == line.number for known in view.chat):
        return
    view.chat.append(line)
    del view.chat[:-CHAT_LINES]


def _set_host(view: RoomView, changed: room_pb2.HostChanged) -> None:
    view.ClearField("host")
    if changed.HasField("host"):
        view.host = changed.host


def _open_ready(view: RoomView, opened: room_pb2.ReadyOpened) -> None:
    for seat in view.seats:
        seat.ready = False
    view.commitment = opened.commitment
    view.ClearField("ready_time")
    if opened.HasField("ready_time"):
        view.ready_time.CopyFrom(opened.ready_time)


def _find_seat(view: RoomView, player: str) -> None:
    """The receiver's seat after seats have changed hands."""
    view.ClearField("seat")
    for index, seat in enumerate(view.seats):
        if seat.player == player:
            view.seat = index

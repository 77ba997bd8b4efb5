"""What a player has heard of a game: every step once, and whether any is missing."""

from parlor.cli.history import History
from parlor.cli.simulated import GAMES
from parlor.rules.planes.events import PresenceChanged
from parlor.v1 import planes_pb2, room_pb2
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import Event, RoomView


def started(seq: int) -> ServerFrame:
    begun = Event(game_started=room_pb2.GameStarted(game_no=1))
    return ServerFrame(entry=Entry(seq=seq, events=[begun]))


def step(seq: int) -> ServerFrame:
    changed = planes_pb2.PlanesPresenceChanged(seat=0, online=seq % 2 == 0)
    event = Event(planes=planes_pb2.PlanesEvent(presence_changed=changed))
    return ServerFrame(entry=Entry(seq=seq, events=[event]))


def heard(*frames: ServerFrame) -> History:
    history = History()
    for frame in frames:
        history.hear(frame)
    return history


def test_steps_that_come_again_or_late_count_once_and_in_their_order() -> None:
    history = heard(started(4), step(5), step(7), step(5), step(6), step(7))
    assert history.is_whole
    assert [event.online for event in history.events] == [False, True, False]
    assert all(isinstance(event, PresenceChanged) for event in history.events)


def test_a_game_begins_a_history_of_its_own() -> None:
    history = heard(step(2), started(3), step(4), started(5), step(6))
    assert (history.is_whole, len(history.events)) == (True, 1)


def test_what_was_heard_before_the_game_leaves_no_trace_even_under_the_same_number() -> None:
    history = heard(step(2), step(3), started(2), step(3), started(2))
    assert (history.is_whole, len(history.events)) == (True, 1)


def test_a_view_in_the_place_of_steps_leaves_a_gap() -> None:
    history = heard(started(1), step(2), ServerFrame(view=RoomView(seq=5)), step(6))
    assert not history.is_whole
    assert GAMES["jinxian"].record(None, 0, history) is None

"""What players noticed, from histories made by hand."""

from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import Event, GameStarted
from tests.chaos.faults import Fault
from tests.chaos.figures import AFTERMATH_MS, lateness, longest_silence, pauses
from tests.chaos.history import Dropped, GameLog, Happened, History, Line, Saw, Sent, Told


def sent(at: float, request_id: str) -> Sent:
    return Sent(at=at, request_id=request_id, room_id="s1-planes-r", game_no=1, seat=0, action=b"")


def moved(at: float, answered: float) -> History:
    told = Told(at=answered, request_id="a", accepted=True)
    return History("ann", [sent(at, "a"), told])


def saw(at: float, token: bytes, *events: Event) -> Saw:
    frame = ServerFrame(entry=Entry(room_id="r", seq=1, token=token, events=events))
    return Saw(at=at, connection=1, frame=frame.SerializeToString())


def test_a_pause_lasts_until_the_answer_that_stands_and_counts_where_a_fault_was_near() -> None:
    told = [
        Told(at=1_500, request_id="a", accepted=False, reason="NO_ENGINE", passing=True),
        Told(at=2_000, request_id="a", accepted=True),
    ]
    far: list[Happened] = [
        sent(90_000, "b"),
        Told(at=90_010, request_id="b", accepted=True),
    ]
    history = History("ann", [sent(1_000, "a"), *told, *far])
    assert pauses([history], [Fault("kill gateway", 500, 500)]).all == [1_000]
    assert pauses([history], []).all == []


def test_a_move_that_nobody_answered_has_waited_for_as_long_as_anybody_looked() -> None:
    fault, entry = Fault("kill gateway", 900, 900), saw(9_000, b"1")
    history = History("ann", [sent(1_000, "a"), entry])
    assert pauses([history], [fault]).all == [8_000]
    dropped = Dropped(at=4_000, request_id="a")
    history = History("ann", [sent(1_000, "a"), dropped, entry])
    assert pauses([history], [fault]).all == [3_000]


def test_the_death_of_an_engine_is_no_pause_of_another_game() -> None:
    history = History("ann", [sent(1_000, "a"), Told(at=2_000, request_id="a", accepted=True)])
    assert pauses([history], [Fault("kill engine planes", 500, 500)]).engine == [1_000]
    assert pauses([history], [Fault("kill engine jinxian", 500, 500)]) == pauses([history], [])


def test_a_take_over_while_redis_is_away_is_a_figure_of_its_own() -> None:
    history = moved(1_000, 6_000)
    engine, primary = Fault("kill engine planes", 900, 900), Fault("kill primary", 2_000, 5_000)
    stalled = Fault("stall engine planes", 2_000, 5_000)
    both, alone = pauses([history], [engine, primary]), pauses([history], [engine, stalled])
    assert (both.engine, both.engine_and_redis, both.redis) == ([], [5_000], [])
    assert (alone.engine, alone.engine_and_redis, alone.redis) == ([5_000], [], [])
    assert pauses([history], [primary]).redis == [5_000]


def test_a_move_meets_what_lasted_until_soon_before_it_or_began_before_its_answer() -> None:
    long, brief = Fault("stall gateway", 0, 8_000), Fault("kill gateway", 100, 100)
    soon, later = Fault("kill gateway", 11_900, 11_900), Fault("kill gateway", 12_000, 12_000)
    found = pauses([moved(10_000, 12_000)], [later, soon, brief, long])
    assert [pause.met for pause in found.each] == [(long, soon)]
    (told,) = found.longest(8)
    assert told.startswith("2000 ms from 10000, ann in ")
    assert told.endswith(": stall gateway -10000 to -2000, kill gateway 1900 to 1900")


def test_a_take_over_after_another_primary_serves_is_one_of_engines() -> None:
    primary = Fault("freeze primary", 2_000, 5_000)
    later = 5_000 + AFTERMATH_MS
    engine = Fault("kill engine planes", later, later)
    assert pauses([moved(later, later + 700)], [primary, engine]).engine == [700]


def test_the_time_in_which_its_own_client_did_not_read_is_no_wait_for_the_server() -> None:
    deaf = [
        Fault("stop reading", 500, 3_000, "ann"),
        Fault("vanish", 2_000, 5_000, "ann"),
        Fault("stop reading", 1_000, 6_000, "bob"),
    ]
    assert pauses([moved(1_000, 5_200)], deaf).all == [200]
    assert pauses([moved(1_000, 5_200)], deaf[2:]).all == []
    engine = Fault("kill engine planes", 1_500, 1_500)
    assert pauses([moved(1_000, 9_000)], [*deaf, engine]).engine == [4_000]


def test_a_clock_is_as_late_as_the_first_who_saw_it() -> None:
    line = Line(version=3, token=b"c", at=1_000, what="clock", seat=-1, body=b"")
    log = GameLog(room_id="r", game_no=1, lines=(line,), read_at=9_000)
    histories = [History("ann", [saw(1_250, b"c")]), History("bob", [saw(1_040, b"c")])]
    assert lateness(histories, [log], []) == [40]
    deaf = [Fault("stop reading", 900, 1_030, "bob")]
    assert lateness(histories, [log], deaf) == [250]
    assert lateness(histories, [log], [*deaf, Fault("vanish", 0, 1_000, "ann")]) == []


def test_silence_is_counted_while_a_game_runs() -> None:
    started = Event(game_started=GameStarted(game_no=1))
    ended = Event()
    ended.game_ended.result.game_no = 1
    seen: list[Happened] = [
        saw(0, b"1"),
        saw(9_000, b"2", started),
        saw(11_000, b"3"),
        saw(11_500, b"4", ended),
        saw(50_000, b"5"),
    ]
    silent = [History("ann", seen)]
    assert longest_silence(silent, []) == 2_000
    assert longest_silence(silent, [Fault("fall silent", 9_500, 10_000, "ann")]) == 500
    assert longest_silence(silent, [Fault("fall silent", 9_500, 10_000, "bob")]) == 2_000

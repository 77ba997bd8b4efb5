"""The checker finds nothing in a true game, and each kind of wrong that is done to its record."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
import pytest_asyncio
from redis import Redis

from parlor.serving.redis_server import RedisServer
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import RoomView
from tests.chaos.checker import Kind, check
from tests.chaos.checker.actions import check_actions
from tests.chaos.history import (
    Asked,
    Beat,
    Dropped,
    GameLog,
    Happened,
    History,
    Line,
    Saw,
    Sent,
    Stay,
    Told,
)
from tests.chaos.recorded import Recording, engine_of, recording

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def game(redis_server: RedisServer) -> Recording:
    """One game, played to its end; tests spoil copies of it."""
    with Redis.from_url(redis_server.url) as client:
        # What other tests of this worker have left, such as the seats of players with these names.
        client.flushall()
    async with engine_of(redis_server.url) as engine:
        played = await recording(engine)
        await played.play()
        verdict = await played.judged()
        assert verdict.findings == ()
        assert verdict.acknowledged > 10
        assert verdict.clocks >= 1
        return played


def spoiled_lines(game: Recording, spoil: Callable[[list[Line]], None]) -> set[Kind]:
    """What is found once the log is spoiled."""
    (log,) = game.logs
    lines = list(log.lines)
    spoil(lines)
    return check(game.histories, [replace(log, lines=tuple(lines))]).kinds


def copied(game: Recording) -> list[History]:
    return [replace(each, happened=list(each.happened)) for each in game.histories]


def spoiled_sights(game: Recording, seat: int, spoil: Callable[[ServerFrame], bool]) -> set[Kind]:
    """What is found once the first entry of the seat that `spoil` takes is as it left it."""
    histories = copied(game)
    happened = histories[seat].happened
    for index, item in enumerate(happened):
        if isinstance(item, Saw):
            frame = ServerFrame.FromString(item.frame)
            if frame.HasField("entry") and spoil(frame):
                happened[index] = replace(item, frame=frame.SerializeToString())
                return check(histories, game.logs).kinds
    raise AssertionError("nothing to spoil")


def acknowledged(history: History) -> Told:
    """The last move's answer."""
    moves = {item.request_id for item in history.happened if isinstance(item, Sent)}
    told = [item for item in history.happened if isinstance(item, Told) and item.accepted]
    return [item for item in told if item.request_id in moves][-1]


def nth(lines: list[Line], what: str) -> int:
    """Where the log's third move, or its first clock, is."""
    return [index for index, line in enumerate(lines) if line.what == what][2 * (what == "act")]


async def test_an_acknowledged_action_that_is_not_in_the_log_is_lost(game: Recording) -> None:
    def spoil(lines: list[Line]) -> None:
        del lines[nth(lines, "act")]

    assert Kind.LOST in spoiled_lines(game, spoil)


async def test_an_action_that_is_in_the_log_twice_is_doubled(game: Recording) -> None:
    def spoil(lines: list[Line]) -> None:
        at = nth(lines, "act")
        lines.insert(at + 1, replace(lines[at], token=b"another"))

    assert spoiled_lines(game, spoil) >= {Kind.DOUBLED, Kind.LOG}


async def test_an_action_that_nobody_sent_is_found(game: Recording) -> None:
    histories = copied(game)
    for history in histories:
        history.happened = [item for item in history.happened if isinstance(item, Saw)]
    assert Kind.DOUBLED in check(histories, game.logs).kinds


async def test_a_repeat_with_another_answer_is_doubled(game: Recording) -> None:
    histories = copied(game)
    told = acknowledged(histories[0])
    histories[0].happened.append(replace(told, seq=told.seq + 7))
    assert Kind.DOUBLED in check(histories, game.logs).kinds


async def test_a_repeat_that_is_refused_after_the_first_was_accepted_is_doubled(
    game: Recording,
) -> None:
    """As by an engine that has forgotten its answers."""
    histories = copied(game)
    told = acknowledged(histories[0])
    refused = replace(told, accepted=False, reason="NOT_AWAITED", seq=0)
    histories[0].happened.append(refused)
    assert check(histories, game.logs).kinds == {Kind.DOUBLED}
    histories[0].happened[-1] = replace(refused, passing=True)
    assert check(histories, game.logs).kinds == set()


async def test_a_move_that_was_refused_and_applied_is_lost(game: Recording) -> None:
    histories = copied(game)
    told = acknowledged(histories[0])
    refused = replace(told, accepted=False, reason="NOT_AWAITED", seq=0)
    at = histories[0].happened.index(told)
    histories[0].happened[at] = refused
    assert check(histories, game.logs).kinds == {Kind.LOST}
    # Of one that nobody answered, nobody knows.
    histories[0].happened[at] = replace(refused, passing=True)
    assert check(histories, game.logs).kinds == set()


async def test_actions_in_another_order_than_acknowledged_are_found(game: Recording) -> None:
    histories = copied(game)
    happened = histories[0].happened
    moves = {item.request_id for item in happened if isinstance(item, Sent)}
    told = [
        place
        for place, item in enumerate(happened)
        if isinstance(item, Told) and item.seq and item.request_id in moves
    ]
    first, second = told[0], told[1]
    one, two = happened[first], happened[second]
    assert isinstance(one, Told)
    assert isinstance(two, Told)
    happened[first], happened[second] = replace(one, seq=two.seq), replace(two, seq=one.seq)
    assert Kind.ORDER in check(histories, game.logs).kinds


async def test_moves_of_two_seats_in_another_order_than_acknowledged_are_found(
    game: Recording,
) -> None:
    """Nobody need have seen anything of them, as of the answers to a discard."""
    (log,) = game.logs
    lines = list(log.lines)
    acts = [place for place, line in enumerate(lines) if line.what == "act"]
    one, two = next(pair for pair in pairwise(acts) if lines[pair[0]].seat != lines[pair[1]].seat)
    # The same moves under each other's versions; what was seen is another check's.
    lines[one], lines[two] = (
        replace(lines[one], seat=lines[two].seat, body=lines[two].body),
        replace(lines[two], seat=lines[one].seat, body=lines[one].body),
    )
    _, findings = check_actions(game.histories, [replace(log, lines=tuple(lines))], {})
    (finding,) = findings
    assert finding.kind is Kind.ORDER
    assert "had been acknowledged" in finding.what
    assert check_actions(game.histories, game.logs, {})[1] == []


async def test_a_clock_without_a_line_is_found(game: Recording) -> None:
    def spoil(lines: list[Line]) -> None:
        del lines[nth(lines, "clock")]

    assert Kind.CLOCK in spoiled_lines(game, spoil)


async def test_a_clock_that_acts_before_it_is_due_is_found(game: Recording) -> None:
    def spoil(lines: list[Line]) -> None:
        at = nth(lines, "clock")
        lines[at] = replace(lines[at], at=lines[at - 1].at)

    assert Kind.CLOCK in spoiled_lines(game, spoil)


async def test_a_clock_that_is_dated_after_its_instant_is_found(game: Recording) -> None:
    (log,) = game.logs
    at = nth(list(log.lines), "clock")
    later = [replace(line, at=line.at + 30) for line in log.lines[at:]]
    verdict = check([], [replace(log, lines=(*log.lines[:at], *later))])
    found = [finding.what for finding in verdict.findings if finding.kind is Kind.CLOCK]
    assert any("dated 30 ms after" in what for what in found)


async def test_a_clock_that_acts_twice_is_found(game: Recording) -> None:
    def spoil(lines: list[Line]) -> None:
        at = nth(lines, "clock")
        again = replace(lines[at], token=b"another", version=lines[at].version + 1)
        lines[at + 1 :] = [
            again,
            *(replace(line, version=line.version + 1) for line in lines[at + 1 :]),
        ]

    assert Kind.CLOCK in spoiled_lines(game, spoil)


async def test_a_clock_that_never_acts_is_found(game: Recording) -> None:
    (log,) = game.logs
    cut = replace(log, lines=log.lines[:5], read_at=log.lines[4].at + 60_000)
    assert Kind.CLOCK in check([], [cut]).kinds


@pytest.mark.parametrize("seat", range(4))
async def test_an_entry_that_never_came_is_a_gap(game: Recording, seat: int) -> None:
    """Also for the spectator, who comes after the seats."""
    history = game.histories[seat]
    seen = [index for index, item in enumerate(history.happened) if isinstance(item, Saw)]
    happened = list(history.happened)
    del happened[seen[len(seen) // 2]]
    verdict = check([replace(history, happened=happened)], game.logs)
    assert Kind.SEQ in verdict.kinds


async def test_an_entry_that_came_again_is_found(game: Recording) -> None:
    history = game.histories[0]
    seen = [item for item in history.happened if isinstance(item, Saw)]
    verdict = check([History(history.player, [*history.happened, seen[-2]])], game.logs)
    assert Kind.SEQ in verdict.kinds


async def test_what_was_asked_for_again_may_come_again_once(game: Recording) -> None:
    """As to a client that did not read, and asked from where it stood."""
    history = game.histories[0]
    seen = [item for item in history.happened if isinstance(item, Saw)]
    *_, before, last = (ServerFrame.FromString(item.frame).entry for item in seen)
    ask = Asked(
        at=seen[-1].at, connection=seen[-1].connection, room_id=last.room_id, seq=before.seq
    )

    def is_found(*more: Happened) -> bool:
        spoiled = History(history.player, [*history.happened, *more])
        return Kind.SEQ in check([spoiled], game.logs).kinds

    assert not is_found(ask, seen[-1])
    assert is_found(ask, seen[-1], seen[-1])
    assert is_found(ask, seen[-2])
    assert is_found(replace(ask, connection=ask.connection + 1), seen[-1])


async def test_a_step_that_was_left_out_of_numbers_without_a_gap_is_found(game: Recording) -> None:
    """As where the server had numbered only what it delivered."""
    histories = copied(game)
    left_out, happened = 0, []
    for item in histories[0].happened:
        if isinstance(item, Saw):
            frame = ServerFrame.FromString(item.frame)
            if frame.entry.seq == 12:
                left_out = 1
                continue
            if frame.HasField("entry"):
                frame.entry.seq -= left_out
            item = replace(item, frame=frame.SerializeToString())
        happened.append(item)
    assert left_out
    histories[0].happened = happened
    assert Kind.SEQ in check(histories[:1], game.logs).kinds


@pytest.mark.parametrize("seat", [0, 3], ids=["seat", "spectator"])
async def test_another_hand_in_an_entry_is_a_leak(game: Recording, seat: int) -> None:
    def spoil(frame: ServerFrame) -> bool:
        for event in frame.entry.events:
            if event.doudizhu.HasField("dealt"):
                event.doudizhu.dealt.hands[2].cards.extend([0, 1, 2])
                return True
        return False

    assert Kind.LEAK in spoiled_sights(game, seat, spoil)


async def test_an_entry_without_content_is_a_leak(game: Recording) -> None:
    def spoil(frame: ServerFrame) -> bool:
        del frame.entry.events[:]
        return True

    assert Kind.LEAK in spoiled_sights(game, 1, spoil)


@pytest.mark.parametrize("seat", [0, 3], ids=["seat", "spectator"])
async def test_a_heartbeat_that_knows_of_more_than_was_shown_is_found(
    game: Recording, seat: int
) -> None:
    """As where it had the room's own number, which hidden steps move too."""
    frames = [
        ServerFrame.FromString(item.frame)
        for item in game.histories[seat].happened
        if isinstance(item, Saw)
    ]
    last = frames[-1].entry

    def beaten(seq: int, token: bytes) -> set[Kind]:
        histories = copied(game)
        beat = Beat(at=0.0, heads=((game.room_id, seq, token), ("s1-planes-another", 7, b"")))
        histories[seat].happened.append(beat)
        return check(histories, game.logs).kinds

    assert beaten(last.seq, last.token) == set()
    assert beaten(last.seq + 1, last.token) == {Kind.SEQ}
    assert beaten(last.seq, b"another") == {Kind.SEQ}


async def test_scores_that_do_not_follow_from_the_log_are_found(game: Recording) -> None:
    def spoil(frame: ServerFrame) -> bool:
        for event in frame.entry.events:
            if event.HasField("game_ended"):
                event.game_ended.result.scores[0] += 1
                return True
        return False

    assert spoiled_sights(game, 0, spoil) == {Kind.SCORE}


async def test_a_view_that_takes_back_what_was_seen_is_found(game: Recording) -> None:
    history = game.histories[0]
    view = ServerFrame()
    view.view.room_id, view.view.seat, view.view.seq = game.room_id, 0, 3
    saw = Saw(at=0.0, connection=2, frame=view.SerializeToString())
    verdict = check([History(history.player, [*history.happened, saw])], game.logs)
    assert Kind.SEQ in verdict.kinds
    view.view.rewound = True
    saw = replace(saw, frame=view.SerializeToString())
    verdict = check([History(history.player, [*history.happened, saw])], game.logs)
    assert Kind.REWOUND in verdict.kinds


async def test_a_table_that_stands_still_is_stuck(game: Recording) -> None:
    stay = Stay(table=1, room_id=game.room_id, finished=False, moved_at=1_000.0, ended_at=40_000.0)
    assert check([], [], [stay], last_fault=5_000.0).kinds == {Kind.STUCK}
    assert check([], [], [stay], last_fault=35_000.0).kinds == set()
    assert check([], [], [replace(stay, finished=True)]).kinds == set()


async def test_a_move_that_is_never_answered_is_stuck(game: Recording) -> None:
    """Whoever asks for it waits on, while others move."""
    histories = copied(game)
    told = acknowledged(histories[0])
    histories[0].happened.remove(told)
    later = told.at + 60_000
    stay = Stay(table=1, room_id=game.room_id, finished=True, moved_at=later, ended_at=later)
    assert check(histories, game.logs, [stay]).kinds == {Kind.STUCK}
    assert check(histories, game.logs, [stay], last_fault=later - 5_000).kinds == set()
    dropped = Dropped(at=told.at + 1_000, request_id=told.request_id)
    histories[0].happened.append(dropped)
    assert check(histories, game.logs, [stay]).kinds == set()
    histories[0].happened[-1] = replace(dropped, at=later)
    assert check(histories, game.logs, [stay]).kinds == {Kind.STUCK}


async def test_a_log_without_its_start_is_found(game: Recording) -> None:
    (log,) = game.logs
    headless = GameLog(room_id=log.room_id, game_no=1, lines=log.lines[1:], read_at=log.read_at)
    assert Kind.LOG in check([], [headless]).kinds


def with_a_lost_step(game: Recording, *, then: ServerFrame | None) -> list[History]:
    """The histories with a step in the first that is in no log, and `then` before the true one."""
    first, *others = game.histories
    happened: list[Happened] = []
    for item in first.happened:
        if isinstance(item, Saw):
            frame = ServerFrame.FromString(item.frame)
            if frame.entry.seq == 12:
                frame.entry.token = b"another"
                happened.append(replace(item, frame=frame.SerializeToString()))
                if then is None:
                    continue
                happened.append(replace(item, frame=then.SerializeToString()))
        happened.append(item)
    return [History(first.player, happened), *others]


async def test_after_a_failover_what_was_seen_may_be_taken_back(game: Recording) -> None:
    view = RoomView(room_id=game.room_id, seat=0, seq=11, rewound=True)
    histories = with_a_lost_step(game, then=ServerFrame(view=view))
    verdict = check(histories, game.logs, may_rewind=True)
    assert (verdict.rewound, verdict.findings) == (1, ())
    assert Kind.REWOUND in check(histories, game.logs).kinds


async def test_what_is_taken_back_without_a_word_is_found_after_a_failover_too(
    game: Recording,
) -> None:
    histories = with_a_lost_step(game, then=None)
    assert Kind.LOG in check(histories, game.logs, may_rewind=True).kinds

"""A followed room: what entries and views make of it, and what is noticed when something is missing."""

import hashlib
import random
from collections.abc import Iterator

from parlor.client import Room
from parlor.client.games import before, config_message
from parlor.rules.chance import Chance
from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.doudizhu.config import Config, RuleSet
from parlor.rules.doudizhu.legal import legal_actions
from parlor.rules.game import Seat
from parlor.v1 import room_pb2
from parlor.v1.play_pb2 import Answer, Chat, Command, Entry
from parlor.v1.room_pb2 import Event, RoomStatus, RoomView
from parlor.wire.catalog import WIRE

ROOM = "s1-doudizhu-abc123"
SEED = bytes(range(32))
COMMITMENT = hashlib.sha256(SEED).digest()


class Asked:
    """A session that notes what it is asked for."""

    player = "ada"

    def __init__(self) -> None:
        self.again: list[int] = []

    async def command(self, command: Command) -> Answer:
        raise AssertionError(f"nothing is to be sent: {command}")

    def ask_again(self, room: Room) -> None:
        self.again.append(room.view.seq)


def first_view(config: Config | None = None, **fields: object) -> RoomView:
    view = RoomView(
        room_id=ROOM,
        seat=0,
        config=config_message("doudizhu", config or Config()),
        seats=[room_pb2.SeatView(player=player, name=player) for player in ("ada", "bob", "cyd")],
        status=RoomStatus.ROOM_STATUS_OPEN,
        commitment=COMMITMENT,
    )
    view.MergeFrom(RoomView(**fields))  # type: ignore[arg-type]
    return view


def entry(seq: int, *events: Event) -> Entry:
    return Entry(room_id=ROOM, seq=seq, token=bytes([seq % 256]), events=events)


def started(game_no: int = 1) -> Event:
    started = room_pb2.GameStarted(game_no=game_no, commitment=COMMITMENT)
    return Event(game_started=started)


def ended(seed: bytes, game_no: int = 1) -> Event:
    result = room_pb2.GameResult(game_no=game_no, reason="OUT", winners=[1], seed=seed)
    return Event(game_ended=room_pb2.GameEnded(result=result))


def said(number: int) -> Chat:
    return Chat(room_id=ROOM, line=room_pb2.ChatLine(number=number, player="bob", text="hi"))


def seat_changed(seat: int, player: str) -> Event:
    content = room_pb2.SeatView(player=player, name=player)
    return Event(seat_changed=room_pb2.SeatChanged(seat=seat, content=content))


def game_steps(config: Config, seat: Seat, chance: random.Random) -> Iterator[tuple[object, Entry]]:
    """A game by random moves: what the seat's view should be, and the entry that leads there."""
    transition = DOUDIZHU.initial(config, Chance(seed=SEED, entropy=b""), 1_000)
    happened = [started()]
    seq = 0
    while True:
        for event in transition.events:
            seen = DOUDIZHU.observe(event, seat)
            if seen is not None:
                happened.append(Event(doudizhu=WIRE["doudizhu"].event_to(seen)))
        state = transition.state
        if happened:
            seq += 1
            yield DOUDIZHU.view(state, seat), entry(seq, *happened)
            happened = []
        if DOUDIZHU.outcome(state) is not None:
            return
        views = [DOUDIZHU.view(state, Seat(number)) for number in range(3)]
        asked = next(view for view in views if view.prompt is not None)
        assert asked.prompt is not None
        assert asked.seat is not None
        answers = [a for a in legal_actions(asked) if a.decision == asked.prompt.decision]
        transition = DOUDIZHU.apply(state, Seat(asked.seat), chance.choice(answers), 1_000)


def test_the_game_folded_from_its_first_event_is_the_view_that_the_rules_give() -> None:
    for number in range(12):
        rule_set = RuleSet.CLASSIC if number % 2 else RuleSet.STANDARD
        config = Config(rule_set=rule_set, doubling=number % 3 == 0, surrender=False)
        seat = Seat(number % 3)
        room = Room(Asked(), first_view(config, seat=seat))
        for expected, step in game_steps(config, seat, random.Random(number)):
            room.take_entry(step)
            assert room.game_view == expected
        assert (room.counts.gaps, room.counts.duplicates) == (0, 0)


def test_a_spectator_of_a_new_game_sees_no_hands() -> None:
    view = first_view()
    view.ClearField("seat")
    assert before(view).seat is None


def test_a_missing_entry_is_counted_once_and_asked_for() -> None:
    session = Asked()
    room = Room(session, first_view(seq=4))
    room.take_entry(entry(6, seat_changed(1, "dan")))
    room.take_entry(entry(7, seat_changed(1, "eve")))
    assert (room.counts.gaps, session.again, room.view.seats[1].player) == (1, [4], "bob")
    for seq in (5, 6, 7):
        room.take_entry(entry(seq, seat_changed(1, f"p{seq}")))
    assert (room.counts.gaps, room.counts.duplicates, room.view.seats[1].player) == (1, 0, "p7")


def test_an_entry_that_comes_again_changes_nothing() -> None:
    room = Room(Asked(), first_view())
    room.take_entry(entry(1, seat_changed(1, "dan")))
    room.take_entry(entry(1, seat_changed(1, "eve")))
    assert (room.counts.duplicates, room.view.seats[1].player) == (1, "dan")


def test_an_older_view_is_taken_only_when_the_store_went_back() -> None:
    room = Room(Asked(), first_view(seq=9))
    room.take_view(first_view(seq=8, code="111111"))
    assert (room.view.code, room.view.seq, room.counts.duplicates) == ("", 9, 1)
    room.take_view(first_view(seq=8, code="222222", rewound=True))
    assert (room.view.code, room.view.seq, room.counts.rewound) == ("222222", 8, 1)


def test_another_audience_counts_from_its_own_number() -> None:
    view = first_view(seq=9)
    view.ClearField("seat")
    room = Room(Asked(), view)
    room.take_view(first_view(seq=2))
    assert (room.seat, room.view.seq, room.counts.duplicates) == (0, 2, 0)


def test_a_seed_that_is_not_the_promised_one_is_noticed() -> None:
    for seed, mismatches in ((SEED, 0), (bytes(32), 1)):
        room = Room(Asked(), first_view())
        room.take_entry(entry(1, started()))
        room.take_entry(entry(2, ended(seed)))
        assert room.counts.mismatches == mismatches


def test_a_commitment_that_changes_before_the_deal_is_noticed() -> None:
    room = Room(Asked(), first_view(commitment=bytes(32)))
    room.take_entry(entry(1, started()))
    assert room.counts.mismatches == 1


def test_a_room_goes_from_open_to_playing_to_finished_to_ready() -> None:
    view = first_view()
    view.seats[0].ready = True
    room = Room(Asked(), view)
    room.take_entry(entry(1, started()))
    assert (room.view.status, room.view.game_no) == (RoomStatus.ROOM_STATUS_PLAYING, 1)
    opened = room_pb2.ReadyOpened(commitment=bytes(32))
    opened.ready_time.FromMilliseconds(5_000)
    room.take_entry(entry(2, ended(SEED), Event(ready_opened=opened)))
    assert room.view.status == RoomStatus.ROOM_STATUS_FINISHED
    assert room.view.result.reason == "OUT"
    assert not room.view.seats[0].ready
    assert room.view.ready_time.ToMilliseconds() == 5_000
    assert room.view.commitment == bytes(32)


def test_a_seat_that_changes_hands_may_be_ones_own() -> None:
    room = Room(Asked(), first_view())
    room.take_entry(entry(1, seat_changed(0, "bob"), seat_changed(1, "ada")))
    assert room.seat == 1


def test_the_last_fifty_lines_of_chat_are_kept_each_once() -> None:
    room = Room(Asked(), first_view())
    for number in (1, *range(1, 61)):
        room.take_chat(said(number))
    assert [line.number for line in room.view.chat] == list(range(11, 61))


async def test_changes_that_come_fast_are_given_as_one() -> None:
    room = Room(Asked(), first_view())
    changes = room.changes()
    assert (await anext(changes)).entries == ()
    for seq in (1, 2, 3):
        room.take_entry(entry(seq, seat_changed(1, f"p{seq}")))
    assert [step.seq for step in (await anext(changes)).entries] == [1, 2, 3]
    closed = Event(room_closed=room_pb2.RoomClosed())
    room.take_entry(entry(4, closed))
    assert [step.seq for step in (await anext(changes)).entries] == [4]
    assert [change async for change in changes] == []

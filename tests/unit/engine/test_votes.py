"""The vote on ending a game: whom it waits for, and what silence means by the rules of each game."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from parlor.engine import room_clocks, turns
from parlor.engine.commands import carried_out
from parlor.engine.host import Host
from parlor.engine.record import Head, Room, RoomRecord, SeatRecord, Status
from parlor.engine.step import Step
from parlor.rules.catalog import GAMES
from parlor.v1 import play_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.room_pb2 import GameConfig
from parlor.wire.catalog import WIRE

AT = 1_764_000_000_000
NAMES = ("ann", "bob", "cat", "dan")


def host(kind: str) -> Host:
    return Host(game=GAMES[kind], wire=WIRE[kind])


def playing(kind: str, *, offline: Sequence[str] = (), bots: Sequence[str] = ()) -> Room:
    """A table whose game has begun."""
    config = GAMES[kind].config_type()
    names = NAMES[: GAMES[kind].seats(config)]
    record = RoomRecord(
        room_id=f"s0-{kind}-aaaaaa",
        kind=kind,
        rules=1,
        config=GameConfig(**{kind: WIRE[kind].config_to(config)}).SerializeToString(),
        seats=tuple(
            SeatRecord(player=name, online=name not in offline, bot=name in bots) for name in names
        ),
        heads=(Head(),) * (len(names) + 1),
        seed=b"s" * 32,
    )
    return turns.start(host(kind), Step(room=Room(record=record)), AT).room


def voted(room: Room, player: str, *, agree: bool = True) -> Room:
    command = play_pb2.Command(dissolve=play_pb2.Dissolve(agree=agree))
    who = Player(player=player)
    return carried_out(host(room.record.kind), room, who, command, AT + 1).room


def left(room: Room, player: str) -> Room:
    command = play_pb2.Command(leave=play_pb2.Leave())
    served = host(room.record.kind)
    return carried_out(served, room, Player(player=player), command, AT + 2).room


def out_of_time(room: Room) -> Room:
    """The room when the vote's limit, the earliest that runs, is over."""
    served, vote = host(room.record.kind), room.record.vote
    assert vote is not None
    return room_clocks.run_out(served, room, room_clocks.Due(vote.due, "vote")).room


def reason(room: Room) -> str | None:
    return room.record.result.reason if room.record.result else None


def test_a_vote_runs_for_a_minute() -> None:
    vote = voted(playing("jinxian"), "ann").record.vote
    assert vote is not None
    assert vote.due == AT + 1 + 60_000


def test_in_jinxian_who_does_not_answer_agrees() -> None:
    room = out_of_time(voted(playing("jinxian"), "ann"))
    assert (room.record.status, reason(room)) == (Status.FINISHED, "DISSOLVED")


@pytest.mark.parametrize("kind", ["doudizhu", "planes"])
def test_in_the_other_games_who_does_not_answer_plays_on(kind: str) -> None:
    room = out_of_time(voted(playing(kind), "ann"))
    assert (room.record.status, room.record.vote) == (Status.PLAYING, None)


@pytest.mark.parametrize("kind", ["doudizhu", "jinxian", "planes"])
def test_one_refusal_ends_the_vote(kind: str) -> None:
    room = voted(voted(playing(kind), "ann"), "bob", agree=False)
    assert (room.record.status, room.record.vote) == (Status.PLAYING, None)


def test_in_jinxian_nobody_waits_for_who_is_offline() -> None:
    room = voted(voted(playing("jinxian", offline=["dan"]), "ann"), "bob")
    assert room.record.status is Status.PLAYING
    assert reason(voted(room, "cat")) == "DISSOLVED"


def test_in_the_other_games_who_is_offline_is_asked_too() -> None:
    room = voted(playing("planes", offline=["bob"]), "ann")
    assert room.record.status is Status.PLAYING
    assert reason(voted(room, "bob")) == "DISSOLVED"


@pytest.mark.parametrize("kind", ["doudizhu", "jinxian", "planes"])
def test_nobody_waits_for_bots_and_for_who_has_left(kind: str) -> None:
    room = playing(kind, bots=NAMES[2:])
    gone = replace(room.record.seats[1], left=True, online=False)
    assert reason(voted(room.with_seat(1, gone), "ann")) == "DISSOLVED"


def test_a_vote_is_over_when_the_last_one_it_waits_for_leaves() -> None:
    room = left(voted(voted(playing("doudizhu"), "ann"), "bob"), "cat")
    assert room_clocks.earliest(host("doudizhu"), room) == room_clocks.Due(AT + 2, "vote")
    assert reason(out_of_time(room)) == "DISSOLVED"


def test_a_vote_goes_on_while_somebody_else_has_not_answered() -> None:
    room = left(voted(playing("doudizhu"), "ann"), "cat")
    assert room.record.vote is not None
    assert room.record.vote.due == AT + 1 + 60_000
    assert reason(voted(room, "bob")) == "DISSOLVED"


def test_a_vote_of_players_who_have_all_left_is_not_carried() -> None:
    room = voted(playing("doudizhu"), "ann")
    for name in ("ann", "bob", "cat"):
        room = left(room, name)
    assert (room.record.status, reason(out_of_time(room))) == (Status.PLAYING, None)

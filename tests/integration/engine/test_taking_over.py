"""A person takes a bot's seat while the game runs: whose it is then, who may, and what is told of it."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from parlor.serving.keys import shard_of
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import (
    CallRequest,
    EngineRequest,
    Look,
    Player,
    ReplayRequest,
)
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.finished_pb2 import FinishedGame
from parlor.v1.play_pb2 import Dissolve, Join, Leave, Ready
from parlor.v1.room_pb2 import Event, RoomOptions
from tests.integration.engine.support import KEYS, Guest, Replica, config, feed, replica, version

ANN = Player(player="ann", name="Ann")
BOTS = [Player(player=f"bot{n}", name="Bot", bot=True) for n in (1, 2)]


async def with_bots(engine: Replica, **fields: Any) -> list[Guest]:
    """Ann and two bots, whose game has begun."""
    room_id = await engine.open(players=[ANN, *BOTS], config=config(bid_limit="60s"), **fields)
    guests = [Guest(name, room_id, engine) for name in ("ann", "bot1", "bot2")]
    for guest in guests:
        await guest.online(1)
        await guest.accepted(ready=Ready(ready=True, entropy=guest.name.encode()))
    return guests


@pytest.fixture
async def table(engine: Replica) -> list[Guest]:
    """Ann and two bots in a room that anybody may enter."""
    return await with_bots(engine)


@pytest.fixture
async def other(redis_url: str) -> AsyncIterator[Replica]:
    """Another replica on the same Redis."""
    async with replica(redis_url) as running:
        yield running


async def test_the_seat_is_taken_as_it_stands_and_everybody_is_told(
    engine: Replica, table: list[Guest], batch: Batch
) -> None:
    ann, bot, _ = table
    dan = Guest("dan", ann.room_id, engine)
    hands = (await bot.look()).doudizhu.hands
    before = await ann.look()
    accepted = await dan.accepted(join=Join())
    assert accepted.seat == 1
    view = await dan.look()
    assert (view.seat, view.doudizhu.hands) == (1, hands)
    after = await ann.look()
    # What is asked, of whom and until when, and what the game was dealt from: all is as it was.
    assert after.doudizhu == before.doudizhu
    assert after.seats[1] == room_pb2.SeatView(player="dan", name="Dan", ready=True)
    (entry,) = (await feed(engine, ann.room_id))[-1:]
    assert list(entry.seating) == ["ann", "dan", "bot2"]
    (delivery,) = entry.deliveries
    assert (list(delivery.seats), delivery.spectators) == ([0, 1, 2], True)
    told = play_pb2.ServerFrame.FromString(delivery.frame).entry
    assert list(told.events) == [
        Event(seat_changed=room_pb2.SeatChanged(seat=1, content=after.seats[1]))
    ]
    assert [await Players(batch, KEYS).place(name) for name in ("bot1", "dan")] == [
        "",
        f"room:{ann.room_id}",
    ]


async def test_the_bot_that_sat_there_sees_and_asks_nothing_more(
    engine: Replica, table: list[Guest]
) -> None:
    ann, bot, _ = table
    await Guest("dan", ann.room_id, engine).accepted(join=Join(seat=1))
    at = await version(engine, ann.room_id)
    assert await bot.refused(leave=Leave()) == "NOT_SEATED"
    answer = await bot.online(1, online=False)
    assert answer.WhichOneof("result") == "done"
    looked = (await engine.call("bot1", look=Look(room_id=ann.room_id))).refused
    assert looked.reason == ErrorReason.ERROR_REASON_NO_SPECTATORS
    assert await version(engine, ann.room_id) == at


async def test_a_seat_that_the_server_played_is_the_persons_again_once_they_are_there(
    engine: Replica, table: list[Guest]
) -> None:
    ann, bot, _ = table
    await bot.online(1, online=False)
    await bot.act(0, autoplay=True)
    dan = Guest("dan", ann.room_id, engine)
    await dan.accepted(join=Join(seat=1))
    assert (await dan.look()).doudizhu.table.autoplay.seats[1]
    await dan.online(7)
    view = await dan.look()
    assert view.seats[1].online
    assert not view.doudizhu.table.autoplay.seats[1]


async def test_two_people_reach_for_one_seat_and_one_has_it(
    engine: Replica, other: Replica, table: list[Guest], batch: Batch
) -> None:
    ann, *_ = table
    await Guest("cat", ann.room_id, engine).accepted(join=Join())
    dan, eve = Guest("dan", ann.room_id, engine), Guest("eve", ann.room_id, other)
    answers = await asyncio.gather(*(each.command(join=Join()) for each in (dan, eve)))
    assert sorted(str(answer.WhichOneof("result")) for answer in answers) == ["accepted", "refused"]
    winner, loser = (dan, eve) if answers[0].HasField("accepted") else (eve, dan)
    assert [seat.player for seat in (await ann.look()).seats] == ["ann", "cat", winner.name]
    players = Players(batch, KEYS)
    assert await players.place(winner.name) == f"room:{ann.room_id}"
    assert await players.place(loser.name) == ""


async def test_a_repeat_by_another_replica_gets_the_first_answer(
    engine: Replica, other: Replica, table: list[Guest]
) -> None:
    room_id = table[0].room_id
    dan = Guest("dan", room_id, engine)
    first = await dan.command(request_id="once", join=Join())
    at = await version(engine, room_id)
    dan.engine = other
    assert await dan.command(request_id="once", join=Join()) == first
    # And who has lost even the id of the request has the seat all the same.
    assert (await dan.accepted(join=Join())).seat == 1
    assert [seat.player for seat in (await dan.look()).seats] == ["ann", "dan", "bot2"]
    assert await version(engine, room_id) == at + 1


async def test_who_may_not_sit_down_is_refused_and_keeps_no_place(
    engine: Replica, batch: Batch
) -> None:
    ann, *_ = await with_bots(engine, options=RoomOptions(private=True))
    token = (await ann.look()).link_token
    dan, eve, bot = (Guest(name, ann.room_id, engine) for name in ("dan", "eve", "bot3"))
    assert await dan.refused(join=Join()) == "NOT_INVITED"
    assert await dan.refused(join=Join(seat=0, link_token=token)) == "SEAT_TAKEN"
    assert await dan.refused(join=Join(seat=9, link_token=token)) == "SEAT_TAKEN"
    robot = Player(player="bot3", name="Bot", bot=True)
    asked = play_pb2.Command(request_id="b", room_id=bot.room_id, join=Join(link_token=token))
    answer = await _as(engine, robot, asked)
    assert answer.refused.reason == ErrorReason.ERROR_REASON_WRONG_STATUS
    players = Players(batch, KEYS)
    assert [await players.place(name) for name in ("dan", "bot3")] == ["", ""]
    await dan.accepted(join=Join(link_token=token))
    await eve.accepted(join=Join(link_token=token))
    frank = Guest("frank", ann.room_id, engine)
    assert await frank.refused(join=Join(link_token=token)) == "WRONG_STATUS"


async def test_who_has_left_the_game_does_not_come_back_to_another_hand_of_it(
    engine: Replica, table: list[Guest]
) -> None:
    ann, *_ = table
    dan = Guest("dan", ann.room_id, engine)
    await dan.accepted(join=Join(seat=1))
    await dan.accepted(leave=Leave())
    assert await dan.refused(join=Join(seat=2)) == "WRONG_STATUS"
    await Guest("eve", ann.room_id, engine).accepted(join=Join())
    assert [seat.player for seat in (await ann.look()).seats] == ["ann", "dan", "eve"]


async def test_what_a_bot_agreed_to_its_successor_has_not(
    engine: Replica, table: list[Guest]
) -> None:
    ann, bot, _ = table
    await bot.accepted(dissolve=Dissolve(agree=True))
    assert list((await ann.look()).dissolve.agreed) == [1]
    dan = Guest("dan", ann.room_id, engine)
    await dan.accepted(join=Join(seat=1))
    assert not (await ann.look()).HasField("dissolve")
    await ann.accepted(dissolve=Dissolve(agree=True))
    assert (await ann.look()).status == room_pb2.ROOM_STATUS_PLAYING
    await dan.accepted(dissolve=Dissolve(agree=True))
    assert (await ann.look()).status == room_pb2.ROOM_STATUS_FINISHED


async def test_the_archive_is_told_who_played_a_bots_game_to_its_end(
    engine: Replica, table: list[Guest]
) -> None:
    ann, *_ = table
    dan = Guest("dan", ann.room_id, engine)
    await dan.accepted(join=Join(seat=1))
    for _ in range(2):
        for guest in (ann, dan):
            await guest.accepted(dissolve=Dissolve(agree=True))
        for guest in (ann, dan, table[2]):
            await guest.accepted(ready=Ready(ready=True))
    entries = await engine.redis.xrange(KEYS.finished(shard_of(ann.room_id)))
    first, second = [FinishedGame.FromString(fields[b"game"]) for _, fields in entries]
    assert [seat.player for seat in first.seats] == ["ann", "dan", "bot2"]
    assert [seat.bot for seat in first.seats] == [False, False, True]
    assert [seat.took_over for seat in first.seats] == [False, True, False]
    # The next game is all theirs.
    assert not any(seat.took_over for seat in second.seats)


async def test_a_replay_names_who_played_a_bots_game_to_its_end(
    engine: Replica, table: list[Guest]
) -> None:
    ann, bot, _ = table
    dan = Guest("dan", ann.room_id, engine)
    await dan.accepted(join=Join(seat=1))
    for guest in (ann, dan):
        await guest.accepted(dissolve=Dissolve(agree=True))
    # Long gone when somebody looks; and the next game has others.
    await dan.accepted(leave=Leave())
    await bot.accepted(join=Join())
    for guest in table:
        await guest.accepted(ready=Ready(ready=True))
    await ann.accepted(dissolve=Dissolve(agree=True))
    await bot.accepted(dissolve=Dissolve(agree=True))
    first, second = [await _sitters(engine, ann.room_id, game_no) for game_no in (1, 2)]
    assert first == [("ann", False), ("dan", False), ("bot2", True)]
    assert second == [("ann", False), ("bot1", False), ("bot2", True)]


async def _sitters(engine: Replica, room_id: str, game_no: int) -> list[tuple[str, bool]]:
    """Player and whether a bot, by seat, as a replay names them."""
    request = ReplayRequest(room_id=room_id, game_no=game_no)
    (start, *_) = [response.part async for response in engine.stub.Replay(request)]
    return [(seat.player, seat.bot) for seat in start.start.seats]


async def _as(engine: Replica, player: Player, command: play_pb2.Command) -> play_pb2.Answer:
    """The answer to a command of somebody who may be a bot."""
    request = CallRequest(request=EngineRequest(call_id=1, player=player, command=command))
    answer = (await engine.stub.Call(request)).answer
    return play_pb2.ServerFrame.FromString(answer.frame).answer

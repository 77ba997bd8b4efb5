"""Rooms by code and link: who gets in, and what their host does between games."""

import grpc
import pytest

from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.v1 import feed_pb2, play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import (
    AttendanceRequest,
    DisbandRoomRequest,
    EngineServiceOpenRoomRequest,
    OpenRoomsRequest,
    Player,
)
from parlor.v1.play_pb2 import Join, Kick, Ready, SetOptions, SwapSeats
from parlor.v1.room_pb2 import RoomOptions
from tests.integration.engine.support import (
    KEYS,
    Guest,
    Replica,
    config,
    feed,
    playing,
    seated,
    version,
)

ANN = Player(player="ann", name="Ann")


def opening(request_id: str, **fields: object) -> EngineServiceOpenRoomRequest:
    return EngineServiceOpenRoomRequest(
        request_id=request_id,
        opener="ann",
        config=config(),
        options=RoomOptions(private=True),
        **fields,  # type: ignore[arg-type]
    )


async def private(engine: Replica) -> play_pb2.RoomOpened:
    """A private room with Ann in it."""
    return (await engine.stub.OpenRoom(opening("r", players=[ANN]))).room


async def test_a_link_opens_a_private_room_and_a_guess_does_not(engine: Replica) -> None:
    room = await private(engine)
    assert len(room.link_token) >= 22
    bob, eve = (Guest(name, room.room_id, engine) for name in ("bob", "eve"))
    for guess in (Join(), Join(link_token=room.link_token[:-1]), Join(link_token=room.code)):
        assert await eve.refused(join=guess) == "NOT_INVITED"
    await bob.accepted(join=Join(link_token=room.link_token))
    assert (await bob.look()).link_token == room.link_token


async def test_opening_again_gives_the_same_link(engine: Replica) -> None:
    assert await private(engine) == await private(engine)


async def test_the_host_sets_options_and_nobody_is_ready_any_more(engine: Replica) -> None:
    ann, bob, _ = await seated(engine)
    await bob.accepted(ready=Ready(ready=True))
    wanted = config(base_score=5)
    options = RoomOptions(spectators=True, private=True)
    assert await bob.refused(set_options=SetOptions(config=wanted)) == "NOT_HOST"
    await ann.accepted(set_options=SetOptions(config=wanted, options=options))
    view = await bob.look()
    assert view.config.doudizhu.base_score == 5
    assert view.options == options
    assert not any(seat.ready for seat in view.seats)
    (changed,) = [
        event.options_changed
        for delivery in (await feed(engine, ann.room_id))[-1].deliveries
        if 1 in delivery.seats
        for event in _events(delivery)
        if event.HasField("options_changed")
    ]
    assert (changed.config, changed.options) == (view.config, options)


async def test_options_as_they_are_change_nothing(engine: Replica) -> None:
    ann, bob, _ = await seated(engine)
    await bob.accepted(ready=Ready(ready=True))
    view = await ann.look()
    await ann.accepted(set_options=SetOptions(config=view.config, options=view.options))
    assert (await ann.look()).seats[1].ready


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        pytest.param(SetOptions(config=config(base_score=0)), "INVALID_CONFIG", id="bounds"),
        pytest.param(SetOptions(config=room_pb2.GameConfig()), "UNKNOWN_KIND", id="another game"),
        pytest.param(SetOptions(options=RoomOptions(spectators=False)), "DISABLED", id="sent away"),
    ],
)
async def test_what_no_host_may_set_is_refused(
    engine: Replica, asked: SetOptions, reason: str
) -> None:
    ann, *_ = await seated(engine)
    await ann.command(set_options=SetOptions(options=RoomOptions(spectators=True)))
    before = await version(engine, ann.room_id)
    assert await ann.refused(set_options=asked) == reason
    assert await version(engine, ann.room_id) == before


async def test_options_stand_while_a_game_runs(engine: Replica) -> None:
    ann, *_ = await playing(engine)
    asked = SetOptions(config=config(base_score=5))
    assert await ann.refused(set_options=asked) == "WRONG_STATUS"


async def test_matched_players_play_what_they_asked_for(engine: Replica) -> None:
    request = opening("m", players=[ANN], matched=True)
    room = (await engine.stub.OpenRoom(request)).room
    ann = Guest("ann", room.room_id, engine)
    asked = SetOptions(config=config(base_score=5))
    assert await ann.refused(set_options=asked) == "DISABLED"


async def test_a_bot_gives_its_seat_up_to_a_person_between_games(
    engine: Replica, batch: Batch
) -> None:
    bots = [Player(player=f"bot{n}", name="Bot", bot=True) for n in range(2)]
    room_id = await engine.open(players=[ANN, *bots])
    bob, cat, dan = (Guest(name, room_id, engine) for name in ("bob", "cat", "dan"))
    await bob.accepted(join=Join())
    await cat.accepted(join=Join(seat=2))
    view = await cat.look()
    assert [seat.player for seat in view.seats] == ["ann", "bob", "cat"]
    assert not any(seat.bot for seat in view.seats)
    assert await dan.refused(join=Join()) == "ROOM_FULL"
    assert await dan.refused(join=Join(seat=1)) == "SEAT_TAKEN"
    players = Players(batch, KEYS)
    assert [await players.place(bot.player) for bot in bots] == ["", ""]


async def test_the_host_swaps_and_kicks_and_the_rest_play_on(engine: Replica) -> None:
    ann, bob, cat = await seated(engine)
    await ann.accepted(swap_seats=SwapSeats(first=0, second=2))
    assert [seat.player for seat in (await ann.look()).seats] == ["cat", "bob", "ann"]
    await ann.accepted(kick=Kick(seat=1))
    await bob.accepted(join=Join())
    for guest in (ann, bob, cat):
        await guest.accepted(ready=Ready(ready=True))
    assert (await ann.look()).status == room_pb2.ROOM_STATUS_PLAYING


# What matchmaking asks.


async def test_many_rooms_are_opened_in_one_call_each_on_its_own(engine: Replica) -> None:
    requests = [opening("a", matched=True), opening("", matched=True), opening("b", matched=True)]
    results = (await engine.stub.OpenRooms(OpenRoomsRequest(requests=requests))).results
    assert [result.WhichOneof("result") for result in results] == ["room", "refused", "room"]
    assert (await engine.stub.OpenRoom(requests[2])).room == results[2].room


async def test_a_room_in_which_nobody_began_is_disbanded(engine: Replica, batch: Batch) -> None:
    ann, *_ = await seated(engine)
    await ann.accepted(ready=Ready(ready=True))
    asked = AttendanceRequest(room_id=ann.room_id)
    there = await engine.stub.Attendance(asked)
    assert [seat.ready for seat in there.seats] == [True, False, False]
    assert not there.begun
    for _ in range(2):
        await engine.stub.DisbandRoom(DisbandRoomRequest(room_id=ann.room_id))
    assert await Players(batch, KEYS).place("ann") == ""
    assert not await batch.call("EXISTS", KEYS.room(ann.room_id))


async def test_a_room_in_which_a_game_runs_is_not_disbanded(engine: Replica) -> None:
    ann, *_ = await playing(engine)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await engine.stub.DisbandRoom(DisbandRoomRequest(room_id=ann.room_id))
    assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert (await engine.stub.Attendance(AttendanceRequest(room_id=ann.room_id))).begun


def _events(delivery: feed_pb2.Delivery) -> list[room_pb2.Event]:
    return list(play_pb2.ServerFrame.FromString(delivery.frame).entry.events)

"""Rooms open once per request, with their players' places."""

from typing import Any

import grpc
import pytest

from parlor.rules.doudizhu.config import Config
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1 import doudizhu_pb2, engine_service_pb2, play_pb2, room_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.wire.catalog import WIRE
from tests.integration.engine.support import KEYS, Guest, Replica, config, feed, replica, seated

_TICKET = "doudizhu-standard-0123456789abcdef"
_LATER_MS = 1 << 42


async def refusal(engine: Replica, **fields: Any) -> tuple[str, str]:
    """Reason and field of a refused opening."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await engine.open(**fields)
    error = from_rpc_error(caught.value)
    return reason_name(error.reason), error.metadata.get("field", "")


async def test_the_same_request_opens_the_same_room_on_any_replica(redis_url: str) -> None:
    async with replica(redis_url) as one, replica(redis_url) as other:
        room_id = await one.open(request_id="again")
        assert await other.open(request_id="again") == room_id
        assert await one.open(request_id="again", opener="bob") != room_id


async def test_a_code_leads_to_its_room_and_goes_with_a_matched_one(engine: Replica) -> None:
    request = engine_service_pb2.EngineServiceOpenRoomRequest(
        request_id="r", opener="ann", config=config()
    )
    opened = (await engine.stub.OpenRoom(request)).room
    assert (await engine.redis.get(KEYS.code(opened.code))).decode() == opened.room_id
    assert await engine.redis.ttl(KEYS.code(opened.code)) == -1
    request.matched, request.request_id = True, "other"
    assert (await engine.stub.OpenRoom(request)).room.code == ""


async def test_a_player_seated_elsewhere_cannot_be_seated_again(engine: Replica) -> None:
    ann = Player(player="ann")
    await engine.open(players=[ann])
    assert await refusal(engine, players=[Player(player="bob"), ann]) == ("PLAYER_BUSY", "")
    # Nothing is left behind: bob, named before ann, is free.
    await engine.open(players=[Player(player="bob")])


@pytest.mark.parametrize(
    ("ticket", "since_ms", "is_let_go"),
    [
        pytest.param({}, 0, True, id="never made, or forgotten"),
        pytest.param({"state": "cancelled"}, 0, True, id="cancelled"),
        pytest.param({"state": "waiting"}, 0, False, id="waiting"),
        pytest.param({"state": "matched"}, 0, False, id="matched"),
        # On a dissolved table's way back into the queue.
        pytest.param({"state": "assigned"}, 0, False, id="assigned"),
        # Somebody may be about to make it.
        pytest.param({}, _LATER_MS, False, id="just taken"),
    ],
)
async def test_a_ticket_that_its_matchmaking_left_behind_keeps_nobody_from_a_table(
    engine: Replica, ticket: dict[str, str], since_ms: int, is_let_go: bool
) -> None:
    held = {"place": f"ticket:{_TICKET}", "since": since_ms}
    await engine.redis.hset(KEYS.player("ann"), mapping=held)
    if ticket:
        await engine.redis.hset(KEYS.ticket(_TICKET), mapping=ticket)
    ann = Player(player="ann")
    if is_let_go:
        await engine.open(players=[ann])
    else:
        assert await refusal(engine, players=[ann]) == ("PLAYER_BUSY", "")


def of_another_release() -> room_pb2.GameConfig:
    """A configuration with an option, field 2047, that this release does not know."""
    return room_pb2.GameConfig(doudizhu=doudizhu_pb2.DouDizhuConfig.FromString(b"\xf8\x7f\x01"))


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        pytest.param(
            {"config": room_pb2.GameConfig()}, ("UNKNOWN_KIND", ""), id="no game is named"
        ),
        pytest.param(
            {"config": config(base_score=0)}, ("INVALID_CONFIG", "base_score"), id="option"
        ),
        pytest.param(
            {"config": of_another_release()}, ("INVALID_CONFIG", "config"), id="unknown option"
        ),
        pytest.param({"request_id": "x" * 65}, ("MALFORMED", "request_id"), id="long request id"),
        pytest.param(
            {"players": [Player(player=name) for name in "abcd"]},
            ("MALFORMED", "players"),
            id="more players than seats",
        ),
    ],
)
async def test_a_bad_opening_is_refused_with_its_field(
    engine: Replica, fields: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert await refusal(engine, **fields) == expected
    assert not await engine.redis.keys("*room*")


async def test_matchmaking_of_a_newer_release_may_write_out_options_that_are_not_known(
    engine: Replica,
) -> None:
    ann = [Player(player="ann")]
    room_id = await engine.open(config=of_another_release(), matched=True, players=ann)
    played = (await Guest("ann", room_id, engine).look()).config
    assert played == room_pb2.GameConfig(doudizhu=WIRE["doudizhu"].config_to(Config()))


async def test_players_choose_limits_within_bounds_only(redis_url: str) -> None:
    quick = config(play_limit="0.010s")
    async with replica(redis_url, unbounded=False) as engine:
        assert await refusal(engine, config=quick) == ("INVALID_CONFIG", "play_limit")
        await engine.open(config=quick, unbounded=True)


async def test_a_full_replica_opens_nothing_and_goes_on_with_what_it_has(redis_url: str) -> None:
    async with replica(redis_url, most_rooms=1) as engine:
        guests = await seated(engine)
        assert (await refusal(engine))[0] == "OVERLOADED"
        await guests[0].accepted(ready=play_pb2.Ready(ready=True))


async def test_a_private_room_takes_the_named_and_those_who_know_its_code(engine: Replica) -> None:
    room_id = await engine.open(
        players=[Player(player="ann")], options=room_pb2.RoomOptions(private=True)
    )
    code = (await Guest("ann", room_id, engine).look()).code
    bob = Guest("bob", room_id, engine)
    assert await bob.refused(join=play_pb2.Join()) == "NOT_INVITED"
    assert await bob.refused(join=play_pb2.Join(code="12345")) == "NOT_INVITED"
    assert (await bob.accepted(join=play_pb2.Join(code=code))).seat == 1


async def test_the_first_entry_commits_to_a_seed(engine: Replica) -> None:
    guests = await seated(engine)
    entries = await feed(engine, guests[0].room_id)
    frame = play_pb2.ServerFrame.FromString(entries[0].deliveries[0].frame)
    opened = frame.entry.events[0].ready_opened
    assert len(opened.commitment) == 32
    assert (await guests[0].look()).commitment == opened.commitment


async def test_a_matched_room_takes_nobody_who_was_not_matched(engine: Replica) -> None:
    room_id = await engine.open(
        matched=True,
        players=[Player(player=name) for name in "abc"],
        options=room_pb2.RoomOptions(private=True),
    )
    await Guest("c", room_id, engine).accepted(leave=play_pb2.Leave())
    assert await Guest("d", room_id, engine).refused(join=play_pb2.Join()) == "NOT_INVITED"

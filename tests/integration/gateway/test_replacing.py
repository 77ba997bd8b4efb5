"""One session per player, and its seat online for as long as there is one."""

from typing import Any

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1 import play_pb2
from parlor.v1.play_pb2 import GoodbyeReason
from tests.conftest import Eventually
from tests.integration.gateway.support import Clients, gateway, online, redis_of, table

Door = App[GatewayConfig]


async def test_a_newer_session_on_another_gateway_ends_the_older(
    door: Door, clients: Clients, redis_url: str
) -> None:
    ann = await clients.connect(door, "Ann")
    async with gateway(redis_url) as other:
        back = await clients.connect(other, like=ann)
        goodbye = (await ann.next("goodbye")).goodbye
        assert goodbye.reason == GoodbyeReason.GOODBYE_REASON_REPLACED
        assert await ann.rest() == []
        assert ann.line.socket.close_code == 4001  # type: ignore[attr-defined]
        await back.synced()


async def test_a_newer_session_on_the_same_gateway_ends_the_older(
    door: Door, clients: Clients
) -> None:
    ann = await clients.connect(door, "Ann")
    back = await clients.connect(door, like=ann)
    await ann.next("goodbye")
    third = await clients.connect(door, like=ann)
    await back.next("goodbye")
    await third.synced()


async def test_others_see_a_player_go_and_come_back(door: Door, clients: Clients) -> None:
    room_id, (ann, bob, _) = await table(door, clients)
    await ann.line.socket.close()  # type: ignore[attr-defined]
    gone = (await bob.next("entry")).entry.events[0].seat_changed
    assert (gone.content.player, gone.content.online) == (ann.player, False)
    await clients.connect(door, like=ann, positions=(ann.position(room_id),))
    back = (await bob.next("entry")).entry.events[0].seat_changed
    assert (back.content.player, back.content.online) == (ann.player, True)


async def test_a_player_who_moves_to_another_gateway_is_never_seen_offline(
    door: Door, clients: Clients, redis_url: str, eventually: Eventually
) -> None:
    room_id, (ann, bob, _) = await table(door, clients)
    before = bob.seq(room_id)
    async with gateway(redis_url) as other:
        back = await clients.connect(other, like=ann, positions=(ann.position(room_id),))
        await ann.next("goodbye")
        await back.synced()
        lease = f"{room_id}:{ann.player}"
        shard = int(room_id[1 : room_id.index("-")])

        async def moved() -> bool:
            return await redis_of(door).hget(f"{{s{shard}}}:connections:doudizhu", lease) == b"2"

        await eventually(moved)
        assert await online(door, clients, bob, room_id, 3) == before


async def test_a_seat_stays_online_by_its_lease_and_goes_offline_when_that_runs_out(
    door: Door, clients: Clients, redis_url: str
) -> None:
    async with gateway(redis_url, lease_ms=300, renew_ms=50, drain_ms=1) as dying:
        room_id, (ann, *_) = await table(dying, clients)
        watcher = await clients.connect(door, "Dan")
        await watcher.watch(room_id)
    # It had no time to say that its players are gone.
    seen = {ann.player: True}
    while any(seen.values()):
        changed = (await watcher.next("entry")).entry.events[0].seat_changed.content
        seen[changed.player] = changed.online


async def test_a_player_who_leaves_and_sits_down_again_at_once_is_online(
    door: Door, clients: Clients
) -> None:
    ann, bob = [await clients.connect(door, name) for name in ("Ann", "Bob")]
    room_id = (await ann.open_room()).room_id
    await bob.accepted(room_id, join=play_pb2.Join())
    await online(door, clients, ann, room_id, 2)
    commands: tuple[dict[str, Any], ...] = (
        {"leave": play_pb2.Leave()},
        {"join": play_pb2.Join()},
    )
    for number, command in enumerate(commands):
        request = play_pb2.Command(request_id=f"again{number}", room_id=room_id, **command)
        await bob.send(command=request)
    for _ in range(2):
        await bob.next("answer")
    await online(door, clients, ann, room_id, 2)

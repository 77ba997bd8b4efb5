"""What an engine says of its rooms and of the games that run."""

from dataclasses import replace

from prometheus_client import REGISTRY

from parlor.engine.host import RoomLimits
from parlor.v1 import play_pb2
from parlor.v1.engine_service_pb2 import DisbandRoomRequest
from tests.conftest import Eventually
from tests.integration.engine.support import KIND, host, playing, replica


def games() -> float | None:
    return REGISTRY.get_sample_value("parlor_engine_games", {"kind": KIND})


def closed(reason: str) -> float:
    labels = {"kind": KIND, "reason": reason}
    return REGISTRY.get_sample_value("parlor_engine_rooms_closed_total", labels) or 0


async def test_a_running_game_is_counted_until_it_ends(
    redis_url: str, eventually: Eventually
) -> None:
    async with replica(redis_url) as engine:
        guests = await playing(engine)
        # What is counted are rooms of owned shards; after a step in one it is known.
        for guest in guests[:2]:
            await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
        await eventually(lambda: games() == 1)
        await guests[2].accepted(dissolve=play_pb2.Dissolve(agree=True))
        await eventually(lambda: games() == 0)


async def test_rooms_that_close_are_counted_by_why_they_do(
    redis_url: str, eventually: Eventually
) -> None:
    served = replace(host(), limits=RoomLimits(open_idle_ms=100))
    before = closed("idle"), closed("no_show")
    async with replica(redis_url, served=served) as engine:
        await engine.open()
        await eventually(lambda: (closed("idle"), closed("no_show")) == (before[0] + 1, before[1]))
    async with replica(redis_url) as engine:
        await engine.stub.DisbandRoom(DisbandRoomRequest(room_id=await engine.open()))
        assert (closed("idle"), closed("no_show")) == (before[0] + 1, before[1] + 1)

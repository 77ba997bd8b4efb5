"""What an engine says of the games that run."""

from prometheus_client import REGISTRY

from parlor.v1 import play_pb2
from tests.conftest import Eventually
from tests.integration.engine.support import playing, replica


def games() -> float | None:
    return REGISTRY.get_sample_value("parlor_engine_games", {"kind": "doudizhu"})


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

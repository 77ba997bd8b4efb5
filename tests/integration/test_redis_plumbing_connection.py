"""Connections that break on the event loop that services run on, which tells of it in its own way."""

import asyncio
from typing import Any

import pytest
import uvloop
from redis.exceptions import ConnectionError as RedisConnectionError

from parlor.serving.duplex import packed
from parlor.serving.redis import connect


def test_what_is_written_to_a_closed_transport_is_a_broken_connection(redis_url: str) -> None:
    """It once ended the task that keeps subscriptions, and a gateway heard nothing for ever."""

    async def work() -> None:
        async with connect(redis_url) as client:
            pool: Any = client.connection_pool
            connection = pool.make_connection()
            await connection.connect()
            connection._writer.transport.abort()
            await asyncio.sleep(0)
            with pytest.raises(RedisConnectionError):
                await connection.send_packed_command([packed("PING")], check_health=False)

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(work())

"""The newest session of a player, where Redis does not answer for a while."""

import os
import signal
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest
from redis.exceptions import RedisError

from parlor.gateway.newest import Newest
from parlor.serving import redis_server as servers
from parlor.serving.redis import connect, open_batch, open_subscriber
from parlor.serving.redis_server import RedisServer
from tests.conftest import Eventually
from tests.integration.gateway.support import KEYS


class Session:
    """A session of which only the number matters."""

    def __init__(self) -> None:
        self.connection = 0
        self.is_replaced = False

    def replaced(self) -> None:
        self.is_replaced = True


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    """A server that may be stopped."""
    running = servers.start(tmp_path, append_only=False)
    yield running
    running.kill()


async def test_a_session_that_cannot_begin_leaves_the_older_one_its_channel(
    server: RedisServer, eventually: Eventually
) -> None:
    older, failing, newer = Session(), Session(), Session()
    async with (
        aclosing(connect(server.url)) as client,
        aclosing(open_batch(client)) as here,
        aclosing(open_batch(client)) as there,
        open_subscriber(client, timeout_ms=500) as hears,
        open_subscriber(client) as hears_there,
    ):
        newest = Newest(here, KEYS, hears)
        await newest.arrive("ann", older)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            with pytest.raises(RedisError):
                await newest.arrive("ann", failing)
        finally:
            os.kill(server.pid, signal.SIGCONT)
        await newest.leave("ann", failing)
        await eventually(lambda: hears.connected)
        await Newest(there, KEYS, hears_there).arrive("ann", newer)
        await eventually(lambda: older.is_replaced)
    assert not newer.is_replaced

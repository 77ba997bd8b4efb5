"""Commands of many callers over one connection, against a real Redis that is refused, broken, stopped."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from parlor.serving import redis_server as servers
from parlor.serving.batch import ServerBatch
from parlor.serving.redis import Batch, Script, connect, open_batch
from tests.conftest import Eventually


class Proxy:
    """Stands between a client and Redis, and can keep the answers to itself or hang up."""

    def __init__(self, redis_port: int) -> None:
        self._redis_port = redis_port
        self._writers: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None
        self.swallows_answers = False
        self.swallowed = 0
        self.connections = 0

    async def __aenter__(self) -> "Proxy":
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        self.hang_up()

    @property
    def url(self) -> str:
        assert self._server is not None
        return f"redis://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/0"

    def hang_up(self) -> None:
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._redis_port)
        self._writers += [writer, up_writer]
        await asyncio.gather(
            self._forward(reader, up_writer, answers=False),
            self._forward(up_reader, writer, answers=True),
            return_exceptions=True,
        )

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        while data := await reader.read(65536):
            if answers and self.swallows_answers:
                self.swallowed += len(data)
            else:
                writer.write(data)


@pytest.fixture
async def proxy(redis_url: str) -> AsyncIterator[Proxy]:
    async with Proxy(int(redis_url.rpartition(":")[2].partition("/")[0])) as standing:
        yield standing


async def test_each_caller_gets_its_own_answer(batch: Batch) -> None:
    answers = await asyncio.gather(*(batch.call("ECHO", n) for n in range(1000)))
    assert answers == [str(n).encode() for n in range(1000)]


async def test_each_caller_gets_its_own_error(batch: Batch) -> None:
    await batch.call("SET", "word", "a")
    answers = await asyncio.gather(
        batch.call("INCR", "n"),
        batch.call("INCR", "word"),
        batch.call("NONSENSE"),
        batch.call("INCR", "n"),
        return_exceptions=True,
    )
    assert answers[0] == 1
    assert isinstance(answers[1], ResponseError)
    assert isinstance(answers[2], ResponseError)
    assert answers[3] == 2


async def test_one_turn_travels_in_one_write(redis: Redis, batch: Batch) -> None:
    await batch.call("PING")
    before = await redis.info("stats")
    await asyncio.gather(*(batch.call("INCR", "n") for _ in range(200)))
    after = await redis.info("stats")
    # A read by the server ends at 16 KiB; the two INFO are reads too.
    assert after["total_reads_processed"] - before["total_reads_processed"] <= 3


async def test_commands_are_carried_out_in_the_order_of_the_calls(batch: Batch) -> None:
    await asyncio.gather(*(batch.call("RPUSH", "list", n) for n in range(500)))
    assert await batch.call("LRANGE", "list", 0, -1) == [str(n).encode() for n in range(500)]


async def test_a_cancelled_caller_disturbs_nobody(batch: Batch) -> None:
    async def ask(n: int) -> bytes:
        answer: bytes = await batch.call("ECHO", n)
        return answer

    tasks = [asyncio.create_task(ask(n)) for n in range(300)]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    answers = await asyncio.gather(*tasks, return_exceptions=True)
    for n, answer in enumerate(answers):
        assert isinstance(answer, asyncio.CancelledError) or answer == str(n).encode()
    assert await batch.call("ECHO", "next") == b"next"


async def test_large_and_binary_values_survive(batch: Batch) -> None:
    value = bytes(range(256)) * 20_000
    await batch.call("SET", b"\x00\r\n", value)
    assert await batch.call("GET", b"\x00\r\n") == value


async def test_a_broken_connection_fails_its_callers_and_nothing_is_sent_twice(
    proxy: Proxy, redis: Redis, eventually: Eventually
) -> None:
    client = connect(proxy.url)
    batch = open_batch(client)
    await batch.call("PING")
    proxy.swallows_answers = True
    waiting = [batch.call("INCR", "n") for _ in range(50)]
    await eventually(lambda: proxy.swallowed > 0)
    proxy.hang_up()
    answers = await asyncio.gather(*waiting, return_exceptions=True)
    assert all(isinstance(answer, RedisConnectionError) for answer in answers)
    proxy.swallows_answers = False
    assert await batch.call("GET", "n") == b"50"
    assert proxy.connections == 2
    await batch.aclose()
    await client.aclose()


async def test_a_connection_that_broke_while_idle_is_replaced_unnoticed(
    proxy: Proxy, eventually: Eventually
) -> None:
    client = connect(proxy.url)
    batch = ServerBatch(client)
    await batch.call("PING")
    proxy.hang_up()
    await eventually(lambda: batch._duplex is None)
    assert await batch.call("PING") == b"PONG"
    await batch.aclose()
    await client.aclose()


async def test_a_silent_redis_is_a_timeout_and_never_a_hang(tmp_path: Path) -> None:
    server = servers.start(tmp_path, append_only=False)
    client = connect(server.url)
    batch = open_batch(client, timeout_ms=200)
    await batch.call("PING")
    os.kill(server.pid, signal.SIGSTOP)
    began = asyncio.get_running_loop().time()
    with pytest.raises(RedisTimeoutError):
        await batch.call("INCR", "n")
    with pytest.raises(RedisTimeoutError):
        await batch.call("INCR", "n")
    assert asyncio.get_running_loop().time() - began < 20
    os.kill(server.pid, signal.SIGCONT)
    # What had been written before the silence may still be carried out, once.
    assert int(await batch.call("INCR", "n")) <= 2
    await batch.aclose()
    await client.aclose()
    server.stop()


async def test_a_redis_that_is_away_fails_at_once_and_works_when_it_is_back(tmp_path: Path) -> None:
    server = servers.start(tmp_path, append_only=True)
    client = connect(server.url)
    batch = open_batch(client)
    await batch.call("SET", "kept", "1")
    server.kill()
    for _ in range(2):
        with pytest.raises(RedisConnectionError):
            await batch.call("GET", "kept")
    server.restart()
    assert await batch.call("GET", "kept") == b"1"
    await batch.aclose()
    await client.aclose()
    server.stop()


async def test_a_demoted_primary_is_left_for_a_new_connection(tmp_path: Path) -> None:
    server = servers.start(tmp_path, append_only=False)
    client = connect(server.url)
    batch = open_batch(client)
    connection = await batch.call("CLIENT", "ID")
    await client.replicaof("127.0.0.1", 1)
    with pytest.raises(ReadOnlyError):
        await batch.call("INCR", "n")
    await client.replicaof("NO", "ONE")
    await asyncio.sleep(0.01)
    assert await batch.call("INCR", "n") == 1
    assert await batch.call("CLIENT", "ID") != connection
    await batch.aclose()
    await client.aclose()
    server.stop()


async def test_closing_fails_who_still_waits(batch: Batch) -> None:
    await batch.call("PING")
    waiting = batch.call("BLPOP", "nothing", 0)
    await asyncio.sleep(0.02)
    await batch.aclose()
    with pytest.raises(RedisConnectionError):
        await waiting
    with pytest.raises(RedisConnectionError):
        await batch.call("PING")


async def test_a_script_runs_once_whether_redis_knew_it_or_not(batch: Batch) -> None:
    script = Script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
    assert await script(batch, ["n"], [2]) == 2
    assert await script(batch, ["n"], [2]) == 4
    await batch.call("SCRIPT", "FLUSH")
    assert await asyncio.gather(*(script(batch, ["n"], [1]) for _ in range(3))) == [5, 6, 7]


async def test_an_error_of_a_script_is_its_callers(batch: Batch) -> None:
    broken = Script("return redis.error_reply('MINE no')")
    with pytest.raises(ResponseError, match="MINE no"):
        await broken(batch, [])

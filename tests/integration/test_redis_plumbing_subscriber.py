"""Subscriptions that outlive their connection, against a real Redis."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import TimeoutError as RedisTimeoutError
from structlog.testing import capture_logs

from parlor.serving import redis_server as servers
from parlor.serving.redis import Batch, Subscriber, connect, open_subscriber
from tests.conftest import Eventually


class Heard(list[tuple[bytes, bytes]]):
    """What a listener got."""

    def __call__(self, channel: bytes, data: bytes) -> None:
        self.append((channel, data))


class Gaps:
    """How often a subscriber said that it had been away."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> None:
        self.count += 1


@pytest.fixture
def gaps() -> Gaps:
    return Gaps()


@pytest.fixture
async def subscriber(redis: Redis, gaps: Gaps) -> AsyncIterator[Subscriber]:
    # Ten thousand confirmations take a busy machine a while.
    async with open_subscriber(redis, on_reconnect=gaps, timeout_ms=20_000) as started:
        yield started


async def test_what_is_published_after_subscribing_arrives_in_order(
    subscriber: Subscriber, batch: Batch, eventually: Eventually
) -> None:
    heard = Heard()
    await subscriber.subscribe("room", heard)
    for n in range(100):
        batch.call("SPUBLISH", "room", n)
    await eventually(lambda: len(heard) == 100)
    assert heard == [(b"room", str(n).encode()) for n in range(100)]


async def test_a_confirmed_subscription_is_counted_by_redis(
    subscriber: Subscriber, redis: Redis
) -> None:
    await subscriber.subscribe("room", Heard())
    assert await redis.spublish("room", "x") == 1


async def test_a_pattern_gets_the_channels_name(
    subscriber: Subscriber, redis: Redis, eventually: Eventually
) -> None:
    heard = Heard()
    await subscriber.psubscribe("timer:*", heard)
    await redis.publish("timer:a", "1")
    await redis.publish("other:a", "2")
    await eventually(lambda: heard == [(b"timer:a", b"1")])


async def test_an_expired_key_is_heard(
    subscriber: Subscriber, redis: Redis, eventually: Eventually
) -> None:
    heard = Heard()
    await subscriber.psubscribe("__keyspace@0__:timer:*", heard)
    await redis.set("timer:r", "1", px=1)
    await asyncio.sleep(0.005)
    await redis.exists("timer:r")
    await eventually(lambda: heard == [(b"__keyspace@0__:timer:r", b"expired")])


async def test_nothing_is_delivered_after_unsubscribing(
    subscriber: Subscriber, redis: Redis, eventually: Eventually
) -> None:
    left, kept = Heard(), Heard()
    await subscriber.subscribe("left", left)
    await subscriber.subscribe("kept", kept)
    await subscriber.unsubscribe("left")
    await subscriber.unsubscribe("never subscribed")
    await redis.spublish("left", "1")
    await redis.spublish("kept", "1")
    await eventually(lambda: len(kept) == 1)
    assert not left


async def test_leaving_and_joining_again_in_one_turn_ends_subscribed(
    subscriber: Subscriber, redis: Redis
) -> None:
    for _ in range(20):
        joining = asyncio.create_task(subscriber.subscribe("room", Heard()))
        await asyncio.sleep(0)
        await subscriber.unsubscribe("room")
        await subscriber.subscribe("room", Heard())
        await joining
        assert await redis.spublish("room", "x") == 1


async def test_a_topic_subscribed_to_again_gets_the_new_listener(
    subscriber: Subscriber, redis: Redis, eventually: Eventually
) -> None:
    first, second = Heard(), Heard()
    await asyncio.gather(subscriber.subscribe("room", first), subscriber.subscribe("room", second))
    await redis.spublish("room", "x")
    await eventually(lambda: second == [(b"room", b"x")])
    assert not first


async def test_a_listener_that_raises_stops_no_other(
    subscriber: Subscriber, redis: Redis, eventually: Eventually
) -> None:
    def broken(channel: bytes, data: bytes) -> None:
        raise RuntimeError("broken")

    heard = Heard()
    await subscriber.subscribe("a", broken)
    await subscriber.subscribe("b", heard)
    await redis.spublish("a", "1")
    await redis.spublish("b", "1")
    await eventually(lambda: len(heard) == 1)


async def test_it_subscribes_again_after_its_connection_was_killed_and_says_so(
    subscriber: Subscriber, redis: Redis, gaps: Gaps, eventually: Eventually
) -> None:
    heard = Heard()
    await asyncio.gather(*(subscriber.subscribe(f"room{n}", heard) for n in range(1200)))
    await subscriber.psubscribe("timer:*", heard)
    assert gaps.count == 0
    await redis.client_kill_filter(_type="pubsub")
    await eventually(lambda: gaps.count == 1)
    assert subscriber.connected
    assert await redis.spublish("room0", "a") == 1
    assert await redis.spublish("room1199", "b") == 1
    assert await redis.publish("timer:x", "c") == 1
    await eventually(lambda: sorted(data for _, data in heard) == [b"a", b"b", b"c"])


async def test_a_subscription_asked_for_during_a_gap_is_confirmed_after_it(tmp_path: Path) -> None:
    server = servers.start(tmp_path, append_only=False)
    client = connect(server.url)
    async with open_subscriber(client) as subscriber:
        await subscriber.subscribe("a", Heard())
        server.kill()
        asking = asyncio.create_task(subscriber.subscribe("b", Heard()))
        await asyncio.sleep(0.05)
        server.restart()
        await asking
        assert await client.spublish("b", "x") == 1
    await client.aclose()
    server.stop()


async def test_a_server_that_falls_silent_is_left_and_found_again(
    tmp_path: Path, gaps: Gaps, eventually: Eventually
) -> None:
    server = servers.start(tmp_path, append_only=False)
    client = connect(server.url)
    heard = Heard()
    async with open_subscriber(
        client, on_reconnect=gaps, heartbeat_ms=100, timeout_ms=1_000
    ) as subscriber:
        await subscriber.subscribe("room", heard)
        await eventually(lambda: subscriber.connected)
        os.kill(server.pid, signal.SIGSTOP)
        await eventually(lambda: not subscriber.connected)
        with pytest.raises(RedisTimeoutError):
            await subscriber.subscribe("other", heard)
        os.kill(server.pid, signal.SIGCONT)
        await eventually(lambda: gaps.count == 1)
        await client.spublish("room", "x")
        await client.spublish("other", "y")
        await eventually(lambda: heard == [(b"room", b"x")])
    await client.aclose()
    server.stop()


async def test_ten_thousand_channels_are_fine(
    subscriber: Subscriber, batch: Batch, eventually: Eventually
) -> None:
    heard = Heard()
    await asyncio.gather(*(subscriber.subscribe(f"room{n}", heard) for n in range(10_000)))
    counts = await asyncio.gather(*(batch.call("SPUBLISH", f"room{n}", n) for n in range(10_000)))
    assert set(counts) == {1}
    await eventually(lambda: len(heard) == 10_000)


async def test_one_that_finds_no_server_goes_on_looking_several_times_a_second(
    tmp_path: Path, eventually: Eventually
) -> None:
    """Or it would be deaf for seconds after a failover."""
    server = servers.start(tmp_path)
    redis = connect(server.url)
    with capture_logs() as logs:
        async with open_subscriber(redis) as subscriber:
            server.kill()

            def pauses() -> list[int]:
                return [e["pause_ms"] for e in logs if e["event"] == "subscriber_disconnected"]

            await eventually(lambda: len(pauses()) >= 12, timeout=60)
            server.restart()
            await eventually(lambda: subscriber.connected)
    server.kill()
    assert max(pauses()) <= 250
    await redis.aclose()

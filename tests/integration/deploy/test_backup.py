"""A backup of a live Redis and its restore, by the commands of docs/operations.md."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from parlor.archive.config import ArchiveConfig
from parlor.archive.database import Database
from parlor.serving import redis_server
from parlor.serving.redis_server import RedisServer
from parlor.v1 import play_pb2
from tests.conftest import Eventually
from tests.integration.archive.support import archive, archived, seated
from tests.integration.deploy.support import ROOT, documented
from tests.integration.engine.support import Guest, awaited, playing, replica, version

needs_redis_cli = pytest.mark.skipif(
    shutil.which("redis-cli") is None, reason="no redis-cli on this machine: make tools"
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    running = redis_server.start(tmp_path / "before")
    yield running
    running.stop()


def restored(backup: Path, data: Path) -> "subprocess.CompletedProcess[str]":
    """What restore.sh makes of a folder of data; redis-check-rdb is the server itself by another name."""
    tools = data.parent / "tools"
    tools.mkdir(exist_ok=True)
    check = tools / "redis-check-rdb"
    if not check.exists():
        check.symlink_to(redis_server.find_binary())
    told = documented("sh deploy/redis/restore.sh")
    named = {"backup.rdb": str(backup), "REDIS-DIRECTORY": str(data)}
    assert named.keys() <= set(told)
    return subprocess.run(
        [named.get(word, word) for word in told],
        cwd=ROOT,
        env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@needs_redis_cli
async def test_a_backup_of_a_live_redis_brings_its_rooms_back(
    server: RedisServer, tmp_path: Path, eventually: Eventually
) -> None:
    backup = tmp_path / "backup.rdb"
    async with replica(server.url) as engine:
        guests = await playing(engine)
        room_id = guests[0].room_id
        then = await version(engine, room_id)
        _back_up(server, backup)
        await guests[0].accepted(say={"text": "after the backup"})
        guest, decision = await awaited(guests)
        await guest.act(decision, bid=0)
        assert await version(engine, room_id) > then
    server.stop()

    data = tmp_path / "after"
    data.mkdir()
    done = restored(backup, data)
    assert done.returncode == 0, done.stderr
    again = redis_server.start(data)
    try:
        async with replica(again.url) as engine:
            assert await version(engine, room_id) >= then
            back = [Guest(each.name, room_id, engine) for each in guests]
            guest, decision = await awaited(back)
            answer = await guest.act(decision, bid=0)
            assert answer.HasField("accepted")
        with Redis(port=again.port) as client:
            keys = client.dbsize()
        # It goes on from there with a file of its own.
        again.restart()
        with Redis(port=again.port) as client:
            assert client.dbsize() >= keys - 1 > 0
    finally:
        again.stop()


@needs_redis_cli
async def test_a_parlor_goes_on_from_backups_of_redis_and_of_its_archive(
    server: RedisServer, tmp_path: Path, eventually: Eventually
) -> None:
    """Redis first, then the archive: a game that comes again is known there already."""
    backup = tmp_path / "backup.rdb"
    before, after = (f"sqlite:///{tmp_path}/{name}.db" for name in ("before", "after"))
    database = Database(ArchiveConfig(database_url=after))
    async with archive(server.url, before), replica(server.url) as engine:
        ended = await playing(engine)
        await _end(ended)
        running = await playing(engine, names=("dan", "eve", "fay"))
        _back_up(server, backup)
        old = Database(ArchiveConfig(database_url=before))

        async def is_archived() -> bool:
            return await archived(old) == [(ended[0].room_id, 1)]

        await eventually(is_archived)
        await old.aclose()
    server.stop()
    shutil.copy(tmp_path / "before.db", tmp_path / "after.db")
    data = tmp_path / "restored"
    data.mkdir()
    assert restored(backup, data).returncode == 0
    again = redis_server.start(data)
    try:
        async with archive(again.url, after), replica(again.url) as engine:
            await _end([Guest(each.name, each.room_id, engine) for each in running])
            both = sorted([(ended[0].room_id, 1), (running[0].room_id, 1)])

            async def are_archived() -> bool:
                return await archived(database) == both

            await eventually(are_archived)
            assert len(await seated(database)) == 6
    finally:
        await database.aclose()
        again.stop()


def _back_up(server: RedisServer, backup: Path) -> None:
    """As the documents do it, while everything goes on."""
    told = documented("redis-cli -u")
    named = {"$PARLOR_REDIS_URL": server.url, "backup.rdb": str(backup)}
    assert named.keys() <= set(told)
    words = [named.get(word, word) for word in told]
    subprocess.run(words, check=True, capture_output=True, timeout=60)


async def _end(guests: list[Guest]) -> None:
    for guest in guests:
        await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))


def test_a_restore_keeps_what_was_there(server: RedisServer, tmp_path: Path) -> None:
    with Redis(port=server.port) as client:
        client.set("room", "old")
        client.save()
        client.set("room", "new")
    server.stop()
    shutil.copy(server.directory / "dump.rdb", tmp_path / "backup.rdb")
    assert restored(tmp_path / "backup.rdb", server.directory).returncode == 0
    server.restart()
    with Redis(port=server.port) as client:
        assert client.get("room") == b"old"
    (kept,) = server.directory.glob("appendonlydir.before.*")
    assert list(kept.glob("*.manifest"))


def test_half_a_backup_is_refused_and_changes_nothing(server: RedisServer, tmp_path: Path) -> None:
    with Redis(port=server.port) as client:
        client.set("room", "new")
        client.save()
    server.stop()
    half = tmp_path / "half.rdb"
    half.write_bytes((server.directory / "dump.rdb").read_bytes()[:-12])
    done = restored(half, server.directory)
    assert done.returncode == 1
    assert "no whole RDB" in done.stderr
    server.restart()
    with Redis(port=server.port) as client:
        assert client.get("room") == b"new"

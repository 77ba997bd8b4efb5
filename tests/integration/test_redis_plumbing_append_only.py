"""A server that was killed in the middle of writing down what a script had done."""

import shutil
from pathlib import Path

import pytest
from redis import Redis

from parlor.serving import redis_server as servers
from parlor.serving.append_only import mend
from parlor.serving.redis_server import RedisServer

STEP = """
redis.call('XADD', KEYS[1], ARGV[1] .. '-0', 'by', ARGV[2])
redis.call('HSET', KEYS[2], 'version', ARGV[1], 'by', ARGV[2])
redis.call('PEXPIRE', KEYS[2], 600000)
return redis.call('HGETALL', KEYS[2])
"""
MISSING = (1, 3, 9, 30, 60, 90, 120, 150, 180)
"""How many bytes of the last transaction were not written."""


def step(server: RedisServer, version: int, by: str) -> None:
    with Redis.from_url(server.url) as client:
        client.eval(STEP, 2, "{r}:log", "{r}:room", str(version), by)


def stands(server: RedisServer) -> tuple[str, str, str, str]:
    """The last line of the log, and the room: version and author of each."""
    with Redis.from_url(server.url, decode_responses=True) as client:
        ((number, line),) = client.xrevrange("{r}:log", count=1)
        room = client.hgetall("{r}:room")
        return number.partition("-")[0], line["by"], room["version"], room["by"]


def newest(directory: Path) -> Path:
    (file,) = (directory / "appendonlydir").glob("*.incr.aof")
    return file


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """What a server has left behind that made two steps and was killed."""
    server = servers.start(tmp_path / "written")
    step(server, 1, "ann")
    step(server, 2, "bob")
    server.kill()
    return server.directory


@pytest.mark.parametrize("missing", MISSING)
def test_a_step_that_was_cut_off_is_not_carried_out_with_the_next_one(
    written: Path, tmp_path: Path, missing: int
) -> None:
    """The log had the line of a step that never was, and lacked the one that was acknowledged."""
    torn = tmp_path / "torn"
    shutil.copytree(written, torn)
    file = newest(torn)
    with file.open("r+b") as open_file:
        open_file.truncate(file.stat().st_size - missing)
    server = servers.start(torn)
    try:
        assert stands(server) == ("1", "ann", "1", "ann")
        step(server, 2, "cid")
        server.kill()
        server.restart()
        assert stands(server) == ("2", "cid", "2", "cid")
    finally:
        server.stop()


def test_a_whole_file_is_left_as_it_is_and_so_is_one_damaged_otherwise(written: Path) -> None:
    file = newest(written)
    whole = file.read_bytes()
    assert mend(written) == 0
    assert file.read_bytes() == whole
    damaged = b"?" + whole
    file.write_bytes(damaged)
    assert mend(written) == 0
    assert file.read_bytes() == damaged
    assert mend(written / "nowhere") == 0

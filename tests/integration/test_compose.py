"""The deployment of docker-compose.yml: valid, gated by health, scalable, and set as services read it."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from parlor.archive.config import ArchiveConfig
from parlor.bots.config import BotsConfig
from parlor.engine.config import EngineConfig
from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.rules.catalog import GAMES
from parlor.serving import Common, from_env

ROOT = Path(__file__).parents[2]
TOOLS = Path(sys.executable).parent


def compose(*arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [TOOLS / "docker-compose", "--project-directory", ROOT, *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture(scope="module")
def services() -> dict[str, Any]:
    """Every service as compose understands it."""
    done = compose("config", "--format", "json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)["services"]
    return found


def test_it_is_valid() -> None:
    done = compose("config", "--quiet")
    assert done.returncode == 0, done.stderr


def test_every_service_of_parlor_is_there(services: dict[str, Any]) -> None:
    engines = {f"engine-{kind}" for kind in GAMES}
    assert set(services) == {"redis", "matchmaking", "archive", "gateway", "bots"} | engines


def test_each_engine_serves_its_kind(services: dict[str, Any]) -> None:
    for kind in GAMES:
        assert services[f"engine-{kind}"]["command"] == ["parlor.engine", kind]


def test_nothing_starts_before_what_it_needs_is_healthy(services: dict[str, Any]) -> None:
    for name, service in services.items():
        needs = service.get("depends_on", {})
        assert bool(needs) is (name != "redis")
        assert {need["condition"] for need in needs.values()} <= {"service_healthy"}


def test_everything_is_started_again(services: dict[str, Any]) -> None:
    assert {service["restart"] for service in services.values()} == {"unless-stopped"}


def test_only_gateways_are_published_and_scaling_them_clashes_with_no_port(
    services: dict[str, Any],
) -> None:
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert list(published) == ["gateway"]
    for port in published["gateway"]:
        first, _, last = str(port["published"]).partition("-")
        assert int(last) > int(first)
    assert not any("container_name" in service for service in services.values())


def test_a_service_may_take_longer_to_stop_than_its_drain(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["stop_grace_period"] == "30s"
    assert max(Common().drain_ms, GatewayConfig().drain_ms) < 30_000


def test_redis_runs_with_the_file_of_the_repository(services: dict[str, Any]) -> None:
    (conf,) = (each for each in services["redis"]["volumes"] if each["type"] == "bind")
    assert Path(conf["source"]) == ROOT / "deploy" / "redis" / "redis.conf"
    assert conf["target"] in services["redis"]["command"]


@pytest.mark.parametrize(
    ("name", "config_type"),
    [
        *((f"engine-{kind}", EngineConfig) for kind in GAMES),
        ("matchmaking", MatchmakingConfig),
        ("archive", ArchiveConfig),
        ("gateway", GatewayConfig),
        ("bots", BotsConfig),
    ],
)
def test_what_is_set_is_what_the_service_reads(
    services: dict[str, Any], name: str, config_type: type[Common]
) -> None:
    dockerfile = (ROOT / "deploy" / "docker" / "Dockerfile").read_text()
    env = {
        **dict(re.findall(r"(PARLOR_\w+)=(\S+)", dockerfile)),
        **{key: str(value) for key, value in services[name]["environment"].items()},
    }
    config = from_env(config_type, name.partition("-")[0].upper(), env)
    assert config.redis_url == "redis://redis:6379/0"
    assert (config.http_host, config.http_port) == ("0.0.0.0", 8080)
    assert (config.grpc_host, config.grpc_port) == ("0.0.0.0", 9090)


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    done = subprocess.run(
        [TOOLS / "hadolint", ROOT / "deploy" / "docker" / "Dockerfile"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_image_holds_what_it_runs_and_no_more() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == {
        "deploy/docker",
        "requirements.lock",
        "services",
    }


def _has_engine() -> bool:
    docker = shutil.which("docker")
    if docker is None:
        return False
    done = subprocess.run([docker, "info"], capture_output=True, timeout=20, check=False)
    return done.returncode == 0


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not _has_engine(), reason="no Docker engine answers on this machine")
def test_it_comes_up_and_scales() -> None:
    project = ("--project-name", "parlor-test")
    try:
        done = subprocess.run(
            [
                TOOLS / "docker-compose",
                "--project-directory",
                ROOT,
                *project,
                *("up", "--build", "--detach", "--wait", "--scale", "gateway=2"),
            ],
            capture_output=True,
            text=True,
            timeout=850,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    finally:
        compose(*project, "down", "--volumes", "--timeout", "5")

"""docker-compose.yml on a real engine: it comes up, is played on, and loses nothing when containers are killed."""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence

import docker
import pytest
from docker.models.containers import Container

from tests.conftest import Eventually
from tests.integration.deploy.support import PROFILES, ROOT, TOOLS, has_engine

PROJECT = "parlor-test"

pytestmark = [
    pytest.mark.docker,
    pytest.mark.slow,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not has_engine(), reason="no Docker engine answers on this machine"),
]

Containers = Callable[[str], list[Container]]


def compose(*arguments: str) -> None:
    done = subprocess.run(
        [
            *(TOOLS / "docker-compose", "--project-directory", ROOT),
            *("--project-name", PROJECT, *arguments),
        ],
        # Free ports of this machine, whatever else runs on it.
        env={**os.environ, "PARLOR_HTTP_PORTS": "0", "PARLOR_GRPC_PORTS": "0"},
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.fixture(params=["plain", "sentinel"])
def containers(request: pytest.FixtureRequest) -> Iterator[Containers]:
    """The running containers of a service, in a Parlor with two gateways."""
    profile: Sequence[str] = PROFILES[request.param]
    engine = docker.from_env()

    def of(service: str) -> list[Container]:
        labels = [
            f"com.docker.compose.project={PROJECT}",
            f"com.docker.compose.service={service}",
        ]
        return list(engine.containers.list(filters={"label": labels}))

    try:
        compose(*profile, "up", "--build", "--detach", "--wait", "--scale", "gateway=2")
        yield of
    finally:
        compose(*profile, "down", "--volumes", "--timeout", "5")
        engine.close()


def gateway_url(container: Container) -> str:
    container.reload()
    (published, *_) = container.ports["8080/tcp"]
    return f"http://127.0.0.1:{published['HostPort']}"


def play(urls: Sequence[str], game: str, games: int) -> "subprocess.Popen[str]":
    """Simulated players on the given gateways."""
    return subprocess.Popen(
        [
            *(TOOLS / "parlor", "play", "--game", game, "--games", str(games)),
            *(word for url in urls for word in ("--url", url)),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def assert_whole(player: "subprocess.Popen[str]") -> None:
    """Fails where anything was lost, doubled, leaked or left unfinished in its games."""
    printed, complaints = player.communicate(timeout=600)
    assert player.returncode == 0, (printed + complaints)[-4000:]


def is_healthy(container: Container) -> bool:
    container.reload()
    return bool(container.attrs["State"].get("Health", {}).get("Status") == "healthy")


async def test_games_go_on_while_containers_are_killed(
    containers: Containers, eventually: Eventually
) -> None:
    urls = [gateway_url(each) for each in containers("gateway")]
    assert len(set(urls)) == 2
    for container in containers("gateway"):
        assert container.attrs["Config"]["User"] == "10001:10001"
        assert container.attrs["HostConfig"]["ReadonlyRootfs"]
    players = [play(urls, game, 3) for game in ("doudizhu", "planes", "jinxian")]
    for name in ("engine-doudizhu", "engine-planes", "engine-jinxian", "matchmaking", "redis"):
        victim = containers(name)[0]
        victim.kill("SIGKILL")
        # An engine of Docker takes a kill for an order and does not start it again by itself.
        victim.start()
        await eventually(lambda each=victim: is_healthy(each), timeout=120)
    for player in players:
        assert_whole(player)

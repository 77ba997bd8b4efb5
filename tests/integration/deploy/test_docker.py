"""docker-compose.yml on a real engine: it comes up, is played on, and loses nothing when containers are killed."""

import json
import os
import subprocess
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import docker
import pytest
from docker.models.containers import Container

from parlor.rules.catalog import GAMES
from tests.conftest import Eventually
from tests.integration.deploy.support import PROFILES, ROOT, TOOLS, has_engine

PROJECT = "parlor-test"
PORTS = ("PARLOR_HTTP_PORTS", "PARLOR_GRPC_PORTS", "PARLOR_GRAFANA_PORT", "PARLOR_JAEGER_PORT")
GAMES_EACH = 3
KILLED = {
    **{f"engine-{kind}": (kind,) for kind in GAMES},
    **dict.fromkeys(("matchmaking", "gateway", "archive", "redis"), tuple(GAMES)),
}
"""Whom it happens to, and what is played then."""

DASHBOARDS = {f"parlor-{path.stem}" for path in (ROOT / "deploy/grafana/dashboards").glob("*.json")}

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
        env={**os.environ, **dict.fromkeys(PORTS, "0")},
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]


@pytest.fixture(params=["plain", "everything"])
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


def url_of(container: Container, port: int = 8080) -> str:
    """Where this machine reaches a port of the container."""
    container.reload()
    published = (each for each in container.ports[f"{port}/tcp"] if ":" not in each["HostIp"])
    return f"http://127.0.0.1:{next(published)['HostPort']}"


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


def said(container: Container, *command: str) -> str:
    """What a command in the container prints; empty where it fails."""
    code, printed = container.exec_run(list(command))
    return printed.decode() if code == 0 else ""


def games_run(container: Container) -> bool:
    told = said(container, "python", "-m", "parlor.cli", "maintenance", "status")
    return "games: " in told and "games: none" not in told


def primary(sentinel: Container) -> str:
    """The server that a sentinel names."""
    asked = ("redis-cli", "-p", "26379", "sentinel", "get-master-addr-by-name", "parlor")
    host, *_ = said(sentinel, *asked).split() or [""]
    return host


def archived(postgres: Container) -> int:
    counted = ("--tuples-only", "--no-align", "--command", "select count(*) from games")
    return int(said(postgres, "psql", "--username", "parlor", *counted, "parlor") or 0)


def is_watched(prometheus: Container) -> bool:
    """Whether every process of Parlor and every Redis server tells Prometheus its figures."""
    url = "http://127.0.0.1:9090/api/v1/query?query=up"
    told = said(prometheus, "wget", "-q", "-O", "-", url)
    found = json.loads(told)["data"]["result"] if told else []
    jobs = {each["metric"]["job"] for each in found}
    return jobs == {"parlor", "redis"} and {each["value"][1] for each in found} == {"1"}


def dashboards(grafana: Container) -> set[str]:
    """Those that whoever comes is shown."""
    return {each["uid"] for each in read(f"{url_of(grafana, 3000)}/api/search?type=dash-db") or []}


def traced(jaeger: Container) -> set[str]:
    """The services whose spans have come in."""
    return set((read(f"{url_of(jaeger, 16686)}/api/services") or {}).get("data") or [])


def read(url: str) -> Any:
    """The JSON behind an address; None where nobody answers it."""
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return json.load(answer)
    except OSError:
        return None


async def test_games_go_on_while_containers_are_killed(
    containers: Containers, eventually: Eventually
) -> None:
    assert len({url_of(each) for each in containers("gateway")}) == 2
    for container in containers("gateway"):
        assert container.attrs["Config"]["User"] == "10001:10001"
        assert container.attrs["HostConfig"]["ReadonlyRootfs"]
    for name, games in KILLED.items():
        # A gateway that was started again has other ports.
        urls = [url_of(each) for each in containers("gateway")]
        players = [play(urls, game, GAMES_EACH) for game in games]
        (bots,) = containers("bots")
        await eventually(lambda each=bots: games_run(each), timeout=120)
        victim = containers(name)[0]
        victim.kill("SIGKILL")
        if name == "redis":
            for sentinel in containers("sentinel-1"):
                await eventually(
                    lambda each=sentinel: primary(each) not in {"", "redis"}, timeout=120
                )
        # An engine of Docker takes a kill for an order and does not start it again by itself.
        victim.start()
        await eventually(lambda each=victim: is_healthy(each), timeout=120)
        for player in players:
            assert_whole(player)
    ended = GAMES_EACH * sum(map(len, KILLED.values()))
    for postgres in containers("postgres"):
        await eventually(lambda each=postgres: archived(each) == ended, timeout=120)
    for prometheus in containers("prometheus"):
        await eventually(lambda each=prometheus: is_watched(each), timeout=120)
    for grafana in containers("grafana"):
        await eventually(lambda each=grafana: dashboards(each) == DASHBOARDS, timeout=120)
    for jaeger in containers("jaeger"):
        await eventually(lambda each=jaeger: traced(each) >= {"engine", "gateway"}, timeout=120)

"""docker-compose.yml: valid in every profile, gated by health, scalable, and set as services read it."""

import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.engine import make_url

from parlor.archive.config import ArchiveConfig
from parlor.engine.config import EngineConfig
from parlor.serving.redis_url import connection_options, is_cluster
from tests.integration.deploy.support import (
    COMMANDS,
    PROFILES,
    ROOT,
    composed,
    config_of,
    tool,
)

OPTIONAL = ("monitoring", "postgres", "sentinel", "tracing")
OTHERS = {
    "plain": {"redis"},
    "monitoring": {"redis", "redis-exporter", "prometheus", "grafana"},
    "postgres": {"redis", "postgres"},
    "sentinel": {"redis", "redis-2", "redis-3", "sentinel-1", "sentinel-2", "sentinel-3"},
    "tracing": {"redis", "jaeger"},
}
OTHERS["everything"] = set().union(*OTHERS.values())


@pytest.fixture(scope="module", params=PROFILES)
def profile(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture(scope="module")
def services(profile: str) -> dict[str, Any]:
    """Every service as compose understands it."""
    found: dict[str, Any] = composed(*PROFILES[profile])["services"]
    return found


def parlor(services: dict[str, Any]) -> dict[str, Any]:
    return {name: service for name, service in services.items() if name in COMMANDS}


def test_it_follows_the_schema() -> None:
    tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", ROOT / "docker-compose.yml")


def test_every_service_is_there(services: dict[str, Any], profile: str) -> None:
    assert set(services) == set(COMMANDS) | OTHERS[profile]


@pytest.mark.parametrize("count", range(len(OPTIONAL) + 1))
def test_any_of_the_profiles_go_together(count: int) -> None:
    for chosen in itertools.combinations(OPTIONAL, count):
        files = [word for name in chosen if name != "monitoring" for word in PROFILES[name]]
        profiles = [word for name in chosen for word in ("--profile", name)]
        found = composed(*files, *profiles)["services"]
        assert set(found) == set(COMMANDS).union(
            OTHERS["plain"], *(OTHERS[name] for name in chosen)
        )
        engine, archive = found["engine-planes"]["environment"], found["archive"]["environment"]
        assert ("sentinel" in engine["PARLOR_REDIS_URL"]) is ("sentinel" in chosen)
        assert ("jaeger" in engine["PARLOR_TRACING_ENDPOINT"]) is ("tracing" in chosen)
        assert ("postgres" in archive["PARLOR_ARCHIVE_DATABASE_URL"]) is ("postgres" in chosen)


def test_each_service_of_parlor_runs_the_one_image_with_its_command(
    services: dict[str, Any],
) -> None:
    for name, service in parlor(services).items():
        assert service["image"] == "parlor:latest"
        assert Path(service["build"]["dockerfile"]) == Path("deploy/docker/Dockerfile")
        assert service["command"] == COMMANDS[name]


def test_the_archive_is_where_the_profile_says(services: dict[str, Any], profile: str) -> None:
    archive = services["archive"]
    config = config_of(archive["command"], archive["environment"])
    assert isinstance(config, ArchiveConfig)
    database = make_url(config.database_url)
    if "postgres" in services:
        postgres = services["postgres"]["environment"]
        assert (database.host, database.username) == ("postgres", postgres["POSTGRES_USER"])
        assert (database.password, database.database) == (
            postgres["POSTGRES_PASSWORD"],
            postgres["POSTGRES_DB"],
        )
    else:
        (volume,) = archive["volumes"]
        assert Path(database.database or "").parent == Path(volume["target"])


def test_every_other_image_is_pinned(services: dict[str, Any]) -> None:
    for name, service in services.items():
        if name not in COMMANDS:
            _, _, tag = service["image"].partition(":")
            assert re.fullmatch(r"v?\d+\.\d+(\.\d+)?(-alpine)?", tag), name


def test_what_is_set_is_what_the_service_reads(services: dict[str, Any]) -> None:
    for service in parlor(services).values():
        env = {key: str(value) for key, value in service["environment"].items()}
        config = config_of(service["command"], env)
        assert (config.http_host, config.http_port) == ("0.0.0.0", 8080)
        assert (config.grpc_host, config.grpc_port) == ("0.0.0.0", 9090)
        options = connection_options(config.redis_url)
        assert not is_cluster(config.redis_url)
        if "primary" in options:
            assert {host for host, _ in options["primary"].sentinels} <= set(services)
        else:
            assert options["host"] == "redis"


def test_moves_are_confirmed_by_a_replica_where_there_are_replicas(
    services: dict[str, Any], profile: str
) -> None:
    engine = services["engine-planes"]
    config = config_of(engine["command"], engine["environment"])
    assert isinstance(config, EngineConfig)
    has_replicas = "redis-2" in services
    assert config.durability == ("replicated" if has_replicas else "local")
    least = services["redis"]["command"].index("--min-replicas-to-write")
    assert services["redis"]["command"][least + 1] == str(int(has_replicas))


def test_every_service_is_traced_where_there_is_somebody_to_look(
    services: dict[str, Any],
) -> None:
    for service in parlor(services).values():
        config = config_of(service["command"], service["environment"])
        if "jaeger" in services:
            assert (config.tracing_endpoint, config.tracing_ratio) == ("http://jaeger:4317", 1)
        else:
            assert config.tracing_endpoint == ""


def test_nothing_starts_before_what_it_needs_is_healthy(services: dict[str, Any]) -> None:
    needs = {name: service.get("depends_on", {}) for name, service in services.items()}
    for name, wanted in needs.items():
        assert {each["condition"] for each in wanted.values()} <= {"service_healthy"}
        assert bool(wanted) is (name in {*COMMANDS, "grafana"})
        for other in set(wanted) & set(services):
            assert "healthcheck" in services[other] or other in COMMANDS


def test_everything_is_started_again_and_bounded(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["restart"] == "unless-stopped"
        assert set(service["deploy"]["resources"]["limits"]) == {"cpus", "memory", "pids"}


def test_nothing_writes_outside_its_volumes_or_gains_rights(services: dict[str, Any]) -> None:
    for service in services.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]


def test_only_gateways_are_published_and_scaling_them_clashes_with_no_port(
    services: dict[str, Any],
) -> None:
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    for port in published.pop("gateway"):
        first, _, last = str(port["published"]).partition("-")
        assert int(last) > int(first)
    # Of these there is one each, which keeps what it has to itself; they are for this machine.
    assert set(published) <= {"grafana", "jaeger"}
    assert {port["host_ip"] for ports in published.values() for port in ports} <= {"127.0.0.1"}
    assert not any("container_name" in service for service in services.values())


def test_services_of_parlor_share_no_volume_that_they_write(services: dict[str, Any]) -> None:
    for name, service in parlor(services).items():
        written = [each for each in service.get("volumes", []) if not each.get("read_only")]
        # SQLite is made for several processes of one machine.
        assert [each["source"] for each in written] == (
            ["archive-data"] if name == "archive" else []
        )


def test_a_service_may_take_longer_to_stop_than_its_drain(services: dict[str, Any]) -> None:
    for service in parlor(services).values():
        assert service["stop_grace_period"] == "30s"
        # Streams and HTTP have a second each after the drain.
        assert config_of(service["command"], {}).drain_ms <= 28_000


def test_everything_that_is_mounted_is_there(services: dict[str, Any]) -> None:
    for service in services.values():
        for volume in service.get("volumes", []):
            assert volume["type"] == "volume" or Path(volume["source"]).exists()


def test_redis_runs_with_the_file_of_the_repository(services: dict[str, Any]) -> None:
    for name, service in services.items():
        if name.split("-")[0] != "redis" or name == "redis-exporter":
            continue
        (mounted,) = (each for each in service["volumes"] if each["type"] == "bind")
        assert Path(mounted["source"]) == ROOT / "deploy" / "redis"
        inside = service["command"][0]
        assert (ROOT / "deploy" / "redis" / Path(inside).name).is_file()
        assert Path(inside).parent == Path(mounted["target"])

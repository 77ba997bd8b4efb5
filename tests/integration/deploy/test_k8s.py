"""deploy/k8s: every combination is valid to the Kubernetes API, and says what the code says."""

import base64
import itertools
import json
import os
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from parlor.engine.config import EngineConfig
from parlor.gateway.config import GatewayConfig
from parlor.serving.redis_url import cluster_options, connection_options, is_cluster
from tests.integration.deploy.support import (
    COMMANDS,
    PROFILES,
    ROOT,
    composed,
    config_of,
    image_environment,
    tool,
)

K8S = ROOT / "deploy" / "k8s"
OVERLAYS = sorted(path.name for path in (K8S / "overlays").iterdir())
REDIS = ("redis-single", "redis-sentinel", "redis-external")
OPTIONAL = ("autoscaling", "ingress", "monitoring", "network-policies")
BESIDE = ("mtls", "tracing")
"""Components that touch nothing of the others'."""
VERSIONS = ("1.32", "1.37")
"""The oldest and the newest Kubernetes that it is checked for."""

LAST_RESORT_S = 5
"""How long after twice its drain a process ends itself; see parlor.serving.app."""

SECRETS = {
    "PARLOR_REDIS_URL": "redis://redis:6379/0",
    "PARLOR_ARCHIVE_DATABASE_URL": "postgresql://parlor:secret@database.example/parlor",
    "PARLOR_BOTS_TOKEN_KEY": "",
    "PARLOR_GATEWAY_TOKEN_KEYS": "",
}
"""Values of the kind that the Secrets have."""

Object = dict[str, Any]


@cache
def rendered(folder: Path) -> tuple[Object, ...]:
    """The objects of a kustomization."""
    printed = tool("kubectl", "kustomize", folder)
    return tuple(each for each in yaml.safe_load_all(printed) if each)


def overlay(name: str) -> tuple[Object, ...]:
    return rendered(K8S / "overlays" / name)


def combinations() -> Iterator[tuple[str, ...]]:
    """One way to have Redis, and any of the rest; what stands beside them, with nothing and with all."""
    for redis in REDIS:
        yield from ((redis, each) for each in BESIDE)
        for count in range(len(OPTIONAL) + 1):
            for rest in itertools.combinations(OPTIONAL, count):
                yield (redis, *rest)
        yield (redis, *OPTIONAL, *BESIDE)


_valid: set[str] = set()


def assert_valid(objects: Iterable[Object]) -> None:
    """Every object has only the fields of its kind, with values of their types."""
    for each in objects:
        if each["apiVersion"].startswith("cert-manager.io/"):
            # Not Kubernetes' own; what matters of them has a test.
            continue
        written = json.dumps(each, sort_keys=True)
        if written not in _valid:
            for version in VERSIONS:
                kubernetes_validate.validate(each, version, strict=True)
            _valid.add(written)


def named(objects: Iterable[Object], *kinds: str) -> dict[str, Object]:
    return {each["metadata"]["name"]: each for each in objects if each["kind"] in kinds}


def of_kind(objects: Iterable[Object], kind: str) -> list[Object]:
    return [each for each in objects if each["kind"] == kind]


def pod_of(workload: Object) -> Object:
    spec: Object = workload["spec"]["template"]["spec"]
    return spec


def container_of(workload: Object) -> Object:
    """The one of Parlor."""
    (found,) = (each for each in pod_of(workload)["containers"] if each["name"] == "parlor")
    container: Object = found
    return container


def parlor(objects: Iterable[Object]) -> dict[str, Object]:
    """The Deployments that run Parlor's image."""
    deployments = named(objects, "Deployment")
    return {name: each for name, each in deployments.items() if name in COMMANDS}


def environment(objects: tuple[Object, ...], container: Object) -> dict[str, str]:
    """What a container sees of the ConfigMaps and of what is written out; Secrets are left out."""
    env: dict[str, str] = {}
    for source in container.get("envFrom", []):
        env |= named(objects, "ConfigMap")[source["configMapRef"]["name"]]["data"]
    env |= {each["name"]: each["value"] for each in container["env"] if "value" in each}
    return env


def by_reference(container: Object) -> dict[str, Object]:
    """The variables that come from Secrets."""
    return {
        each["name"]: each["valueFrom"]["secretKeyRef"]
        for each in container["env"]
        if "secretKeyRef" in each.get("valueFrom", {})
    }


@pytest.mark.parametrize("name", OVERLAYS)
def test_every_overlay_is_valid(name: str) -> None:
    assert_valid(overlay(name))


def combined(components: Iterable[str], folder: Path) -> tuple[Object, ...]:
    """The base with these components, put together in a new folder."""

    def path(*parts: str) -> str:
        # Kustomize takes no absolute paths, and goes by where a folder really is.
        return os.path.relpath(K8S.joinpath(*parts).resolve(), folder.resolve())

    kustomization = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": [path("base")],
        "components": [path("components", each) for each in components],
    }
    (folder / "kustomization.yaml").write_text(yaml.safe_dump(kustomization))
    return rendered(folder)


@pytest.mark.parametrize("components", list(combinations()), ids="+".join)
def test_every_combination_of_components_is_valid(
    components: tuple[str, ...], tmp_path: Path
) -> None:
    objects = combined(components, tmp_path)
    assert_valid(objects)
    assert set(parlor(objects)) == set(COMMANDS)
    refer_to_what_is_there(objects)


def refer_to_what_is_there(objects: tuple[Object, ...]) -> None:
    """Fails where something names what does not exist, or selects nothing."""
    workloads = named(objects, "Deployment", "StatefulSet")
    labels = [each["spec"]["template"]["metadata"]["labels"] for each in workloads.values()]
    for budget in named(objects, "PodDisruptionBudget").values():
        wanted = budget["spec"]["selector"]["matchLabels"]
        assert sum(wanted.items() <= each.items() for each in labels) == 1, budget["metadata"]
    for service in named(objects, "Service").values():
        wanted = service["spec"]["selector"]
        (selected,) = (
            each
            for each in workloads.values()
            if wanted.items() <= each["spec"]["template"]["metadata"]["labels"].items()
        )
        open_ports = {
            port["name"] for each in pod_of(selected)["containers"] for port in each["ports"]
        }
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= open_ports
    for scaler in named(objects, "HorizontalPodAutoscaler").values():
        scaled = workloads[scaler["spec"]["scaleTargetRef"]["name"]]
        assert "replicas" not in scaled["spec"]
    files = named(objects, "ConfigMap")
    for workload in workloads.values():
        for volume in pod_of(workload).get("volumes", []):
            if "configMap" in volume:
                assert volume["configMap"]["name"] in files


@pytest.mark.parametrize("name", OVERLAYS)
def test_each_service_runs_with_its_command_and_settings_that_it_knows(name: str) -> None:
    objects = overlay(name)
    for service, deployment in parlor(objects).items():
        container = container_of(deployment)
        assert container["args"] == COMMANDS[service]
        assert "command" not in container
        env = environment(objects, container) | {
            variable: SECRETS[variable] for variable in by_reference(container)
        }
        config = config_of(
            container["args"],
            {key: value for key, value in env.items() if key.startswith("PARLOR_")},
        )
        ports = {each["name"]: each["containerPort"] for each in container["ports"]}
        assert ports == {"http": config.http_port, "grpc": config.grpc_port}
        assert container["startupProbe"]["grpc"]["port"] == config.grpc_port
        assert container["livenessProbe"]["grpc"]["port"] == config.grpc_port
        assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "http"}
        if service.startswith("engine"):
            assert config.advertise == f"$(POD_IP):{config.grpc_port}"


@pytest.mark.parametrize("name", OVERLAYS)
def test_a_pod_may_take_as_long_to_end_as_its_process(name: str) -> None:
    objects = overlay(name)
    for deployment in parlor(objects).values():
        container = container_of(deployment)
        env = environment(objects, container)
        config = config_of(
            container["args"], {key: value for key, value in env.items() if "DRAIN" in key}
        )
        before = container.get("lifecycle", {}).get("preStop", {}).get("sleep", {})
        least = before.get("seconds", 0) + 2 * config.drain_ms / 1000 + LAST_RESORT_S
        assert pod_of(deployment)["terminationGracePeriodSeconds"] >= least


@pytest.mark.parametrize("name", OVERLAYS)
def test_gateways_find_what_they_ask_and_bots_find_gateways(name: str) -> None:
    objects = overlay(name)
    settings = next(
        each["data"]
        for service, each in named(objects, "ConfigMap").items()
        if service.startswith("parlor-settings")
    )
    services = named(objects, "Service")
    for name in ("archive", "matchmaking"):
        (port,) = services[name]["spec"]["ports"]
        assert settings[f"PARLOR_GATEWAY_{name.upper()}"] == f"dns:///{name}:{port['port']}"
        # One address for all would bind a gateway to one replica.
        assert services[name]["spec"]["clusterIP"] == "None"
    http = next(each for each in services["gateway"]["spec"]["ports"] if each["name"] == "http")
    assert settings["PARLOR_BOTS_URLS"] == f"http://gateway:{http['port']}"


@pytest.mark.parametrize("name", OVERLAYS)
def test_nothing_runs_with_rights_that_it_does_not_need(name: str) -> None:
    for workload in named(overlay(name), "Deployment", "StatefulSet").values():
        pod = pod_of(workload)
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        # Else a Service of the namespace becomes a setting that Parlor refuses.
        assert pod["enableServiceLinks"] is False
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }
            assert "memory" in container["resources"]["limits"]
    for each in parlor(overlay(name)).values():
        user = pod_of(each)["securityContext"]["runAsUser"]
        assert f"USER {user}" in (ROOT / "deploy" / "docker" / "Dockerfile").read_text()


@pytest.mark.parametrize("name", [name for name in OVERLAYS if name.startswith("prod")])
def test_secrets_are_referred_to_and_never_written_down(name: str) -> None:
    objects = overlay(name)
    assert not named(objects, "Secret")
    referred = {
        (variable, secret["name"], secret["key"])
        for deployment in parlor(objects).values()
        for variable, secret in by_reference(container_of(deployment)).items()
    }
    assert referred == {
        ("PARLOR_REDIS_URL", "parlor-redis", "url"),
        ("PARLOR_ARCHIVE_DATABASE_URL", "parlor-archive", "database-url"),
        ("PARLOR_GATEWAY_TOKEN_KEYS", "parlor-tokens", "token-keys"),
        ("PARLOR_BOTS_TOKEN_KEY", "parlor-tokens", "bots-token-key"),
    }


@pytest.mark.parametrize("name", [name for name in OVERLAYS if name.startswith("prod")])
def test_the_loss_of_a_node_leaves_every_service_of_production_a_replica(name: str) -> None:
    objects = overlay(name)
    budgets = named(objects, "PodDisruptionBudget")
    scalers = named(objects, "HorizontalPodAutoscaler")
    for service, deployment in parlor(objects).items():
        if service == "bots":
            # Nobody misses them for a minute.
            continue
        least = scalers[service]["spec"]["minReplicas"] if service in scalers else None
        assert (least or deployment["spec"]["replicas"]) >= 2
        assert budgets[service]["spec"]["maxUnavailable"] == 1
        assert pod_of(deployment)["topologySpreadConstraints"]
        assert deployment["spec"]["strategy"]["rollingUpdate"]["maxUnavailable"] == 0


def test_services_have_the_certificates_that_they_are_told_of(tmp_path: Path) -> None:
    objects = combined(("redis-single", "mtls"), tmp_path)
    certificates = {
        each["metadata"]["name"]: each["spec"] for each in of_kind(objects, "Certificate")
    }
    issuers = {each["metadata"]["name"]: each["spec"] for each in of_kind(objects, "Issuer")}
    issued, authority = certificates["parlor-grpc"], certificates["parlor-authority"]
    assert issuers[issued["issuerRef"]["name"]]["ca"]["secretName"] == authority["secretName"]
    assert "selfSigned" in issuers[authority["issuerRef"]["name"]]
    assert {"server auth", "client auth"} <= set(issued["usages"])
    for service, deployment in parlor(objects).items():
        container = container_of(deployment)
        env = environment(objects, container)
        config = config_of(
            container["args"],
            {key: value for key, value in env.items() if key.startswith("PARLOR_")},
        )
        assert config.grpc_tls_name in issued["dnsNames"]
        assert config.grpc_tls_clients == ("any" if service == "gateway" else "required")
        volumes = {each["name"]: each for each in pod_of(deployment)["volumes"]}
        mounted = {
            each["mountPath"]: volumes[each["name"]]["secret"]["secretName"]
            for each in container["volumeMounts"]
            if "secret" in volumes[each["name"]] and "subPath" not in each
        }
        files = {config.grpc_tls_certificate, config.grpc_tls_key, config.grpc_tls_authority}
        folders = {str(Path(file).parent) for file in files}
        assert {mounted[folder] for folder in folders} == {issued["secretName"]}
        # As cert-manager names what it writes.
        assert {Path(file).name for file in files} == {"tls.crt", "tls.key", "ca.crt"}
        for probe in ("startupProbe", "livenessProbe"):
            assert container[probe]["httpGet"] == {"path": "/healthz", "port": "http"}
            assert "grpc" not in container[probe]
    for front in named(objects, "Service").values():
        assert all("h2c" not in port.get("appProtocol", "") for port in front["spec"]["ports"])


def test_redis_under_sentinel_is_the_default_and_confirms_moves() -> None:
    objects = overlay("prod")
    redis = named(objects, "StatefulSet")["redis"]
    containers = {each["name"]: each for each in pod_of(redis)["containers"]}
    server, sentinel = containers["redis"], containers["sentinel"]
    env = environment(objects, server)
    pods = [f"redis-{number}.redis" for number in range(redis["spec"]["replicas"])]
    assert env["SERVERS"].split() == [f"{pod}:6379" for pod in pods]
    assert env["SENTINELS"].split() == [f"{pod}:26379" for pod in pods]
    assert environment(objects, sentinel)["FIRST"] == f"{pods[0]}:6379"
    assert server["args"][server["args"].index("--min-replicas-to-write") + 1] == "1"
    engine = container_of(named(objects, "Deployment")["engine-planes"])
    durability = environment(objects, engine)["PARLOR_ENGINE_DURABILITY"]
    config = config_of(engine["args"], {"PARLOR_ENGINE_DURABILITY": durability})
    assert isinstance(config, EngineConfig)
    assert config.durability == "replicated"


def test_every_image_that_is_not_ours_is_the_one_of_compose() -> None:
    composed_images = {
        service["image"]
        for name, service in composed(*PROFILES["everything"])["services"].items()
        # The database of production and its collector of traces are somebody else's.
        if name not in {*COMMANDS, "jaeger", "postgres"}
    }
    images = {
        container["image"]
        for name in OVERLAYS
        for workload in named(overlay(name), "Deployment", "StatefulSet").values()
        for container in pod_of(workload)["containers"]
        if container["name"] != "parlor"
    }
    assert images == composed_images


def test_gateways_are_added_before_they_are_full() -> None:
    scaler = named(overlay("prod"), "HorizontalPodAutoscaler")["gateway"]
    (metric,) = (each["pods"] for each in scaler["spec"]["metrics"] if each["type"] == "Pods")
    assert metric["metric"]["name"] == "parlor_gateway_connections"
    assert int(metric["target"]["averageValue"]) < GatewayConfig().connections / 2


def test_the_redis_url_of_development_is_understood() -> None:
    objects = overlay("dev")
    (secret,) = (
        each for name, each in named(objects, "Secret").items() if name.startswith("parlor-redis-")
    )

    url, password = (base64.b64decode(secret["data"][key]).decode() for key in ("url", "password"))
    options = connection_options(url)
    assert (options["host"], options["password"]) == ("redis", password)


@pytest.mark.parametrize(
    "url",
    [
        "redis+sentinel://:secret@redis-0.redis:26379,redis-1.redis:26379,redis-2.redis:26379/parlor",
        "rediss://:secret@parlor.cache.example:6379/0",
        "redis+cluster://:secret@node-1:6379,node-2:6379",
    ],
)
def test_the_redis_urls_that_the_documentation_names_are_understood(url: str) -> None:
    assert url.partition(":secret@")[2] in (ROOT / "docs" / "operations.md").read_text()
    options = cluster_options(url)[1] if is_cluster(url) else connection_options(url)
    assert options["password"] == "secret"


def test_the_image_listens_where_deployments_look() -> None:
    env = image_environment()
    assert (env["PARLOR_HTTP_PORT"], env["PARLOR_GRPC_PORT"]) == ("8080", "9090")

"""The network policies of production: who reaches whom is who asks whom, and no more."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
import yaml

from tests.integration.deploy.support import ROOT, tool

GRPC, HTTP, REDIS, SENTINEL, EXPORTER = 9090, 8080, 6379, 26379, 9121

COMPONENT = "app.kubernetes.io/component"
SERVICES = ("archive", "bots", "engine", "gateway", "matchmaking")

Flow = tuple[str, str, int]
"""From a component to a component, at a port of its containers."""

ASKED: set[Flow] = {
    ("gateway", "engine", GRPC),
    ("gateway", "matchmaking", GRPC),
    ("gateway", "archive", GRPC),
    ("matchmaking", "engine", GRPC),
    ("bots", "gateway", HTTP),
    ("grafana", "prometheus", 9090),
    *(("prometheus", service, HTTP) for service in SERVICES),
}
OF_REDIS: set[Flow] = {
    ("prometheus", "redis", EXPORTER),
    *((asks, "redis", port) for asks in (*SERVICES, "redis") for port in (REDIS, SENTINEL)),
}

Object = dict[str, Any]


@pytest.mark.parametrize(
    ("overlay", "flows"), [("prod", ASKED | OF_REDIS), ("prod-external-redis", ASKED)]
)
def test_who_reaches_whom_is_who_asks_whom(overlay: str, flows: set[Flow]) -> None:
    assert set(let_through(objects_of(overlay))) == flows


@pytest.mark.parametrize("overlay", ["prod", "prod-external-redis"])
def test_from_outside_only_gateways_are_reached_at_both_ports(overlay: str) -> None:
    objects = objects_of(overlay)
    policies = policies_of(objects)
    reached = {
        (pod["metadata"]["labels"][COMPONENT], port)
        for pod in pods_of(objects)
        for port in ports_of(pod)
        if allows(policies, "Ingress", pod["metadata"]["labels"], {}, port)
    }
    assert reached == {("gateway", HTTP), ("gateway", GRPC)}


@pytest.mark.parametrize(
    ("overlay", "ports"), [("prod", {5432}), ("prod-external-redis", {5432, REDIS, SENTINEL})]
)
def test_what_is_outside_the_cluster_is_reached_at_the_ports_of_stores_alone(
    overlay: str, ports: set[int]
) -> None:
    reached = {
        port["port"]
        for policy in policies_of(objects_of(overlay))
        for rule in policy.get("egress", [])
        if any("ipBlock" in peer for peer in rule.get("to", []))
        for port in rule["ports"]
    }
    assert reached == ports


def objects_of(overlay: str) -> list[Object]:
    printed = tool("kubectl", "kustomize", ROOT / "deploy" / "k8s" / "overlays" / overlay)
    return list(yaml.safe_load_all(printed))


def policies_of(objects: Iterable[Object]) -> list[Object]:
    return [each["spec"] for each in objects if each["kind"] == "NetworkPolicy"]


def pods_of(objects: Iterable[Object]) -> list[Object]:
    """What every workload makes its pods of."""
    workloads = (each for each in objects if each["kind"] in {"Deployment", "StatefulSet"})
    return [each["spec"]["template"] for each in workloads]


def ports_of(pod: Object) -> Iterator[int]:
    for container in pod["spec"]["containers"]:
        yield from (each["containerPort"] for each in container.get("ports", []))


def let_through(objects: Sequence[Object]) -> Iterator[Flow]:
    """Every connection between pods that both of their sides' policies allow."""
    policies = policies_of(objects)
    for asks, asked in itertools.product(pods_of(objects), repeat=2):
        here, there = asks["metadata"]["labels"], asked["metadata"]["labels"]
        for port in ports_of(asked):
            if allows(policies, "Egress", here, there, port) and allows(
                policies, "Ingress", there, here, port
            ):
                yield here[COMPONENT], there[COMPONENT], port


def allows(policies: Iterable[Object], way: str, own: Object, other: Object, port: int) -> bool:
    """Whether a pod may be one end of a connection; one that no policy is about may all."""
    about = [
        each
        for each in policies
        if way in each["policyTypes"] and selects(each["podSelector"], own)
    ]
    rules = [rule for each in about for rule in each.get(way.lower(), [])]
    peers = "to" if way == "Egress" else "from"
    return not about or any(
        (peers not in rule or any(is_peer(each, other) for each in rule[peers]))
        and ("ports" not in rule or any(each["port"] == port for each in rule["ports"]))
        for rule in rules
    )


def is_peer(peer: Object, labels: Object) -> bool:
    """Whether it is a pod of the same namespace with these labels; addresses are of elsewhere."""
    return set(peer) == {"podSelector"} and selects(peer["podSelector"], labels)


def selects(selector: Object, labels: Object) -> bool:
    """What label selectors mean."""
    return selector.get("matchLabels", {}).items() <= labels.items() and all(
        (labels.get(each["key"]) in each["values"]) is (each["operator"] == "In")
        for each in selector.get("matchExpressions", [])
    )

"""What Prometheus finds: its configurations, followed over the pods of Kubernetes and the names of compose."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
import yaml

from tests.integration.deploy.queries import PROMETHEUS, queries, uses
from tests.integration.deploy.support import COMMANDS, ROOT, tool

SERVICES = {name.partition("-")[0] for name in COMMANDS}
META = "__meta_kubernetes_pod"

Labels = dict[str, str]


def jobs(file: str) -> dict[str, dict[str, Any]]:
    config = yaml.safe_load((PROMETHEUS / file).read_text())
    return {job["job_name"]: job for job in config["scrape_configs"]}


def overlay(name: str) -> list[dict[str, Any]]:
    printed = tool("kubectl", "kustomize", ROOT / "deploy" / "k8s" / "overlays" / name)
    return list(yaml.safe_load_all(printed))


def relabelled(labels: Labels, rules: Iterable[dict[str, Any]]) -> Labels | None:
    """A target's labels after the rules, without what is only for them; None where one drops it."""
    labels = dict(labels)
    for rule in rules:
        value = ";".join(labels.get(name, "") for name in rule.get("source_labels", []))
        found = re.fullmatch(rule.get("regex", "(.*)"), value)
        match rule.get("action", "replace"):
            case "keep" | "drop" as action:
                if (action == "keep") is (found is None):
                    return None
            case "replace":
                if found is not None:
                    made = re.sub(r"\$(\d)", r"\\\1", rule.get("replacement", "$1"))
                    labels[rule["target_label"]] = found.expand(made)
    return {
        name: value for name, value in labels.items() if name == "__address__" or name[:2] != "__"
    }


def meta(label: str) -> str:
    """What Prometheus calls a label of a pod."""
    return f"{META}_label_{re.sub(r'[^a-zA-Z0-9_]', '_', label)}"


def ports_of_pods(objects: Iterable[dict[str, Any]]) -> Iterator[Labels]:
    """What Prometheus discovers: a target for each port of each container, with the labels that it gives them."""
    for workload in objects:
        if workload["kind"] not in {"Deployment", "StatefulSet"}:
            continue
        pod = workload["spec"]["template"]
        told = {meta(key): value for key, value in pod["metadata"]["labels"].items()}
        for container in pod["spec"]["containers"]:
            for port in container["ports"]:
                yield {
                    **told,
                    "__address__": f"10.0.0.1:{port['containerPort']}",
                    "__meta_kubernetes_namespace": workload["metadata"]["namespace"],
                    f"{META}_name": f"{workload['metadata']['name']}-0",
                    f"{META}_phase": "Running",
                    f"{META}_container_name": container["name"],
                    f"{META}_container_port_name": port["name"],
                }


def found_in(name: str, job: str) -> list[Labels]:
    """The targets of a job of Kubernetes, in an overlay."""
    config = jobs("kubernetes.yml")[job]
    (discovered,) = config["kubernetes_sd_configs"]
    (selector,) = discovered["selectors"]
    key, _, value = selector["label"].partition("=")
    selected = [each for each in ports_of_pods(overlay(name)) if each.get(meta(key)) == value]
    targets = (relabelled(each, config["relabel_configs"]) for each in selected)
    return [each for each in targets if each is not None]


@pytest.mark.parametrize("name", ["prod", "prod-external-redis"])
def test_every_pod_of_parlor_is_found_once(name: str) -> None:
    targets = found_in(name, "parlor")
    assert {each["service"] for each in targets} == SERVICES
    assert len({each["pod"] for each in targets}) == len(targets) == len(COMMANDS)
    assert {each["__address__"].partition(":")[2] for each in targets} == {"8080"}
    # By these the scalers know whose figures they are.
    assert {each["namespace"] for each in targets} == {"parlor"}


def test_what_has_ended_is_not_missed() -> None:
    rules = jobs("kubernetes.yml")["parlor"]["relabel_configs"]
    one = next(
        each for each in ports_of_pods(overlay("prod")) if relabelled(each, rules) is not None
    )
    assert relabelled({**one, f"{META}_phase": "Failed"}, rules) is None


def test_servers_of_redis_are_found_where_they_are_ours() -> None:
    (redis,) = found_in("prod", "redis")
    assert redis["__address__"].endswith(":9121")
    assert redis["server"] == "redis-0"
    assert found_in("prod-external-redis", "redis") == []


def test_compose_and_kubernetes_name_services_alike() -> None:
    job = jobs("compose.yml")["parlor"]
    (discovered,) = job["dns_sd_configs"]
    targets = (
        relabelled({"__meta_dns_name": each}, job["relabel_configs"])
        for each in discovered["names"]
    )
    assert {each["service"] for each in targets if each is not None} == SERVICES


def test_compose_asks_the_exporter_about_each_server() -> None:
    job = jobs("compose.yml")["redis"]
    discovered = {"__address__": "172.18.0.9:6379", "__meta_dns_name": "redis-2"}
    target = relabelled(discovered, job["relabel_configs"])
    assert target == {
        "__address__": "redis-exporter:9121",
        "instance": "172.18.0.9:6379",
        "server": "redis-2",
    }


def test_no_query_counts_on_labels_that_only_kubernetes_has() -> None:
    for query in queries():
        if query.place != "adapter.yml":
            for each in uses(query):
                assert each.labels.isdisjoint({"namespace", "pod"}), query.place


def test_scalers_ask_for_what_the_adapter_makes() -> None:
    made = {
        rule["name"]["as"]
        for rule in yaml.safe_load((PROMETHEUS / "adapter.yml").read_text())["rules"]
    }
    asked = {
        metric["pods"]["metric"]["name"]
        for each in overlay("prod")
        if each["kind"] == "HorizontalPodAutoscaler"
        for metric in each["spec"]["metrics"]
        if metric["type"] == "Pods"
    }
    assert asked == made

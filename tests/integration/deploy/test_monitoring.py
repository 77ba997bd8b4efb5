"""deploy/prometheus and deploy/grafana: every query asks for what is exported, every alert fires and has a runbook."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from redis import Redis

from parlor.engine.config import EngineConfig
from parlor.gateway.config import GatewayConfig
from parlor.serving import redis_server
from tests.integration.deploy import exported
from tests.integration.deploy.queries import (
    DASHBOARDS,
    PROMETHEUS,
    Query,
    queries,
    recorded,
    rules,
    uses,
)
from tests.integration.deploy.support import COMMANDS, OPERATIONS, PROFILES, ROOT, composed, tool

ALERTS = [rule["alert"] for rule in rules("alerts.yml")]

needs_promtool = pytest.mark.skipif(
    shutil.which("promtool") is None, reason="no promtool on this machine: make tools"
)


def promtool(*arguments: str | Path) -> None:
    done = subprocess.run(
        ["promtool", *arguments],
        cwd=PROMETHEUS,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("query", list(queries()), ids=lambda query: query.place)
def test_every_query_asks_for_what_is_exported(query: Query) -> None:
    known = exported.everything() | recorded()
    asked = uses(query)
    assert asked
    for each in asked:
        assert each.metric in known, query.text
        assert each.labels <= known[each.metric] | exported.OF_TARGETS, query.text


def test_what_redis_exporter_is_asked_for_redis_tells(tmp_path: Path) -> None:
    server = redis_server.start(tmp_path)
    try:
        with Redis(port=server.port, decode_responses=True) as client:
            told = client.info("everything")
        assert [field for field in exported.REDIS_INFO.values() if field not in told] == []
    finally:
        server.stop()


def test_a_metric_that_is_not_exported_is_noticed() -> None:
    (unknown,) = uses(Query("", "rate(parlor_engine_comands_total[5m])"))
    assert unknown.metric not in exported.everything()
    (known,) = uses(Query("", 'sum by (room) (parlor_engine_rooms{kind="planes"})'))
    assert known.labels == {"room", "kind"}
    assert not known.labels <= exported.everything()[known.metric] | exported.OF_TARGETS


def test_every_metric_that_the_runbook_names_is_on_a_dashboard() -> None:
    named = set(re.findall(r"`(parlor_[a-z_]+)`", OPERATIONS.read_text()))
    shown = {each.metric for query in queries() if ".json: " in query.place for each in uses(query)}
    assert named
    assert named <= shown


def test_everything_that_is_measured_is_asked_for() -> None:
    def measured(metrics: Iterable[str]) -> set[str]:
        return {re.sub(r"_(bucket|sum|count|created)$", "", metric) for metric in metrics}

    ours = measured(metric for metric in exported.everything() if metric.startswith("parlor_"))
    assert ours
    assert ours <= measured(each.metric for query in queries() for each in uses(query))


def test_every_alert_has_a_test_that_fires_it_and_one_that_does_not() -> None:
    tests = yaml.safe_load((PROMETHEUS / "alerts.test.yml").read_text())["tests"]
    cases = [case for each in tests for case in each["alert_rule_test"]]
    fired = {case["alertname"] for case in cases if case.get("exp_alerts")}
    quiet = {case["alertname"] for case in cases if not case.get("exp_alerts")}
    assert fired == quiet == set(ALERTS)


@needs_promtool
def test_the_rules_are_well_formed_and_every_alert_fires() -> None:
    promtool("check", "rules", "recording.yml", "alerts.yml")
    promtool("test", "rules", "alerts.test.yml")


@needs_promtool
def test_prometheus_takes_the_configuration_of_compose() -> None:
    promtool("check", "config", "compose.yml")


@needs_promtool
def test_prometheus_takes_the_configuration_of_kubernetes(tmp_path: Path) -> None:
    config = yaml.safe_load((PROMETHEUS / "kubernetes.yml").read_text())
    for job in config["scrape_configs"]:
        # Debian's promtool is built without this discovery; test_scraping.py follows it.
        assert job.pop("kubernetes_sd_configs")
    for file in config["rule_files"]:
        shutil.copy(PROMETHEUS / file, tmp_path)
    (tmp_path / "kubernetes.yml").write_text(yaml.safe_dump(config))
    promtool("check", "config", tmp_path / "kubernetes.yml")


def test_every_alert_has_a_runbook_and_every_runbook_an_alert() -> None:
    headings = re.findall(r"^### ((?:Parlor|Redis)\w+)$", OPERATIONS.read_text(), re.MULTILINE)
    assert sorted(headings) == sorted(ALERTS)
    for rule in rules("alerts.yml"):
        assert rule["annotations"]["runbook"] == f"docs/operations.md#{rule['alert'].lower()}"
        assert rule["labels"]["severity"] in ("critical", "warning", "info")


def expression(alert: str) -> str:
    (found,) = (rule["expr"] for rule in rules("alerts.yml") if rule["alert"] == alert)
    text: str = found
    return text


def test_alerts_come_before_the_limits_that_they_warn_of() -> None:
    def threshold(alert: str) -> int:
        return int(expression(alert).rpartition("> ")[2])

    assert threshold("ParlorGatewayFull") == 0.8 * GatewayConfig().connections
    assert threshold("ParlorEngineFull") == 0.8 * EngineConfig().most_rooms
    assert expression("ParlorMemoryHigh").endswith("0.85 * 1024 * 1024 * 1024")
    services = composed()["services"]
    limits = {services[name]["deploy"]["resources"]["limits"]["memory"] for name in COMMANDS}
    assert limits == {str(1024**3)}
    deployments = yaml.safe_load_all(
        tool("kubectl", "kustomize", ROOT / "deploy/k8s/overlays/prod")
    )
    (limited,) = {
        container["resources"]["limits"]["memory"]
        for each in deployments
        if each["kind"] == "Deployment" and each["metadata"]["name"] in COMMANDS
        for container in each["spec"]["template"]["spec"]["containers"]
    }
    assert limited == "1Gi"
    units = (ROOT / "deploy" / "systemd").iterdir()
    assert {
        re.findall(r"^MemoryMax=(.*)$", unit.read_text(), re.MULTILINE)[0] for unit in units
    } == {"1G"}


def test_prometheus_looks_at_every_service_of_compose() -> None:
    config = yaml.safe_load((PROMETHEUS / "compose.yml").read_text())
    jobs = {
        job["job_name"]: set(job["dns_sd_configs"][0]["names"]) for job in config["scrape_configs"]
    }
    services = set(composed(*PROFILES["everything"])["services"])
    assert jobs["parlor"] == set(COMMANDS)
    assert jobs["redis"] == {name for name in services if re.fullmatch(r"redis(-\d)?", name)}


@pytest.mark.parametrize("path", sorted(DASHBOARDS.glob("*.json")), ids=lambda path: path.stem)
def test_a_dashboard_is_one_that_grafana_can_show(path: Path) -> None:
    dashboard: dict[str, Any] = json.loads(path.read_text())
    assert dashboard["uid"] == f"parlor-{path.stem}"
    panels = dashboard["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels) >= 6
    places = {(panel["gridPos"]["x"], panel["gridPos"]["y"]) for panel in panels}
    assert len(places) == len(panels)
    source = yaml.safe_load(
        (DASHBOARDS.parent / "provisioning" / "datasources" / "prometheus.yml").read_text()
    )["datasources"][0]
    for panel in panels:
        assert panel["datasource"] == {"type": "prometheus", "uid": source["uid"]}


def test_every_dashboard_reaches_kubernetes() -> None:
    listed = yaml.safe_load((DASHBOARDS.parent / "kustomization.yaml").read_text())
    (files,) = (
        each["files"]
        for each in listed["configMapGenerator"]
        if each["name"] == "grafana-dashboards"
    )
    assert sorted(files) == sorted(f"dashboards/{path.name}" for path in DASHBOARDS.glob("*.json"))

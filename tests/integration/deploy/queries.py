"""The queries of deploy/prometheus and deploy/grafana, taken apart."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import promql_parser
import yaml

from tests.integration.deploy.exported import OF_TARGETS
from tests.integration.deploy.support import ROOT

PROMETHEUS = ROOT / "deploy" / "prometheus"
DASHBOARDS = ROOT / "deploy" / "grafana" / "dashboards"


@dataclass(frozen=True)
class Query:
    """One expression and where it stands."""

    place: str
    text: str


def rules(file: str) -> list[dict[str, Any]]:
    """The rules of a file of deploy/prometheus."""
    groups = yaml.safe_load((PROMETHEUS / file).read_text())["groups"]
    return [rule for group in groups for rule in group["rules"]]


def queries() -> Iterator[Query]:
    """All queries of rules, dashboards and the adapter."""
    for file in ("recording.yml", "alerts.yml"):
        for rule in rules(file):
            yield Query(f"{file}: {rule.get('record') or rule['alert']}", rule["expr"])
    for path in sorted(DASHBOARDS.glob("*.json")):
        dashboard = json.loads(path.read_text())
        for panel in dashboard["panels"]:
            for target in panel["targets"]:
                yield Query(f"{path.name}: {panel['title']}", target["expr"])
        for annotation in dashboard["annotations"]["list"]:
            yield Query(f"{path.name}: {annotation['name']}", annotation["expr"])
    for rule in yaml.safe_load((PROMETHEUS / "adapter.yml").read_text())["rules"]:
        # As the adapter fills it in.
        text = rule["metricsQuery"].replace("<<.GroupBy>>", "pod")
        text = text.replace("<<.Series>>", rule["seriesQuery"].partition("{")[0])
        yield Query("adapter.yml", text.replace("<<.LabelMatchers>>", 'namespace="parlor"'))


@dataclass(frozen=True)
class Uses:
    """A metric that a query asks for, with the labels that the query counts on."""

    metric: str
    labels: frozenset[str]


def uses(query: Query) -> list[Uses]:
    """What a query needs; a label that is grouped by is needed of everything below."""
    return list(_uses(promql_parser.parse(query.text), frozenset()))


def _uses(node: Any, grouped: frozenset[str]) -> Iterator[Uses]:
    match node:
        case promql_parser.VectorSelector():
            labels = {matcher.name for matcher in node.matchers.matchers}
            assert node.name, "a query names its metric"
            yield Uses(node.name, grouped | labels)
        case promql_parser.MatrixSelector():
            yield from _uses(node.vector_selector, grouped)
        case promql_parser.AggregateExpr():
            by = frozenset(node.modifier.labels) if node.modifier else frozenset[str]()
            yield from _uses(node.expr, by)
        case promql_parser.BinaryExpr():
            yield from _uses(node.lhs, grouped)
            yield from _uses(node.rhs, grouped)
        case promql_parser.Call():
            for argument in node.args:
                yield from _uses(argument, grouped)
        case promql_parser.ParenExpr() | promql_parser.SubqueryExpr() | promql_parser.UnaryExpr():
            yield from _uses(node.expr, grouped)
        case promql_parser.NumberLiteral() | promql_parser.StringLiteral():
            pass
        case _:
            raise TypeError(f"no such part of a query is known: {type(node).__name__}")


def recorded() -> dict[str, frozenset[str]]:
    """The series of the recording rules with the labels that they keep, which their names begin with."""
    found = {}
    for rule in rules("recording.yml"):
        levels, *_ = rule["record"].split(":")
        kept = _kept(promql_parser.parse(rule["expr"]))
        if kept is None:
            found[rule["record"]] = OF_TARGETS
        else:
            assert kept == (frozenset() if levels == "parlor" else frozenset(levels.split("_")))
            found[rule["record"]] = kept
    return found


def _kept(node: Any) -> frozenset[str] | None:
    """The labels of a result; None where nothing is taken away."""
    match node:
        case promql_parser.AggregateExpr():
            return frozenset(node.modifier.labels if node.modifier else ()) - {"le"}
        case promql_parser.BinaryExpr():
            return _kept(node.lhs)
        case promql_parser.Call():
            return _kept(node.args[-1])
        case _:
            return None

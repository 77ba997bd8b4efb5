"""What Prometheus can know of a deployment: names of metrics and their labels."""

import importlib
import pkgutil
from typing import Any, Final

from prometheus_client import ProcessCollector
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.registry import CollectorRegistry

import parlor

SUFFIXES: Final[dict[str, dict[str, tuple[str, ...]]]] = {
    "counter": {"_total": ()},
    "gauge": {"": ()},
    "histogram": {"_bucket": ("le",), "_sum": (), "_count": ()},
}
"""Under which names a metric of each type is asked for, and the labels that it gets there."""

OF_TARGETS: Final = frozenset({"job", "instance", "service", "server", "namespace", "pod"})
"""Labels that Prometheus adds; see deploy/prometheus."""

OF_PROMETHEUS: Final = {"up": frozenset[str](), "ALERTS": frozenset({"alertname", "alertstate"})}

REDIS_INFO: Final = {
    "redis_memory_used_bytes": "used_memory",
    "redis_memory_max_bytes": "maxmemory",
    "redis_connected_clients": "connected_clients",
    "redis_connected_slaves": "connected_slaves",
    "redis_commands_processed_total": "total_commands_processed",
    "redis_rejected_connections_total": "rejected_connections",
    "redis_expired_keys_total": "expired_keys",
    "redis_evicted_keys_total": "evicted_keys",
    "redis_net_input_bytes_total": "total_net_input_bytes",
    "redis_net_output_bytes_total": "total_net_output_bytes",
    "redis_cpu_user_seconds_total": "used_cpu_user",
    "redis_cpu_sys_seconds_total": "used_cpu_sys",
    "redis_aof_last_write_status": "aof_last_write_status",
    "redis_aof_current_size_bytes": "aof_current_size",
    "redis_aof_base_size_bytes": "aof_base_size",
    "redis_instance_info": "role",
}
"""Metrics of redis_exporter by the field of INFO that they are made of; `redis_up` it makes itself."""


def of_services() -> dict[str, frozenset[str]]:
    """Every metric of Parlor's services by its name, with its labels."""
    found: dict[str, frozenset[str]] = {}
    for module in pkgutil.walk_packages(parlor.__path__, "parlor."):
        if module.name.rpartition(".")[2] != "metrics":
            continue
        for metric in vars(importlib.import_module(module.name)).values():
            if isinstance(metric, MetricWrapperBase):
                found |= _names(metric)
    return found


def _names(metric: MetricWrapperBase) -> dict[str, frozenset[str]]:
    (described,) = metric.describe()
    labels: Any = metric._labelnames
    return {
        described.name + suffix: frozenset((*labels, *more))
        for suffix, more in SUFFIXES[described.type].items()
    }


def of_processes() -> dict[str, frozenset[str]]:
    """What every process of Python tells of itself."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    return {sample.name: frozenset() for family in registry.collect() for sample in family.samples}


def everything() -> dict[str, frozenset[str]]:
    """All that can be asked for, by name."""
    redis = {name: frozenset[str]() for name in (*REDIS_INFO, "redis_up")}
    redis["redis_instance_info"] = frozenset({"role"})
    return of_services() | of_processes() | redis | OF_PROMETHEUS

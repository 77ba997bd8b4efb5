"""Metrics that every process has; a service adds its own to prometheus_client's default registry.

Names follow Prometheus: `parlor_` and a noun, the unit last, `_total` for what only counts up.
"""

import asyncio
from typing import Final

from prometheus_client import Counter, Gauge, Histogram

LATENCY_BUCKETS: Final = (
    0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0,
)  # fmt: skip
"""Upper bounds in seconds, from one Redis round trip to what a player would call an outage."""

rpc_requests = Counter(
    "parlor_rpc_requests_total",
    "Calls that ended, by their gRPC code.",
    ("service", "method", "code"),
)
rpc_seconds = Histogram(
    "parlor_rpc_seconds",
    "How long answering a unary call took.",
    ("service", "method"),
    buckets=LATENCY_BUCKETS,
)
rpc_open = Gauge("parlor_rpc_open", "Calls in progress.", ("service", "method"))
longest_step = Gauge(
    "parlor_loop_longest_step_seconds",
    "The longest that anything held up the event loop within the last half minute.",
)
tls_expiry = Gauge(
    "parlor_tls_certificate_expiry_timestamp_seconds",
    "When the certificate of gRPC in use ends, in seconds since 1970; 0 without one.",
)
tls_renewals = Counter(
    "parlor_tls_renewals_total",
    "Times that files of certificates had changed, by whether the new ones could be used.",
    ("outcome",),
)
turned_away = Counter(
    "parlor_http_turned_away_total",
    "Connections closed as they came, from addresses that come too often.",
)
redis_awaited = Gauge(
    "parlor_redis_awaited", "1 while the process waits at its start for Redis to serve."
)
draining = Gauge("parlor_draining", "1 while the process hands over and ends.")

_LOOK_EVERY_S: Final = 0.025
_WINDOW_S: Final = 15.0


async def watch_loop() -> None:
    """Keeps `longest_step` up to date: how late a timer of this loop came, at worst.

    It includes the time in which the process did not get a processor, which holds players up just
    the same.
    """
    loop = asyncio.get_running_loop()
    worst_now = worst_before = 0.0
    turns_at = loop.time() + _WINDOW_S
    while True:
        due = loop.time() + _LOOK_EVERY_S
        await asyncio.sleep(_LOOK_EVERY_S)
        now = loop.time()
        worst_now = max(worst_now, now - due)
        if now >= turns_at:
            worst_before, worst_now, turns_at = worst_now, 0.0, now + _WINDOW_S
        longest_step.set(max(worst_now, worst_before))

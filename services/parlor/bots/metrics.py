"""What an operator sees of the bots."""

from prometheus_client import Counter, Gauge, Histogram

from parlor.serving.metrics import LATENCY_BUCKETS

waiting = Gauge("parlor_bots_waiting", "Bots with a ticket.", ("pool",))
playing = Gauge("parlor_bots_playing", "Bots at a table.", ("pool",))
games = Counter("parlor_bots_games_total", "Games that bots played to the end.", ("pool",))
failures = Counter("parlor_bots_failures_total", "Bots that gave up.", ("pool", "error"))
decision_seconds = Histogram(
    "parlor_bots_decision_seconds",
    "How long deciding took.",
    ("kind",),
    buckets=LATENCY_BUCKETS,
)

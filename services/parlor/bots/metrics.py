"""What an operator sees of the bots."""

from prometheus_client import Counter, Gauge, Histogram

from parlor.serving.metrics import LATENCY_BUCKETS

playing = Gauge("parlor_bots_playing", "Bots at a table, or on their way to one.")
games = Counter("parlor_bots_games_total", "Games that bots played to the end.", ("kind",))
failures = Counter("parlor_bots_failures_total", "Bots that gave up.", ("kind", "error"))
decision_seconds = Histogram(
    "parlor_bots_decision_seconds",
    "How long deciding took.",
    ("kind",),
    buckets=LATENCY_BUCKETS,
)

"""What an operator sees of matchmaking, by kind of game: there is no end to the pools' names."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from parlor.serving.metrics import LATENCY_BUCKETS

WAIT_BUCKETS: Final = (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 60.0, 180.0, 600.0)
"""Upper bounds in seconds, from at once to longer than anybody waits."""

tickets_waiting = Gauge(
    "parlor_matchmaking_tickets_waiting",
    "Tickets in the queues of the pools that this replica owns.",
    ("kind",),
)
tickets = Counter(
    "parlor_matchmaking_tickets_total", "Tickets by what became of them.", ("outcome",)
)
matches = Counter("parlor_matchmaking_matches_total", "Matches made.", ("kind",))
bot_fills = Counter(
    "parlor_matchmaking_bot_fills_total", "Seats that were left to bots in matches.", ("kind",)
)
backfills = Counter(
    "parlor_matchmaking_backfills_total",
    "Bots' seats at running games that were offered to late people, by what came of it.",
    ("kind", "outcome"),
)
wait_seconds = Histogram(
    "parlor_matchmaking_wait_seconds",
    "How long a person's ticket waited before it was matched.",
    ("kind",),
    buckets=WAIT_BUCKETS,
)
replaced = Counter(
    "parlor_matchmaking_no_shows_total",
    "Seats of players who did not come that bots were asked to take, and matches that were dissolved.",
    ("outcome",),
)
cycle_seconds = Histogram(
    "parlor_matchmaking_cycle_seconds",
    "How long it took to decide who plays together, over the whole queue of a pool.",
    ("kind",),
    buckets=LATENCY_BUCKETS,
)
openings = Counter(
    "parlor_matchmaking_openings_total", "Attempts to open a match's room.", ("kind", "outcome")
)
pools_owned = Gauge("parlor_matchmaking_pools_owned", "Pools that this replica owns.")
failures = Counter(
    "parlor_matchmaking_failures_total", "Rounds of a pool that ended with an error.", ("error",)
)

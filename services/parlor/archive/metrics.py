"""What an operator sees of the archive."""

from prometheus_client import Counter, Gauge, Histogram

GAMES = Counter(
    "parlor_archive_games_total",
    "Ended games that were taken from the streams, by what became of them: archived, repeated, rejected.",
    ("outcome",),
)
RATED = Counter("parlor_archive_rated_total", "Archived games that changed ratings.", ("ladder",))
LAG_SECONDS = Histogram(
    "parlor_archive_lag_seconds",
    "From the end of a game to its archiving.",
    buckets=(0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0, 600.0, 3600.0, 86400.0),
)
OWNS = Gauge("parlor_archive_owns", "Whether this replica archives now.")
FAILURES = Counter(
    "parlor_archive_failures_total", "Rounds of archiving that ended with an error.", ("error",)
)

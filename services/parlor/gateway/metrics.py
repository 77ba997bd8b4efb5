"""What an operator sees of a gateway."""

from typing import Final

from prometheus_client import Counter, Gauge, Histogram

from parlor.serving.metrics import LATENCY_BUCKETS

connections: Final = Gauge("parlor_gateway_connections", "Sessions that are open.", ("transport",))
refusals: Final = Counter(
    "parlor_gateway_refusals_total",
    "Frames and requests that the gateway refused itself.",
    ("reason",),
)
cuts: Final = Counter(
    "parlor_gateway_cuts_total", "Sessions that the gateway ended, by its goodbye.", ("reason",)
)
reads_paused: Final = Counter(
    "parlor_gateway_reads_paused_total",
    "Times that nothing more was read from a client before it had taken what waited for it.",
)
outgoing_peak: Final = Gauge(
    "parlor_gateway_outgoing_peak_bytes", "The most that has waited for one client since the start."
)

rooms: Final = Gauge("parlor_gateway_rooms", "Rooms that are followed.")
followers: Final = Gauge("parlor_gateway_followers", "Followers of all rooms.")
resumes: Final = Counter(
    "parlor_gateway_resumes_total",
    "Followers brought up to date, by what they got: missed entries, a view, a view that goes back in time.",
    ("kind",),
)
repairs: Final = Counter(
    "parlor_gateway_repairs_total",
    "Rooms read again from their feed, by what showed the gap.",
    ("cause",),
)

relay_unanswered: Final = Gauge(
    "parlor_gateway_relay_unanswered", "Requests that engines have not answered yet."
)
relay_seconds: Final = Histogram(
    "parlor_gateway_relay_seconds",
    "How long engines took to answer a request.",
    buckets=LATENCY_BUCKETS,
)
relay_moved: Final = Counter(
    "parlor_gateway_relay_moved_total", "Requests sent again to another replica.", ("cause",)
)
maintenance: Final = Gauge(
    "parlor_gateway_maintenance", "1 while no ticket, room or game may begin."
)
engines: Final = Gauge("parlor_gateway_engines", "Live engine replicas.", ("kind",))
leases: Final = Gauge("parlor_gateway_leases", "Seats kept online by this gateway.")

_peak = 0


def note_outgoing(waiting: int) -> None:
    """Raises `outgoing_peak` to `waiting` bytes where that is more."""
    global _peak  # noqa: PLW0603
    if waiting > _peak:
        _peak = waiting
        outgoing_peak.set(waiting)

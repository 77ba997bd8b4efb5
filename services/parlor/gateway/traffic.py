"""What goes through a gateway, counted as plain numbers.

A Counter takes a lock and makes three calls for each step: with two of them per recipient that was
a third of the fan-out. Prometheus asks for the sums when it comes.
"""

from collections.abc import Iterator
from typing import Final

from prometheus_client import REGISTRY
from prometheus_client.metrics_core import CounterMetricFamily, Metric
from prometheus_client.registry import Collector


class Traffic:
    """Frames of one transport."""

    __slots__ = ("bytes_in", "bytes_out", "frames_in", "frames_out")

    def __init__(self) -> None:
        self.frames_in = self.frames_out = self.bytes_in = self.bytes_out = 0

    def came(self, size: int) -> None:
        """Counts a frame from a client."""
        self.frames_in += 1
        self.bytes_in += size

    def went(self, size: int) -> None:
        """Counts a frame to a client."""
        self.frames_out += 1
        self.bytes_out += size


class FanOut:
    """Entries of rooms."""

    __slots__ = ("entries", "recipients")

    def __init__(self) -> None:
        self.entries = self.recipients = 0


fan_out: Final = FanOut()
_by_transport: Final[dict[str, Traffic]] = {}


def of(transport: str) -> Traffic:
    """The traffic of all sessions of one transport."""
    return _by_transport.setdefault(transport, Traffic())


class _Sums(Collector):
    def collect(self) -> Iterator[Metric]:
        """The sums as Prometheus reads them."""
        yield CounterMetricFamily(
            "parlor_gateway_entries", "Entries of rooms that came in.", value=fan_out.entries
        )
        yield CounterMetricFamily(
            "parlor_gateway_recipients",
            "Entries that went out, one each per recipient.",
            value=fan_out.recipients,
        )
        for name, text, field in (
            ("frames_received", "Frames from clients.", "frames_in"),
            ("frames_sent", "Frames to clients.", "frames_out"),
            ("received_bytes", "Bytes of frames from clients.", "bytes_in"),
            ("sent_bytes", "Bytes of frames to clients.", "bytes_out"),
        ):
            family = CounterMetricFamily(f"parlor_gateway_{name}", text, labels=["transport"])
            for transport, traffic in _by_transport.items():
                family.add_metric([transport], getattr(traffic, field))
            yield family


REGISTRY.register(_Sums())

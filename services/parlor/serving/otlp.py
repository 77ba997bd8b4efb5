"""OpenTelemetry's spans, sent as OTLP over gRPC by a thread of their own.

Imported only where traces are on: what it needs is an extra, `parlor[tracing]`.
"""

import socket
import threading
from typing import Final
from urllib.parse import urlsplit

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from parlor.serving.tracing import Facts, Role, named

_EXPORT_S: Final = 2
"""How long one export may take; what a receiver does not take by then is dropped."""
_FAREWELL_S: Final = 3.0
"""How long the last spans may hold up the end of the process."""
_KINDS: Final = {
    "server": trace.SpanKind.SERVER,
    "client": trace.SpanKind.CLIENT,
    "internal": trace.SpanKind.INTERNAL,
}
_W3C: Final = TraceContextTextMapPropagator()


class OpenTelemetry:
    """The spans of one process."""

    def __init__(self, service: str, *, endpoint: str, ratio: float) -> None:
        self._provider = TracerProvider(
            # Who goes on with a trace goes by what was decided where it began.
            sampler=ParentBased(TraceIdRatioBased(ratio)),
            resource=Resource.create(
                {
                    "service.name": service,
                    "service.namespace": "parlor",
                    "service.instance.id": socket.gethostname(),
                }
            ),
            shutdown_on_exit=False,
        )
        exporter = OTLPSpanExporter(
            endpoint=endpoint, insecure=urlsplit(endpoint).scheme == "http", timeout=_EXPORT_S
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("parlor")

    def start(
        self, name: str, role: Role, facts: Facts, *, parent: str | trace.Span, link: str
    ) -> trace.Span | None:
        """A span; None where the sampler says no."""
        span = self._tracer.start_span(
            name,
            context=_context(parent),
            kind=_KINDS[role],
            attributes=named(facts),
            links=_links(link),
        )
        return span if span.is_recording() else None

    def close(self) -> None:
        """Sends what has not been sent, if that goes quickly."""
        last = threading.Thread(target=self._provider.shutdown, daemon=True)
        last.start()
        last.join(_FAREWELL_S)


def _context(parent: str | trace.Span) -> Context:
    # Of its own in any case: OpenTelemetry's current context is nobody's here.
    empty = Context()
    if isinstance(parent, str):
        return _W3C.extract({"traceparent": parent}, empty)
    return trace.set_span_in_context(parent, empty)


def _links(traceparent: str) -> list[trace.Link]:
    context = trace.get_current_span(_context(traceparent)).get_span_context()
    return [trace.Link(context)] if context.is_valid else []

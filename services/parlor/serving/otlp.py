"""OpenTelemetry's spans, sent as OTLP over gRPC by a thread of their own.

Imported only where traces are on: what it needs is an extra, `parlor[tracing]`.
"""

import random
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
from opentelemetry.sdk.trace.sampling import ALWAYS_ON, ParentBased
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
        self._ratio = ratio
        self._provider = TracerProvider(
            # Who goes on with a trace goes by what was decided where it began.
            sampler=ParentBased(ALWAYS_ON),
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
        """A span; None where it is not to be traced."""
        context = _context(parent) if parent else None
        # Drawn here: OpenTelemetry's sampler takes thirty microseconds to say no, which is for most.
        if context is None and random.random() >= self._ratio:
            return None
        span = self._tracer.start_span(
            name,
            # Of its own in any case: OpenTelemetry's current context is nobody's here.
            context=context or Context(),
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


def _context(parent: str | trace.Span) -> Context | None:
    """What a span is below; None for a text that is no traceparent."""
    if not isinstance(parent, str):
        return trace.set_span_in_context(parent, Context())
    context = _W3C.extract({"traceparent": parent}, Context())
    return context if trace.get_current_span(context).get_span_context().is_valid else None


def _links(traceparent: str) -> list[trace.Link]:
    context = _context(traceparent) if traceparent else None
    return (
        [] if context is None else [trace.Link(trace.get_current_span(context).get_span_context())]
    )

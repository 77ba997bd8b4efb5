"""Traces: what became of one request, span by span, in every service that had a part in it.

Off unless a process is told where traces go; then OpenTelemetry makes and sends the spans, a
share of the requests is traced, and what is not costs next to nothing here and nothing further on:
only a traced request carries its `traceparent` (W3C Trace Context) to the next service.

A span says where its time went and whose room it was, and never what a player holds: the names of
its attributes are fixed by `Facts`.
"""

import asyncio
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Final, Literal, Protocol, Self, TypedDict, Unpack

import grpc

if TYPE_CHECKING:
    from opentelemetry.trace import Span as Recording

Role = Literal["server", "client", "internal"]
"""Whether a span answers somebody, waits for somebody, or neither."""


class Facts(TypedDict, total=False):
    """All that a span may say; each is the attribute `parlor.<name>`."""

    room: str
    kind: str
    """The kind of game."""
    command: str
    """What is asked, as the frame's or command's branch is called."""
    refused: str
    """The ErrorReason, where it was."""
    check: str
    """What a commit was checked as: `command`, `clock`, …"""
    version: int
    """Commits of the room, this one included."""
    followers: int
    """Sessions of a gateway that follow the room."""
    failed: str
    """The type of an exception that left the span."""


class Tracer(Protocol):
    """Makes spans; `parlor.serving.otlp` has the one there is."""

    def start(
        self, name: str, role: Role, facts: Facts, *, parent: "str | Recording", link: str
    ) -> "Recording | None":
        """A span below `parent` (a traceparent, or a span of this process; a new trace where it is
        empty), or None where it is not to be recorded.
        """


class Span:
    """A part of a request; used as a context, it is the current one and ends with it.

    Most requests are not traced: theirs is NOTHING, which takes everything and does nothing.
    """

    __slots__ = ("_before", "recording")

    def __init__(self, recording: "Recording | None") -> None:
        self.recording = recording
        """OpenTelemetry's own; None for NOTHING."""
        self._before: Token[Span] | None = None

    @property
    def traceparent(self) -> str:
        """What tells the next service where it belongs; empty where nothing is traced."""
        if self.recording is None:
            return ""
        context = self.recording.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-01"

    def note(self, **facts: Unpack[Facts]) -> None:
        """Says more."""
        if self.recording is not None:
            self.recording.set_attributes(named(facts))

    def end(self) -> None:
        """Ends it."""
        if self.recording is not None:
            self.recording.end()

    def __enter__(self) -> Self:
        if self.recording is not None:
            self._before = _current.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._before is not None:
            _current.reset(self._before)
            # By an AbortError a handler answers; what it refuses it notes.
            if kind is not None and not issubclass(kind, grpc.aio.AbortError):
                self._failed(kind)
            self.end()

    def _failed(self, kind: type[BaseException]) -> None:
        if self.recording is not None:
            from opentelemetry.trace import StatusCode

            # Its message could be a card.
            self.note(failed=kind.__name__)
            # Who has seen enough of a stream hangs up: no failure.
            if not issubclass(kind, asyncio.CancelledError):
                self.recording.set_status(StatusCode.ERROR)


NOTHING: Final = Span(None)
_current: ContextVar[Span] = ContextVar("parlor_span", default=NOTHING)
_tracer: Tracer | None = None


def use(tracer: Tracer | None) -> None:
    """Has this process traced by `tracer`; None turns it off."""
    global _tracer  # noqa: PLW0603 - as logging, it is one per process
    _tracer = tracer


def is_on() -> bool:
    """Whether this process traces anything."""
    return _tracer is not None


def current() -> Span:
    """The span that the running task is in; NOTHING where it is in none."""
    return _current.get()


def began(name: str, *, caller: str = "", is_trusted: bool = False, **facts: Unpack[Facts]) -> Span:
    """The first span of a request in Parlor; NOTHING for most.

    `caller` is the traceparent that came with it. One of a trusted caller goes on with that trace,
    traced if that one is. Anybody else's is only linked to: whose requests are traced, and under
    which number, is not for a player's program to say.
    """
    if _tracer is None:
        return NOTHING
    parent, link = (caller, "") if is_trusted else ("", caller)
    return _made(_tracer.start(name, "server", facts, parent=parent, link=link))


def went_on(name: str, traceparent: str, role: Role = "server", **facts: Unpack[Facts]) -> Span:
    """A span of a request that another service began; NOTHING where that one traces nothing."""
    if _tracer is None or not traceparent:
        return NOTHING
    return _made(_tracer.start(name, role, facts, parent=traceparent, link=""))


def part(name: str, role: Role = "internal", **facts: Unpack[Facts]) -> Span:
    """A span within the current one; NOTHING where there is none."""
    within = _current.get().recording
    if _tracer is None or within is None:
        return NOTHING
    return _made(_tracer.start(name, role, facts, parent=within, link=""))


def named(facts: Facts) -> dict[str, str | int]:
    """Facts as a span's attributes.

    >>> named({"room": "s1-a", "version": 3})
    {'parlor.room': 's1-a', 'parlor.version': 3}
    """
    return {
        f"parlor.{name}": value for name, value in facts.items() if isinstance(value, str | int)
    }


def _made(recording: "Recording | None") -> Span:
    return NOTHING if recording is None else Span(recording)

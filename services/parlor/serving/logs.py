"""Logs: one line per event with fields instead of prose, JSON unless a person reads along.

No hand, seed or token is ever written. A field named like one is blanked, and of an exception only
what its kind and place tell: the message of a KeyError is a value, and the value may be a card.
"""

import logging
import sys
import traceback
from functools import lru_cache
from types import TracebackType
from typing import Any, Final, Literal

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from parlor.serving import tracing

REDACTED: Final = "[redacted]"

_SECRET_WORDS: Final = frozenset(
    {
        "authorization",
        "card",
        "cards",
        "entropy",
        "hand",
        "hands",
        "password",
        "secret",
        "seed",
        "seeds",
        "state",
        "token",
        "tokens",
        "view",
        "wall",
    }
)

_QUOTABLE: Final = (OSError, ImportError, SyntaxError)
"""Exceptions whose message speaks of the machine, not of a game."""

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None]


def configure(
    service: str, *, level: str = "info", form: Literal["auto", "json", "console"] = "auto"
) -> None:
    """Sends all logs of this process, those of libraries too, to stderr;
    `structlog.get_logger(__name__)` writes one.
    """
    for_people = form == "console" or (form == "auto" and sys.stderr.isatty())
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _named(service),
        add_trace,
        # First: the other would take a library's exception apart, and its kind and place would be lost.
        blank_messages,
        blank_secrets,
    ]
    renderer: Processor = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
        if for_people
        else structlog.processors.JSONRenderer(default=str)
    )
    # Ours don't go through those of the standard library, which take four times as long.
    structlog.configure(
        processors=[*shared, renderer],
        logger_factory=_Lines,
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[*shared[:4], structlog.stdlib.ExtraAdder(), *shared[4:]],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())


class _Lines:
    """What a module's events are written to, by whichever method they are named for: stderr."""

    __slots__ = ("name",)

    def __init__(self, name: str = "") -> None:
        self.name = name

    def msg(self, line: str) -> None:
        """Writes a line at once: whoever else writes does not come between."""
        sys.stderr.write(f"{line}\n")

    debug = info = warning = error = critical = msg


def add_trace(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Names the span that the line was written in, where there is one."""
    recording = tracing.current().recording
    if recording is not None:
        context = recording.get_span_context()
        event["trace_id"] = f"{context.trace_id:032x}"
        event["span_id"] = f"{context.span_id:016x}"
    return event


def blank_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replaces the value of every field named like something hidden, at any depth.

    >>> blank_secrets(None, "info", {"event": "dealt", "room": "s1-a", "hand_of_0": "345"})
    {'event': 'dealt', 'room': 's1-a', 'hand_of_0': '[redacted]'}
    """
    return {key: REDACTED if _is_secret(key) else _blanked(value) for key, value in event.items()}


def blank_messages(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Renders an exception as its kinds and places."""
    exc_info = event.pop("exc_info", None)
    if exc_info is True:
        exc_info = sys.exc_info()
    elif isinstance(exc_info, BaseException):
        exc_info = (type(exc_info), exc_info, exc_info.__traceback__)
    if isinstance(exc_info, tuple) and exc_info[1] is not None:
        event["exception"] = trace_of(exc_info[1])
    return event


def trace_of(error: BaseException) -> str:
    """Where `error` was raised and what kind it is, with its causes, without what it quotes."""
    lines: list[str] = []
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        lines += [trace_of(cause), "which led to:"]
    if isinstance(error, BaseExceptionGroup):
        lines += [trace_of(part) for part in error.exceptions]
    for frame in traceback.extract_tb(error.__traceback__):
        lines.append(f'  File "{frame.filename}", line {frame.lineno}, in {frame.name}')
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    lines.append(f"{kind}: {error}" if isinstance(error, _QUOTABLE) else kind)
    return "\n".join(lines)


def _named(service: str) -> Processor:
    def name(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        event["service"] = service
        return event

    return name


@lru_cache(maxsize=1024)
def _is_secret(key: Any) -> bool:
    return isinstance(key, str) and not _SECRET_WORDS.isdisjoint(key.lower().split("_"))


def _blanked(value: Any) -> Any:
    match value:
        case dict():
            return {
                key: REDACTED if _is_secret(key) else _blanked(inner)
                for key, inner in value.items()
            }
        case list() | tuple():
            return [_blanked(inner) for inner in value]
        case _:
            return value

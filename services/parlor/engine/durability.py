"""Whether Redis writes down what the engine's durability setting promises."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import structlog
from redis.asyncio import Redis
from redis.exceptions import ResponseError

_log = structlog.get_logger(__name__)

_SYNCED: Final = ("always",)
_SYNCS: Final = {
    "local": _SYNCED,
    "replicated": _SYNCED,
    "relaxed": ("everysec", *_SYNCED),
}
"""By durability, what `appendfsync` may be."""


async def warn_of_files(servers: Sequence[Redis], durability: str) -> None:
    """Warns of servers whose `appendonly` and `appendfsync` keep less than `durability` says.

    It is no reason to refuse to run: a test has reasons to keep nothing. A managed Redis that does
    not tell its settings is left alone, for its operator knows what it writes.
    """
    for server in servers:
        try:
            told = await server.config_get("append*")
        except ResponseError as error:
            _log.debug("durability_unknown", error=str(error))
            continue
        appends, syncs = (_text(told, name) for name in ("appendonly", "appendfsync"))
        if appends != "yes" or syncs not in _SYNCS[durability]:
            _log.warning(
                "durability_not_given",
                durability=durability,
                appendonly=appends,
                appendfsync=syncs,
                needed=f"appendonly yes, appendfsync {_SYNCS[durability][0]}",
            )


def _text(told: Mapping[Any, Any], name: str) -> str:
    """A setting of an answer, whose names and values are bytes or not as the client has it."""
    for key, value in told.items():
        if key in (name, name.encode()):
            return value.decode() if isinstance(value, bytes) else str(value)
    return ""

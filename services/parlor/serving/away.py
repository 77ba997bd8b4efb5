"""Whether an error of Redis may pass: it is gone, silent, full, starting, or no primary at the moment."""

from collections.abc import Sequence

from redis.exceptions import (
    AskError,
    ClusterDownError,
    MasterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

_AWAY = (
    RedisConnectionError,
    RedisTimeoutError,
    MasterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    # Of a Cluster, where a slot is elsewhere, on its way or nowhere for longer than a Batch waits.
    AskError,
    TryAgainError,
    ClusterDownError,
)
_AWAY_WORDS = frozenset({"NOREPLICAS", "MISCONF", "BUSY"})
"""How answers begin that redis-py has no class for."""


def is_away(error: RedisError) -> bool:
    """Whether Redis may do later what it did not do now: it is gone, silent, full, or no primary at the moment."""
    if isinstance(error, _AWAY):
        return True
    return isinstance(error, ResponseError) and str(error).split(" ", 1)[0] in _AWAY_WORDS


def none_of(said: str, failures: Sequence[BaseException]) -> RedisConnectionError:
    """That none of several servers could say what it was asked; why, stands behind it.

    >>> str(none_of("no server knows", [TimeoutError(), OSError("no route")]))
    'no server knows: TimeoutError, no route'
    """
    causes = dict.fromkeys(str(failure) or type(failure).__name__ for failure in failures)
    error = RedisConnectionError(f"{said}: {', '.join(causes)}" if causes else said)
    if failures:
        error.__cause__ = BaseExceptionGroup(said, failures)
    return error

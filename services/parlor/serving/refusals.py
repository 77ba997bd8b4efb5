"""Whether Redis turns this process away for how it is set, so that no waiting helps.

redis-py counts a wrong password among the lost connections, and what is found out about several
servers reaches its caller as one error that has the others for its causes.
"""

import ssl
from collections.abc import Iterator

from redis.exceptions import (
    AuthenticationError,
    AuthorizationError,
    ResponseError,
)

from parlor.serving.away import is_away

_REFUSED = (AuthenticationError, AuthorizationError, ssl.SSLCertVerificationError)


def refusal(error: BaseException) -> BaseException | None:
    """What in `error` or behind it says so; None where it is only away.

    >>> from redis.exceptions import ConnectionError as Lost
    >>> refusal(Lost("no route"))
    >>> str(refusal(AuthenticationError("invalid password")))
    'invalid password'
    """
    for each in _behind(error):
        if isinstance(each, _REFUSED):
            return each
        # A server that answers, and will answer the same.
        if isinstance(each, ResponseError) and not is_away(each):
            return each
    return None


def _behind(error: BaseException) -> Iterator[BaseException]:
    yield error
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _behind(part)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None:
        yield from _behind(cause)

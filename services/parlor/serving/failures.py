"""What a caller is told of an error that leaves a handler, whichever way the call came in.

A refusal is told as it was meant, a Redis that is away or silent as one that may answer later. All
else is a defect: its place goes to the log, and of its words, which may quote a card or a key of
Redis, nothing leaves the process.
"""

import structlog
from redis.exceptions import RedisError

from parlor.serving.errors import ServiceError
from parlor.serving.redis import is_away
from parlor.v1.error_reason_pb2 import ErrorReason

log = structlog.get_logger(__name__)


def as_refusal(error: Exception, **where: str) -> ServiceError:
    """The refusal to answer with; `where` are the fields of the log's line, should there be one."""
    if isinstance(error, ServiceError):
        return error
    if isinstance(error, RedisError) and is_away(error):
        log.warning("store_unavailable", error=type(error).__name__, **where)
        return ServiceError(ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, "the store did not answer")
    log.error("request_failed", exc_info=error, **where)
    return ServiceError(ErrorReason.ERROR_REASON_INTERNAL, "a defect of the service")

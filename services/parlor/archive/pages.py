"""Pages: where the next one begins, as a text that clients hand back without looking into it."""

import base64
import binascii
from typing import Final, TypeVar

import msgspec

from parlor.serving.errors import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason

_USUAL: Final = 20
MOST: Final = 100

T = TypeVar("T")


def size_of(asked: int) -> int:
    """How many entries a page has; raises MALFORMED."""
    if not 0 <= asked <= MOST:
        raise ServiceError(ErrorReason.ERROR_REASON_MALFORMED, f"0 to {MOST}", field="page_size")
    return asked or _USUAL


def token_of(position: object) -> str:
    """The text for the last entry of a page: its place in the order, as a tuple of plain values."""
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(position)).decode().rstrip("=")


def position_of(token: str, shape: type[T]) -> T | None:
    """The place that a text stands for; None for an empty one. Raises MALFORMED.

    >>> position_of(token_of((1.5, "ann")), tuple[float, str])
    (1.5, 'ann')
    """
    if not token:
        return None
    try:
        raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        return msgspec.msgpack.decode(raw, type=shape)
    except (binascii.Error, ValueError, msgspec.DecodeError):
        raise ServiceError(
            ErrorReason.ERROR_REASON_MALFORMED, "not of a page before", field="page_token"
        ) from None

"""Redis connections all of whose failures are failures of a connection."""

import functools
from typing import Any

from redis.asyncio.connection import AbstractConnection
from redis.exceptions import ConnectionError as RedisConnectionError


class _Whole(AbstractConnection):
    """Put before a class of redis-py's."""

    async def send_packed_command(self, *args: Any, **options: Any) -> None:
        """As redis-py's, and raises redis's ConnectionError where the transport was closed already.

        uvloop calls that a RuntimeError, for some moments after the peer has gone and before the reader
        is told. Nobody expects one: what keeps a connection open would end with it for good.
        """
        try:
            await super().send_packed_command(*args, **options)
        except RuntimeError as error:
            raise RedisConnectionError(str(error)) from error


@functools.cache
def whole(connection_class: type[AbstractConnection]) -> type[AbstractConnection]:
    """The class, so that its connections raise RedisError alone when they break."""
    return type(connection_class.__name__, (_Whole, connection_class), {})

"""Connections to whichever server Sentinel has made the primary.

The address is asked for anew with every connection and never kept, so that whoever connects again
after a break, be it the pool, `Batch` or `Subscriber`, follows a failover without knowing of one.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final

import structlog
from redis.asyncio.connection import Connection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ReadOnlyError, RedisError, ResponseError

from parlor.serving.away import none_of
from parlor.serving.tasks import stop

log = structlog.get_logger(__name__)

Address = tuple[str, int]

_ASK_S: Final = 0.5
LOOK_EVERY_S: Final = 0.25
"""How often sentinels are asked about a server that owes an answer."""


@dataclass(frozen=True, slots=True)
class Primary:
    """The primary of a service, as its sentinels know it."""

    service: str
    sentinels: tuple[Address, ...]

    async def addresses(self) -> list[Address]:
        """Where it may be, what most sentinels say first; raises redis's ConnectionError where none
        says anything.

        During a failover one sentinel knows the new primary before the others do, and one that is
        cut off goes on naming the old one: neither the first answer nor the majority alone is right.
        """
        answers = await asyncio.gather(
            *(self._said_by(sentinel) for sentinel in self.sentinels), return_exceptions=True
        )
        votes = Counter(answer for answer in answers if isinstance(answer, tuple))
        if not votes:
            silent = [answer for answer in answers if isinstance(answer, Exception)]
            raise none_of(f"no sentinel names a primary of {self.service!r}", silent)
        return [address for address, _ in votes.most_common()]

    async def _said_by(self, sentinel: Address) -> Address | None:
        """None where it knows of no such service; raises what kept it from saying."""
        host, port = sentinel
        connection = Connection(
            host=host, port=port, protocol=2, decode_responses=True, retry=Retry(NoBackoff(), 0)
        )
        try:
            async with asyncio.timeout(_ASK_S):
                await connection.connect()  # type: ignore[no-untyped-call]
                await connection.send_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.service)
                said = await connection.read_response()
        except (RedisError, OSError, TimeoutError) as error:
            log.debug("sentinel_silent", sentinel=f"{host}:{port}", error=type(error).__name__)
            raise
        finally:
            await connection.disconnect(nowait=True)
        return (said[0], int(said[1])) if said else None


class Replaced(RedisConnectionError):
    """Another server is the primary now."""


class PrimaryConnection(Connection):
    """A connection to the primary of a service; it counts as broken once that may have been replaced."""

    def __init__(self, *, primary: Primary, **options: Any) -> None:
        super().__init__(**options)
        self._primary = primary

    async def connect(self) -> None:
        """Connects to the server that the sentinels name and that calls itself a primary."""
        if self.is_connected:
            return
        failure: RedisError = RedisConnectionError("no server is named")
        addresses = await self._primary.addresses()
        while addresses:
            self.host, self.port = addresses.pop(0)
            try:
                await self._connect_while_named()
            except Replaced:
                addresses = await self._primary.addresses()
            except RedisError as error:
                failure = error
            else:
                return
        raise failure

    async def _connect_while_named(self) -> None:
        """Raises Replaced where the server is silent and replaced: the kernel of a frozen one takes connections."""
        connecting = asyncio.ensure_future(super().connect())  # type: ignore[no-untyped-call]
        try:
            while not (await asyncio.wait({connecting}, timeout=LOOK_EVERY_S))[0]:
                if await self.is_replaced():
                    raise Replaced
        finally:
            if not connecting.done():
                await stop(connecting)
                await self.disconnect(nowait=True)
        connecting.result()

    async def is_replaced(self) -> bool:
        """Whether most sentinels name another primary than the server of this connection."""
        try:
            named, *_ = await self._primary.addresses()
        except RedisError:
            return False
        return named != (self.host, self.port)

    async def on_connect_check_health(self, check_health: bool = True) -> None:
        """Also asks the server what it is: a replica takes subscriptions and publishes no expiration."""
        await super().on_connect_check_health(check_health)
        await self.send_command("ROLE", check_health=False)
        role, *_ = await self.read_response(disable_decoding=True)
        if role != b"master":
            raise RedisConnectionError("the server that sentinels name is not a primary")

    async def read_response(self, *args: Any, **options: Any) -> Any:
        """As redis-py's; a server that has become a replica loses the connection.

        So does one that has lost its replicas (`min-replicas-to-write`): one that was cut off or
        frozen learns only some ten seconds after its return that they follow another now.
        """
        try:
            return await super().read_response(*args, **options)
        except ResponseError as error:
            if not isinstance(error, ReadOnlyError) and not str(error).startswith("NOREPLICAS"):
                raise
            await self.disconnect(nowait=True)
            raise RedisConnectionError("the server may have been replaced") from None

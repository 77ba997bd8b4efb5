"""An engine replica put together."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from dataclasses import dataclass

import structlog

from parlor.engine.advice.advisers import Advisers
from parlor.engine.advice.service import add_rules_service
from parlor.engine.clocks import Clocks
from parlor.engine.config import EngineConfig
from parlor.engine.durability import warn_of_files
from parlor.engine.engine import Engine
from parlor.engine.host import Host
from parlor.engine.lanes import Lanes
from parlor.engine.opening import Opening
from parlor.engine.places import Places
from parlor.engine.presence import Leases
from parlor.engine.replays import Replays
from parlor.engine.service import EngineServicer
from parlor.engine.shards import HEARTBEAT_S, Shards
from parlor.engine.snapshot import StateCodec
from parlor.engine.step import Refused
from parlor.engine.store import RoomStore
from parlor.engine.writes import ReplicatedWrites, Writes
from parlor.serving import App, BadConfig, ServiceError
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Maintenance
from parlor.serving.players import Players
from parlor.serving.redis import (
    Batch,
    Replication,
    database,
    open_batch,
    open_replication,
    open_subscriber,
    primaries,
)
from parlor.serving.redis_clock import RedisClock
from parlor.serving.replicas import Replica
from parlor.serving.tasks import stop
from parlor.v1.engine_service_pb2_grpc import add_EngineServiceServicer_to_server

_log = structlog.get_logger(__name__)

SERVICES = ("parlor.v1.EngineService",)


class UnsafeRedis(BadConfig):
    """Redis may throw keys away when its memory is full, and rooms with them. The engine does not run so."""


def engine_of(host: Host) -> Callable[[App[EngineConfig]], AbstractAsyncContextManager[None]]:
    """What binds an engine of `host`'s game to its process."""

    @asynccontextmanager
    async def bind(app: App[EngineConfig]) -> AsyncIterator[None]:
        config = app.config
        await _refuse_eviction(app)
        await warn_of_files(primaries(app.redis), config.durability)
        async with (
            aclosing(open_batch(app.redis, timeout_ms=config.redis_timeout_ms)) as batch,
            # Of its own: WAIT holds up whatever comes after it on a connection.
            aclosing(
                open_replication(
                    app.redis,
                    timeout_ms=config.redis_timeout_ms,
                    confirm_ms=config.confirm_ms,
                    least=config.confirmations,
                )
            ) as replication,
        ):
            clock = RedisClock(batch)
            await clock.measure()
            async with _serving(app, _put_together(host, app, batch, clock, replication)):
                yield

    return bind


@dataclass(frozen=True, slots=True, kw_only=True)
class _Parts:
    """The parts of a replica that need no task to be there."""

    host: Host
    batch: Batch
    keys: Keys
    clock: RedisClock
    me: Replica
    store: RoomStore
    lanes: Lanes
    engine: Engine
    opening: Opening
    shards: Shards
    maintenance: Maintenance


def _put_together(
    host: Host, app: App[EngineConfig], batch: Batch, clock: RedisClock, replication: Replication
) -> _Parts:
    config, kind = app.config, host.game.kind
    keys = Keys(config.redis_prefix)
    me = Replica(
        replica=f"{kind}-{uuid.uuid4().hex[:12]}",
        address=app.grpc_address,
        kind=kind,
        formats=host.formats.reads,
    )
    writes = Writes(batch, keys)
    if config.durability == "replicated":
        writes = ReplicatedWrites(batch, keys, kind, replication)
    store = RoomStore(
        batch,
        keys,
        kind,
        StateCodec(host.game),
        replica=me.replica,
        writes=writes,
        unarchived_ms=config.unarchived_ms,
        formats=host.formats,
    )
    places = Places(batch, keys, Players(batch, keys), clock, formats=host.formats)
    lanes = Lanes(host, store, places, clock, at_hand=config.most_rooms)
    maintenance = Maintenance(batch, keys, clock.now)
    opening = Opening(
        host,
        store,
        places,
        clock,
        batch,
        keys,
        shards=config.shards,
        is_full=lambda: len(lanes) >= config.most_rooms,
        may_begin=lambda: may_begin(maintenance),
    )
    lanes.closed = opening.forget
    shards = Shards(me, shards=config.shards, batch=batch, keys=keys, clock=clock)
    shards.changed = lanes.let_go
    shards.seen = lambda live: store.agree(replica.formats for replica in live)
    return _Parts(
        host=host,
        batch=batch,
        keys=keys,
        clock=clock,
        me=me,
        store=store,
        lanes=lanes,
        engine=Engine(
            host,
            lanes,
            store,
            places,
            Invitations(batch, keys),
            clock,
            may_begin=lambda: may_begin(maintenance),
        ),
        opening=opening,
        shards=shards,
        maintenance=maintenance,
    )


@asynccontextmanager
async def _serving(app: App[EngineConfig], parts: _Parts) -> AsyncIterator[None]:
    """The replica at work; left, it hands its shards on and finishes what it has."""
    kind, shards, clock = parts.me.kind, parts.shards, parts.clock
    async with (
        open_subscriber(app.redis) as subscriber,
        Advisers(kind, app.config.advisers, longest_s=app.config.advice_ms / 1000) as advisers,
        asyncio.TaskGroup() as tasks,
    ):
        clocks = Clocks(
            kind,
            parts.lanes,
            shards,
            batch=parts.batch,
            keys=parts.keys,
            subscriber=subscriber,
            tasks=tasks,
            db=database(app.redis),
            replica=parts.me.replica,
        )
        servicer = EngineServicer(
            kind,
            parts.engine,
            parts.opening,
            Replays(parts.host, parts.store),
            tasks=tasks,
            draining=app.draining,
            granted=app.config.credits,
            unbounded=app.config.unbounded,
        )
        add_EngineServiceServicer_to_server(servicer, app.server)
        add_rules_service(app.server, kind, advisers, app.draining)
        await parts.maintenance.look()
        await clocks.listen()
        subscriber.add_reconnect_listener(clocks.on_reconnect)
        app.add_ready_check("expirations", clocks.are_heard)
        leases = Leases(kind, parts.engine, shards, batch=parts.batch, keys=parts.keys)
        loops = [
            tasks.create_task(loop)
            for loop in (
                clock.keep(),
                app.once_started(shards.keep),
                clocks.sweep(),
                clocks.back_up(),
                leases.sweep(),
                parts.maintenance.keep(),
            )
        ]
        yield
        await shards.leave()
        if shards.have_heirs:
            # They take over with their next beat; who has not heard of the drain by then still asks here.
            await asyncio.sleep(HEARTBEAT_S)
        await servicer.idle.wait()
        await stop(*loops)
        await shards.forget()


def may_begin(maintenance: Maintenance) -> None:
    """Raises Refused(MAINTENANCE) where no room or game may begin now."""
    try:
        maintenance.check()
    except ServiceError as error:
        raise Refused(error.reason, error.message, error.metadata) from None


async def _refuse_eviction(app: App[EngineConfig]) -> None:
    for server in primaries(app.redis):
        info = await server.info("memory")
        policy = info.get("maxmemory_policy", "noeviction")
        if policy != "noeviction":
            raise UnsafeRedis(
                f"maxmemory-policy is {policy}: set it to noeviction, or rooms may vanish"
            )

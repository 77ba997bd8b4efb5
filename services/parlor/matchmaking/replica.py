"""One replica of matchmaking, put together. Several may run: pools are owned by one at a time."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass

from parlor.matchmaking.backfill import Backfill
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.crowd import Crowd
from parlor.matchmaking.desk import Desk
from parlor.matchmaking.engines import Engines
from parlor.matchmaking.followers import Followers
from parlor.matchmaking.gatherings import Gatherings
from parlor.matchmaking.matcher import Matcher
from parlor.matchmaking.parties import Parties
from parlor.matchmaking.places import Places
from parlor.matchmaking.ratings import PublishedRatings
from parlor.matchmaking.rounds import Rounds
from parlor.matchmaking.seating import Seating
from parlor.matchmaking.service import MatchmakingService
from parlor.matchmaking.store import PoolStore
from parlor.matchmaking.tables import Tables
from parlor.serving import App
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Maintenance
from parlor.serving.redis import Batch, Subscriber, open_batch, open_subscriber
from parlor.serving.redis_clock import RedisClock
from parlor.serving.tasks import stop
from parlor.v1.matchmaking_service_pb2_grpc import add_MatchmakingServiceServicer_to_server

SERVICES = ("parlor.v1.MatchmakingService",)

_GRACE_MS = 500
"""What the engine has to empty the seats of those who did not come, before anybody looks."""


@asynccontextmanager
async def bind(app: App[MatchmakingConfig]) -> AsyncIterator[None]:
    """Serves tickets and tends pools until told to stop; then the pools go to other replicas."""
    config = app.config
    async with (
        _sharing(app) as shared,
        open_subscriber(app.redis, timeout_ms=config.redis_timeout_ms) as subscriber,
    ):
        rounds = _rounds(shared, config, subscriber)
        parties = Parties(shared.batch, shared.keys, keep_ms=config.party_ms)
        desk = _desk(shared, config, parties)
        renew_ms = min(config.renew_ms, config.ticket_ms // 3)
        followers = Followers(shared.store, subscriber, renew_ms=renew_ms)
        gatherings = Gatherings(parties, desk, subscriber, app.draining, look_ms=config.renew_ms)
        crowd = Crowd(desk, followers)
        service = MatchmakingService(
            desk, crowd, gatherings, followers, app.draining, shared.maintenance
        )
        add_MatchmakingServiceServicer_to_server(service, app.server)

        async def leave() -> None:
            await app.draining.wait()
            followers.end()
            gatherings.end()

        tasks = [
            asyncio.create_task(work)
            for work in (
                rounds.run(),
                followers.run(),
                shared.clock.keep(),
                shared.maintenance.keep(),
                leave(),
            )
        ]
        app.add_ready_check("rounds", lambda: _run(tasks))
        try:
            yield
        finally:
            await stop(*tasks)
            await rounds.release()


@dataclass(frozen=True, slots=True)
class _Shared:
    """What both work on: who takes tickets, and who matches them."""

    batch: Batch
    keys: Keys
    clock: RedisClock
    maintenance: Maintenance
    store: PoolStore
    engines: Engines
    places: Places
    invitations: Invitations
    tables: Tables


@asynccontextmanager
async def _sharing(app: App[MatchmakingConfig]) -> AsyncIterator[_Shared]:
    """What the parts of a replica share; left, its connections are closed."""
    config, keys = app.config, Keys(app.config.redis_prefix)
    async with (
        aclosing(open_batch(app.redis, timeout_ms=config.redis_timeout_ms)) as batch,
        aclosing(Engines(batch, keys, open_ms=config.open_ms, channels=app.channels)) as engines,
    ):
        clock = RedisClock(batch)
        await clock.measure()
        maintenance = Maintenance(batch, keys, clock.now)
        await maintenance.look()
        store = PoolStore(batch, keys, lease_ms=config.ticket_ms, forget_ms=config.forget_ms)
        yield _Shared(
            batch=batch,
            keys=keys,
            clock=clock,
            maintenance=maintenance,
            store=store,
            engines=engines,
            places=Places(batch, keys, store, engines),
            invitations=Invitations(batch, keys),
            tables=config.tables(),
        )


def _desk(shared: _Shared, config: MatchmakingConfig, parties: Parties) -> Desk:
    return Desk(
        store=shared.store,
        places=shared.places,
        parties=parties,
        ratings=PublishedRatings(shared.batch, shared.keys, default=config.default_rating),
        tables=shared.tables,
        invitations=shared.invitations,
        clock=shared.clock,
    )


def _rounds(shared: _Shared, config: MatchmakingConfig, subscriber: Subscriber) -> Rounds:
    return Rounds(
        shared.store,
        _matcher(shared, config),
        subscriber,
        replica=secrets.token_hex(8),
        owner_ms=config.owner_ms,
        tick_ms=config.tick_ms,
        look_ms=config.look_ms,
    )


def _matcher(shared: _Shared, config: MatchmakingConfig) -> Matcher:
    connect_ms = config.connect_ms + _GRACE_MS
    backfill = Backfill(
        keys=shared.keys,
        batch=shared.batch,
        store=shared.store,
        places=shared.places,
        engines=shared.engines,
        tables=shared.tables,
        clock=shared.clock,
        offered_ms=config.backfill_ms,
    )
    seating = Seating(
        keys=shared.keys,
        batch=shared.batch,
        store=shared.store,
        places=shared.places,
        engines=shared.engines,
        invitations=shared.invitations,
        tables=shared.tables,
        backfill=backfill,
        connect_ms=connect_ms,
    )
    return Matcher(
        store=shared.store,
        places=shared.places,
        engines=shared.engines,
        seating=seating,
        backfill=backfill,
        invitations=shared.invitations,
        tables=shared.tables,
        clock=shared.clock,
        maintenance=shared.maintenance,
        connect_ms=connect_ms,
        give_up_ms=config.give_up_ms,
    )


async def _run(tasks: "Sequence[asyncio.Task[None]]") -> bool:
    return not any(task.done() for task in tasks)

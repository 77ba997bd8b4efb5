"""One replica of matchmaking, put together. Several may run: pools are owned by one at a time."""

import asyncio
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager

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
from parlor.serving import App
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Maintenance
from parlor.serving.redis import open_batch, open_subscriber
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
    keys = Keys(config.redis_prefix)
    async with (
        aclosing(open_batch(app.redis, timeout_ms=config.redis_timeout_ms)) as batch,
        aclosing(Engines(batch, keys, open_ms=config.open_ms, channels=app.channels)) as engines,
        open_subscriber(app.redis, timeout_ms=config.redis_timeout_ms) as subscriber,
    ):
        clock = RedisClock(batch)
        await clock.measure()
        maintenance = Maintenance(batch, keys, clock.now)
        await maintenance.look()
        tables = config.tables()
        store = PoolStore(batch, keys, lease_ms=config.ticket_ms, forget_ms=config.forget_ms)
        places = Places(batch, keys, store, engines)
        invitations = Invitations(batch, keys)
        connect_ms = config.connect_ms + _GRACE_MS
        backfill = Backfill(keys, batch, store, places, engines, tables, clock, config.backfill_ms)
        seating = Seating(
            keys, batch, store, places, engines, invitations, tables, backfill, connect_ms
        )
        matcher = Matcher(
            store,
            places,
            engines,
            seating,
            backfill,
            invitations,
            tables,
            clock,
            maintenance,
            connect_ms,
            config.give_up_ms,
        )
        parties = Parties(batch, keys, keep_ms=config.party_ms)
        ratings = PublishedRatings(batch, keys, default=config.default_rating)
        desk = Desk(store, places, parties, ratings, tables, invitations, clock)
        renew_ms = min(config.renew_ms, config.ticket_ms // 3)
        followers = Followers(store, subscriber, renew_ms=renew_ms)
        gatherings = Gatherings(parties, desk, subscriber, app.draining, look_ms=config.renew_ms)
        rounds = Rounds(
            store,
            matcher,
            subscriber,
            replica=secrets.token_hex(8),
            owner_ms=config.owner_ms,
            tick_ms=config.tick_ms,
            look_ms=config.look_ms,
        )
        service = MatchmakingService(
            desk, Crowd(desk, followers), gatherings, followers, app.draining, maintenance
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
                clock.keep(),
                maintenance.keep(),
                leave(),
            )
        ]
        app.add_ready_check("rounds", lambda: _run(tasks))
        try:
            yield
        finally:
            await stop(*tasks)
            await rounds.release()


async def _run(tasks: "Sequence[asyncio.Task[None]]") -> bool:
    return not any(task.done() for task in tasks)

"""A gateway put together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Final

import structlog

from parlor.gateway.addresses import Proxies
from parlor.gateway.archive import Archive
from parlor.gateway.assets import client
from parlor.gateway.bringing import Bringing
from parlor.gateway.config import GatewayConfig
from parlor.gateway.feeds import Feeds
from parlor.gateway.following import Following
from parlor.gateway.gateway import Gateway, Limits
from parlor.gateway.history import HISTORY_SERVICES, HistoryProxy
from parlor.gateway.http_answers import told
from parlor.gateway.leaving import Leaving
from parlor.gateway.matchmaking import Matchmaking
from parlor.gateway.newest import Newest
from parlor.gateway.notices import Notices
from parlor.gateway.pages import Pages
from parlor.gateway.peers import Peers
from parlor.gateway.penalties import Penalties
from parlor.gateway.presence import Presences
from parlor.gateway.questions import Questions
from parlor.gateway.releases import Releases
from parlor.gateway.routing import Router
from parlor.gateway.rpc import Caller, MatchmakingServicer, PlayServicer
from parlor.gateway.rules import RULES_SERVICES, RulesProxy
from parlor.gateway.sessions import Sessions
from parlor.gateway.strangers import Strangers
from parlor.gateway.token_keys import configured_key, guest_key
from parlor.gateway.tokens import Tokens
from parlor.gateway.transcode import prepare
from parlor.gateway.web import Web
from parlor.serving import App
from parlor.serving.keys import Keys
from parlor.serving.maintenance import Maintenance
from parlor.serving.players import Players
from parlor.serving.redis import Batch, Subscriber, open_batch, open_subscriber
from parlor.serving.redis_clock import RedisClock
from parlor.serving.tasks import stop
from parlor.v1.matchmaking_service_pb2_grpc import add_MatchmakingServiceServicer_to_server
from parlor.v1.play_pb2 import ClientFrame, ServerFrame
from parlor.v1.play_service_pb2_grpc import add_PlayServiceServicer_to_server

log = structlog.get_logger(__name__)

SERVICES: Final = (
    "parlor.v1.PlayService",
    "parlor.v1.MatchmakingService",
    *HISTORY_SERVICES,
    *RULES_SERVICES,
)


@asynccontextmanager
async def bind(app: App[GatewayConfig]) -> AsyncIterator[None]:
    """Binds a gateway to its process."""
    # A type that cannot be written shows now, and not to the first client.
    prepare(ClientFrame, ServerFrame)
    assets = client()
    async with _put_together(app) as (gateway, subscriber):
        releases = Releases(assets, gateway.batch, gateway.keys)
        _add_rpc(app, gateway)
        _add_http(app, gateway, Pages(assets, releases))

        async def hears() -> bool:
            return subscriber.connected

        app.add_ready_check("messages", hears)
        app.gate = gateway.penalties
        peers = Peers(
            gateway.batch,
            gateway.keys,
            lambda: subscriber.connected and not app.draining.is_set(),
        )
        leaving = Leaving(app.config, gateway.sessions, peers)
        async with asyncio.TaskGroup() as tasks:
            loops = [
                tasks.create_task(loop)
                for loop in (
                    gateway.router.run(),
                    gateway.following.run(),
                    gateway.presences.run(),
                    gateway.newest.run(),
                    gateway.clock.keep(),
                    gateway.notices.keep(lambda: gateway.sessions.open),
                    # Until it is done, browsers get what was compressed faster.
                    assets.press(),
                    releases.keep(),
                    app.once_started(peers.keep),
                )
            ]
            # Whoever comes first finds the engines known.
            await gateway.router.ready()
            try:
                yield
                await leaving.leave()
                await gateway.presences.settled()
            finally:
                await stop(*loops)


@asynccontextmanager
async def _put_together(app: App[GatewayConfig]) -> AsyncIterator[tuple[Gateway, Subscriber]]:
    """The parts of a gateway, and by what it hears; left, its connections are closed."""
    config, keys = app.config, Keys(app.config.redis_prefix)
    async with (
        aclosing(open_batch(app.redis, timeout_ms=config.redis_timeout_ms)) as batch,
        aclosing(
            Matchmaking(config.matchmaking, config.engine_total_ms, app.channels)
        ) as matchmaking,
        aclosing(Archive(config.archive, config.engine_total_ms, app.channels)) as archive,
        open_subscriber(app.redis, timeout_ms=config.redis_timeout_ms) as subscriber,
    ):
        clock = RedisClock(batch)
        await clock.measure()
        tokens = await _tokens(batch, keys, config)
        maintenance = Maintenance(batch, keys, clock.now)
        await maintenance.look()
        proxies = Proxies(config.trusted_proxies)
        penalties = Penalties(proxies.customer, asyncio.get_running_loop().time)
        router = Router(batch, keys, config, app.channels)
        feeds = Feeds(batch, keys)
        following = Following(keys, config, feeds, Bringing(router, feeds), subscriber)
        gateway = Gateway(
            config=config,
            batch=batch,
            keys=keys,
            clock=clock,
            tokens=tokens,
            limits=Limits(batch, keys, config),
            players=Players(batch, keys),
            router=router,
            following=following,
            presences=Presences(batch, keys, config, router),
            newest=Newest(batch, keys, subscriber),
            matchmaking=matchmaking,
            archive=archive,
            sessions=Sessions(config, app.draining),
            strangers=Strangers(config.strangers),
            notices=Notices(maintenance),
            penalties=penalties,
            proxies=proxies,
        )
        yield gateway, subscriber


def _add_rpc(app: App[GatewayConfig], gateway: Gateway) -> None:
    """What backends and programs call."""
    app.callers.are_anybody(Caller(gateway).is_backend)
    add_PlayServiceServicer_to_server(PlayServicer(gateway), app.server)
    add_MatchmakingServiceServicer_to_server(MatchmakingServicer(gateway), app.server)
    app.server.add_generic_rpc_handlers((RulesProxy(gateway), HistoryProxy(gateway)))


def _add_http(app: App[GatewayConfig], gateway: Gateway, pages: Pages) -> None:
    """What browsers ask."""
    app.http.middlewares.append(told)
    Web(gateway).add_to(app.http)
    pages.add_to(app.http)
    Questions(gateway, RulesProxy(gateway)).add_to(app.http)


async def _tokens(batch: Batch, keys: Keys, config: GatewayConfig) -> Tokens:
    known = [configured_key(setting) for setting in config.token_keys]
    if config.takes_guests and not any(key.signs for key in known):
        known.append(await guest_key(batch, keys))
        log.warning("guests_taken", kid=known[-1].kid)
    return Tokens(config, known)

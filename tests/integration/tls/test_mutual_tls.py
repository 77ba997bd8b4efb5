"""gRPC between all services over mutual TLS: whole games, strangers, and certificates that are renewed."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from grpc_health.v1 import health_pb2, health_pb2_grpc

from parlor.cli.person import Habits
from parlor.cli.play import play
from parlor.cli.simulated import GAMES
from parlor.cli.table import Setting
from parlor.client import Client
from parlor.engine.config import EngineConfig
from parlor.engine.serve import SERVICES as ENGINE_SERVICES
from parlor.engine.serve import engine_of
from parlor.gateway.config import GatewayConfig
from parlor.gateway.serve import SERVICES as GATEWAY_SERVICES
from parlor.gateway.serve import bind as gateway
from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.replica import SERVICES as MATCHMAKING_SERVICES
from parlor.matchmaking.replica import bind as matchmaking
from parlor.serving import App, serving
from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.play_pb2 import OpenRoom
from parlor.v1.room_pb2 import GameConfig
from tests.integration.engine.support import host
from tests.integration.gateway.support import Clients, reason_of
from tests.integration.play.support import UNHURRIED
from tests.integration.tls.support import NAME, Files, issued

KIND = "doudizhu"
CONFIG = GameConfig(doudizhu=DouDizhuConfig())


@dataclass(frozen=True, slots=True)
class Parlor:
    """An engine, matchmaking and a gateway that know each other by certificates."""

    engine: App[EngineConfig]
    desk: App[MatchmakingConfig]
    door: App[GatewayConfig]

    @property
    def url(self) -> str:
        return f"http://{self.door.http_address}"


@pytest.fixture
def ca() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def files(tmp_path: Path, ca: trustme.CA) -> Files:
    made = Files(tmp_path)
    made.write(*issued(ca))
    return made


@pytest.fixture
async def clients() -> AsyncIterator[Clients]:
    made = Clients()
    yield made
    await made.aclose()


@pytest.fixture
async def parlor(redis_url: str, files: Files) -> AsyncIterator[Parlor]:
    shared: dict[str, Any] = {"redis_url": redis_url, **files.settings}
    async with AsyncExitStack() as stack:
        engine = await stack.enter_async_context(
            serving(
                "engine",
                EngineConfig(**shared, unbounded=True),
                engine_of(host()),
                services=ENGINE_SERVICES,
            )
        )
        desk = await stack.enter_async_context(
            serving(
                "matchmaking",
                MatchmakingConfig(**shared),
                matchmaking,
                services=MATCHMAKING_SERVICES,
            )
        )
        door = await stack.enter_async_context(
            serving(
                "gateway",
                GatewayConfig(
                    **shared,
                    grpc_tls_clients="any",
                    matchmaking=(desk.grpc_address,),
                    **UNHURRIED,
                ),
                gateway,
                services=GATEWAY_SERVICES,
            )
        )
        yield Parlor(engine, desk, door)


@asynccontextmanager
async def channel(
    address: str, authority: bytes, own: tuple[bytes, bytes] | None = None, *, name: str = NAME
) -> AsyncIterator[grpc.aio.Channel]:
    """A channel that trusts `authority` and shows `own`: a certificate and its key."""
    chain, key = own or (None, None)
    credentials = grpc.ssl_channel_credentials(authority, key, chain)
    options = (("grpc.ssl_target_name_override", name),)
    async with grpc.aio.secure_channel(address, credentials, options=options) as opened:
        yield opened


async def answers(opened: grpc.aio.Channel) -> bool:
    """Whether the service behind a channel lets us in."""
    stub: Any = health_pb2_grpc.HealthStub(opened)
    try:
        answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=60)
    except grpc.aio.AioRpcError as error:
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            return False
        raise
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


async def is_let_in(
    address: str, authority: bytes, own: tuple[bytes, bytes] | None = None, *, name: str = NAME
) -> bool:
    async with channel(address, authority, own, name=name) as opened:
        return await answers(opened)


async def matched(parlor: Parlor) -> None:
    """Three players meet: gateway to matchmaking, matchmaking to engine, gateway to engine."""
    async with AsyncExitStack() as stack:
        players = [
            await stack.enter_async_context(Client([parlor.url], guest=name)) for name in "ABC"
        ]
        async with asyncio.timeout(60):
            for player in players:
                await player.enqueue(CONFIG)
            rooms = {await player.assigned() for player in players}
    assert len(rooms) == 1
    assert rooms != {""}


async def test_whole_games_are_played(parlor: Parlor) -> None:
    game = GAMES[KIND]
    setting = Setting(
        urls=[parlor.url],
        game=game,
        config=game.config(game.rule_sets[0]),
        habits=Habits(timeout_in=0, drop_in=0),
        say=lambda line: None,
    )
    tally = await play(setting, games=1, parallel=1, seed=7, limit_s=300)
    assert tally.is_clean, "\n".join(tally.lines())
    await matched(parlor)


async def test_who_shows_no_certificate_of_ours_is_refused(parlor: Parlor, ca: trustme.CA) -> None:
    chain, key, authority = issued(ca)
    foreign, foreign_key, _ = issued(trustme.CA())
    for inside in (parlor.engine.grpc_address, parlor.desk.grpc_address):
        assert await is_let_in(inside, authority, (chain, key))
        assert not await is_let_in(inside, authority)
        assert not await is_let_in(inside, authority, (foreign, foreign_key))
        async with grpc.aio.insecure_channel(inside) as plain:
            assert not await answers(plain)
    # To a gateway a token says who calls.
    assert await is_let_in(parlor.door.grpc_address, authority)


@pytest.mark.parametrize("what", ["of another authority", "for another name"])
async def test_a_service_that_is_not_ours_is_not_called(
    redis_url: str, files: Files, ca: trustme.CA, clients: Clients, tmp_path: Path, what: str
) -> None:
    theirs = Files(tmp_path / "theirs")
    theirs.folder.mkdir()
    certificate, key, authority = (
        issued(trustme.CA()) if what == "of another authority" else issued(ca, "other.internal")
    )
    theirs.write(certificate, key, authority)
    settings = UNHURRIED | files.settings | {"redis_url": redis_url, "engine_total_ms": 1_500}
    async with (
        serving(
            "engine",
            EngineConfig(redis_url=redis_url, **theirs.settings),
            engine_of(host()),
            services=ENGINE_SERVICES,
        ),
        serving("gateway", GatewayConfig(**settings), gateway, services=GATEWAY_SERVICES) as door,
    ):
        ann = await clients.connect(door)
        await ann.send(open_room=OpenRoom(request_id="1", config=CONFIG))
        refused = (await ann.next("answer")).answer.refused
    assert reason_of(refused) in ("NO_ENGINE", "TIMEOUT")


async def test_renewed_certificates_are_used_while_the_services_run(
    parlor: Parlor, files: Files, ca: trustme.CA
) -> None:
    """Even of another authority: what was open goes on, and what is opened from then on is the new."""
    engine = parlor.engine.grpc_address
    before = issued(ca)
    own = before[:2]
    async with (
        channel(engine, before[2], own) as opened,
        Client([parlor.url], guest="Ann", chance=random.Random(1)) as ann,
    ):
        room = await ann.watch((await ann.open_room(CONFIG)).room_id)
        assert await answers(opened)
        after = issued(fresh := trustme.CA())
        files.write(*issued(fresh))
        assert await is_let_in(engine, after[2], after[:2])
        assert not await is_let_in(engine, before[2], own)
        # The connections that were there.
        assert await answers(opened)
        await room.ready()
        # The gateway's and matchmaking's calls, which go by new connections now.
        await matched(parlor)


async def test_files_that_cannot_be_used_change_nothing_until_they_can(
    parlor: Parlor, files: Files, ca: trustme.CA
) -> None:
    engine = parlor.engine.grpc_address
    before = issued(ca)
    after = issued(fresh := trustme.CA())
    certificate, key, authority = issued(fresh)
    for unusable in (
        (certificate, before[1], authority),
        (b"nonsense", key, authority),
        (certificate, b"", authority),
        (certificate, key, b"nonsense"),
    ):
        files.write(*unusable)
        assert await is_let_in(engine, before[2], before[:2])
        assert not await is_let_in(engine, after[2], after[:2])
    (files.folder / "tls.crt").unlink()
    assert await is_let_in(engine, before[2], before[:2])
    files.write(certificate, key, authority)
    assert await is_let_in(engine, after[2], after[:2])

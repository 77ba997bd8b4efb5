"""Ten thousand hostile frames while people play: each gets one typed error at most, and nobody else
notices."""

import asyncio
import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest

from parlor.cli.person import Habits
from parlor.cli.simulated import GAMES
from parlor.cli.table import Quota, Setting, Table
from parlor.cli.tally import Tally
from parlor.client import codec, login
from parlor.everything import Everything, EverythingConfig
from parlor.v1.play_pb2 import ClientFrame, Command, Hello, Ping
from parlor.v1.play_service_pb2 import ExecuteRequest
from tests.integration.play.attackers import (
    Answers,
    by_unary_calls,
    over_connect,
    over_websocket,
    with_hellos,
)
from tests.integration.play.hostile import Hostile

UNLIMITED = {
    f"PARLOR_GATEWAY_{name}": "1000000"
    for name in (
        "FRAMES_PER_S",
        "FRAMES_BURST",
        "PLAYER_REQUESTS_PER_S",
        "PLAYER_REQUESTS_BURST",
        "ADDRESS_ARRIVALS_PER_S",
        "ADDRESS_ARRIVALS_BURST",
        "CODES_PER_MIN",
        "OPENS_PER_MIN",
        "UNANSWERED",
    )
}
"""Limits would refuse most frames before anybody looks at them."""


@pytest.fixture
async def parlor(tmp_path: Path) -> AsyncIterator[Everything]:
    config = EverythingConfig(directory=str(tmp_path), port=0, engines=1, gateways=1, bots=0)
    env = {**os.environ, **UNLIMITED, "PARLOR_GATEWAY_MALFORMED": "500"}
    async with Everything(config, env=env) as everything:
        yield everything


@pytest.mark.slow
@pytest.mark.timeout(600)
async def test_ten_thousand_hostile_frames_disturb_nobody(parlor: Everything) -> None:
    services = ("gateway", "engine", "matchmaking")
    pids = [parlor.pids(service) for service in services]
    gateway = parlor.gateways[0]
    game = GAMES["doudizhu"]
    tally, quota = Tally(games_wanted=0), Quota(1_000)
    setting = Setting(
        urls=[gateway.url],
        game=game,
        config=game.config("standard"),
        habits=Habits(timeout_in=0, repeat_in=0, drop_in=0),
        say=lambda _: None,
    )
    table = Table(1, setting, quota, tally, random.Random(1))
    playing = asyncio.create_task(table.run())
    async with asyncio.timeout(100):
        while table.room is None or table.room.game_view is None:
            await asyncio.sleep(0.01)
    answers = Answers()
    async with asyncio.timeout(400):
        await _attack(gateway.url, gateway.grpc, table, answers)
        quota.left = 0
        await playing
    assert answers.wrong == []
    assert answers.sent == 10_000
    assert answers.errors.total() <= answers.sent
    assert {"MALFORMED", "NOT_SEATED", "ROOM_NOT_FOUND", "INVALID_TOKEN", "DECISION_OVER"} <= set(
        answers.errors
    ), answers.errors
    tally.games_wanted = tally.games_finished
    assert tally.games_finished > 0
    assert tally.is_clean, tally.as_json()
    assert [parlor.pids(service) for service in services] == pids


async def _attack(url: str, address: str, table: Table, answers: Answers) -> None:
    """Everything at once: two kinds of WebSocket, a gRPC stream, calls in a player's name, hellos."""
    assert table.room is not None
    room_id = table.room.room_id
    hostile = [Hostile(room_id, seed) for seed in range(6)]
    tokens = [(await login(url, f"Mallory {n}")).token for n in range(4)]
    seated = table.people[0]

    def over_decision() -> ExecuteRequest:
        """In a seated player's name, to a decision that is over or never was."""
        assert table.room is not None
        newest = table.room.game_view.decision
        decision = random.Random(newest).choice((newest - 1, newest - 2, newest + 1_000))
        action = hostile[4].action(decision)
        return ExecuteRequest(
            command=Command(request_id=os.urandom(8).hex(), room_id=room_id, act=action)
        )

    def bad_hello() -> ClientFrame:
        if random.random() < 0.7:
            return ClientFrame(hello=Hello(token=hostile[5].token(tokens[3]), protocol=1))
        return random.choice(
            (
                ClientFrame(ping=Ping()),
                ClientFrame(),
                ClientFrame(hello=Hello(token=tokens[3], protocol=99)),
                ClientFrame(hello=Hello(token=tokens[3], protocol=1, client="x" * 65)),
            )
        )

    async with grpc.aio.insecure_channel(address) as channel, asyncio.TaskGroup() as tasks:
        for attack in (
            over_websocket(url, tokens[0], codec.JSON, hostile[0].text, 3_500, answers),
            over_websocket(url, tokens[1], codec.PROTO, hostile[1].binary, 3_500, answers),
            over_connect(channel, tokens[2], hostile[2], 2_000, answers),
            by_unary_calls(channel, seated.client.token, over_decision, 700, answers),
            with_hellos(url, bad_hello, 300, answers),
        ):
            tasks.create_task(attack)

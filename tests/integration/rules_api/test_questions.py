"""Questions through the gateway to the engines."""

import time
from typing import Any

import grpc
import jwt
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.rules.doudizhu import DOUDIZHU, policy
from parlor.rules.jinxian.tiles import kinds
from parlor.serving import App
from parlor.v1 import doudizhu_pb2, jinxian_pb2, planes_pb2
from parlor.v1 import doudizhu_rules_service_pb2 as doudizhu
from parlor.v1 import jinxian_rules_service_pb2 as jinxian
from parlor.v1 import planes_rules_service_pb2 as planes
from parlor.wire.doudizhu import DOUDIZHU as WIRE
from tests.integration.gateway.support import Clients, bearer, gateway
from tests.integration.rules_api.support import PATIENCE_MS, Asker, asker, engine
from tests.unit.engine_advice.questions import views

Door = App[GatewayConfig]

READY = jinxian.JinxianRulesServiceDistanceRequest(
    hand=kinds("123m456789p2267s"), jing=jinxian_pb2.JinxianJing(zheng=4, fu=5)
)
PAIR = doudizhu.DouDizhuRulesServiceClassifyRequest(cards=[2, 15])
LEAD = doudizhu.DouDizhuRulesServiceListPlaysRequest(hand=range(20))


async def test_every_game_answers(ann: Asker) -> None:
    pair = await ann.ask("doudizhu", "Classify", PAIR)
    assert (pair.reading.shape, pair.reading.value) == (doudizhu_pb2.DOU_DIZHU_SHAPE_TWO, 2)
    assert len((await ann.ask("doudizhu", "ListPlays", LEAD)).plays) > 20
    view = WIRE.view_to(next(views(DOUDIZHU, policy.decide, seed=1)))
    advice = doudizhu.DouDizhuRulesServiceAdviseRequest(view=view)
    assert (await ann.ask("doudizhu", "Advise", advice)).decision == view.prompt.decision
    ready = await ann.ask("jinxian", "Distance", READY)
    assert (ready.distance, ready.left) == (1, 16)
    win = jinxian.JinxianRulesServiceCheckWinRequest(hand=READY.hand, jing=READY.jing, tile=25)
    scored = await ann.ask("jinxian", "CheckWin", win)
    assert (scored.wins, list(scored.deltas)) == (True, [39, -13, -13, -13])
    fleet = [
        planes_pb2.PlanesProposal(x=x, y=y, direction=direction)
        for x, y, direction in (
            (0, 2, planes_pb2.PLANES_DIRECTION_UP),
            (0, 7, planes_pb2.PLANES_DIRECTION_UP),
            (9, 4, planes_pb2.PLANES_DIRECTION_DOWN),
        )
    ]
    validate = planes.PlanesRulesServiceValidateRequest(planes=fleet)
    assert len((await ann.ask("planes", "Validate", validate)).placements) == 3


@pytest.mark.parametrize(
    ("kind", "method", "request_", "reason", "field"),
    [
        (
            "doudizhu",
            "Classify",
            doudizhu.DouDizhuRulesServiceClassifyRequest(cards=[54]),
            "BAD_CARD",
            "cards[0]",
        ),
        (
            "doudizhu",
            "ListPlays",
            doudizhu.DouDizhuRulesServiceListPlaysRequest(hand=range(21)),
            "MALFORMED",
            "hand",
        ),
        (
            "jinxian",
            "Distance",
            jinxian.JinxianRulesServiceDistanceRequest(hand=kinds("11111m6789p2267s")),
            "MALFORMED",
            "jing",
        ),
        (
            "jinxian",
            "CheckWin",
            jinxian.JinxianRulesServiceCheckWinRequest(
                hand=kinds("11111m6789p2267s"), jing=READY.jing, tile=25
            ),
            "MALFORMED",
            "hand",
        ),
        (
            "planes",
            "Validate",
            planes.PlanesRulesServiceValidateRequest(),
            "BAD_COUNT",
            "planes",
        ),
        ("planes", "Advise", planes.PlanesRulesServiceAdviseRequest(), "MALFORMED", "view"),
    ],
)
async def test_bad_input_is_refused_with_reason_and_field(
    ann: Asker, kind: str, method: str, request_: Any, reason: str, field: str
) -> None:
    found = await ann.refused(kind, method, request_)
    assert found == (grpc.StatusCode.INVALID_ARGUMENT, reason, {"field": field})


async def test_a_request_that_is_too_large_is_refused(ann: Asker) -> None:
    cards = doudizhu.DouDizhuRulesServiceClassifyRequest(cards=[1] * 5_000)
    code, reason, _ = await ann.refused("doudizhu", "Classify", cards)
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "TOO_LARGE")
    hand = doudizhu.DouDizhuRulesServiceListPlaysRequest(hand=[1] * 70_000)
    assert (await ann.refused("doudizhu", "ListPlays", hand))[1] == "TOO_LARGE"


async def test_the_deadline_of_the_caller_counts(ann: Asker) -> None:
    code, reason, _ = await ann.refused("doudizhu", "ListPlays", LEAD, timeout=0.001)
    assert (code, reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "TIMEOUT")


async def test_questions_need_a_token_with_the_scope(redis_url: str, clients: Clients) -> None:
    secret = "0123456789abcdef0123456789abcdef"
    async with (
        engine(redis_url, "doudizhu"),
        gateway(redis_url, token_keys=(f"a=HS256:value:{secret}",), guests=False) as door,
    ):

        def token(scope: str) -> str:
            claims = {"sub": "backend", "exp": time.time() + 60, "scope": scope}
            return jwt.encode(claims, secret, algorithm="HS256", headers={"kid": "a"})

        backend = Asker(clients.channel(door), token("rules"))
        assert (await backend.ask("doudizhu", "Classify", PAIR)).HasField("reading")
        other = bearer(token("play match open"))
        found = await backend.refused("doudizhu", "Classify", PAIR, metadata=other)
        permission = grpc.StatusCode.PERMISSION_DENIED
        assert found == (permission, "SCOPE_MISSING", {"scope": "rules"})
        found = await backend.refused("doudizhu", "Classify", PAIR, metadata=())
        assert found[1] == "INVALID_TOKEN"


async def test_a_kind_without_engines_is_unavailable(redis_url: str, clients: Clients) -> None:
    async with gateway(redis_url, engine_total_ms=60, engine_answer_ms=50) as door:
        ann = await asker(door, clients)
        found = await ann.refused("planes", "Advise", planes.PlanesRulesServiceAdviseRequest())
        assert found == (grpc.StatusCode.UNAVAILABLE, "NO_ENGINE", {})


async def test_a_replica_without_advisers_leaves_heavy_questions_to_another(
    redis_url: str, clients: Clients
) -> None:
    async with engine(redis_url, "doudizhu", advisers=0):
        async with gateway(redis_url, engine_total_ms=PATIENCE_MS) as door:
            ann = await asker(door, clients)
            assert (await ann.ask("doudizhu", "Classify", PAIR)).HasField("reading")
            code, reason, _ = await ann.refused("doudizhu", "ListPlays", LEAD)
            assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "NO_ENGINE")
        async with (
            engine(redis_url, "doudizhu"),
            gateway(redis_url, engine_total_ms=PATIENCE_MS) as door,
        ):
            ann = await asker(door, clients)
            for _ in range(8):
                assert (await ann.ask("doudizhu", "ListPlays", LEAD)).plays


async def test_a_draining_engine_leaves_heavy_questions_to_another(
    redis_url: str, clients: Clients
) -> None:
    async with (
        engine(redis_url, "doudizhu") as leaving,
        gateway(redis_url, engine_total_ms=PATIENCE_MS) as door,
    ):
        ann = await asker(door, clients)
        assert (await ann.ask("doudizhu", "ListPlays", LEAD)).plays
        leaving.draining.set()
        code, reason, _ = await ann.refused("doudizhu", "ListPlays", LEAD)
        assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "DRAINING")
        async with (
            engine(redis_url, "doudizhu"),
            gateway(redis_url, engine_total_ms=PATIENCE_MS) as other,
        ):
            ann = await asker(other, clients)
            for _ in range(8):
                assert (await ann.ask("doudizhu", "ListPlays", LEAD)).plays


async def test_an_unknown_method_is_unimplemented(door: Door, clients: Clients) -> None:
    token, _ = await clients.login(door, "Ann")
    call: Any = clients.channel(door).unary_unary("/parlor.v1.DouDizhuRulesService/Cheat")
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call(b"", metadata=bearer(token))
    assert error.value.code() is grpc.StatusCode.UNIMPLEMENTED

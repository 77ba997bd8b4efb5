"""What a page asks beside its session, over HTTP: the rules of a game, and games that have ended.

The same as the rules services and `PlayService.GetReplay` give to programs, as JSON.
"""

import asyncio
import gzip
from collections.abc import Mapping
from typing import Final

from aiohttp import web
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from parlor.gateway.addresses import of_http
from parlor.gateway.checks import check_room_id, from_malformed, malformed
from parlor.gateway.gateway import Gateway
from parlor.gateway.http_answers import NO_STORE, arriving, json_of
from parlor.gateway.json_scalars import Malformed
from parlor.gateway.pages import takes
from parlor.gateway.replays import replay
from parlor.gateway.rules import SERVICES_BY_KIND, RulesProxy
from parlor.gateway.tokens import Identity
from parlor.gateway.transcode import from_json, prepare, to_json
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.replay_pb2 import ReplayStart, ReplayStep
from parlor.v1.room_pb2 import GameResult

MOST_BYTES: Final = 64 * 1024
"""Of a question; the views of the longest games have a third of that."""

_BEARER: Final = "bearer "
_MOST_DIGITS: Final = 6

Types = tuple[type[Message], type[Message]]
"""Of a method's request and response."""

_METHODS: Final[Mapping[tuple[str, str], Types]] = {
    (kind, method.name): (GetMessageClass(method.input_type), GetMessageClass(method.output_type))
    for kind, service in SERVICES_BY_KIND.items()
    for method in service.methods
}


class Questions:
    """The routes."""

    def __init__(self, gateway: Gateway, rules: RulesProxy) -> None:
        self._gateway = gateway
        self._rules = rules
        prepare(
            ReplayStart, ReplayStep, GameResult, *(t for pair in _METHODS.values() for t in pair)
        )

    def add_to(self, http: web.Application) -> None:
        """Adds the routes to a process's HTTP application."""
        http.router.add_post("/rules/{kind}/{method}", self._ask)
        http.router.add_get("/replay/{room_id}/{game_no}", self._replay)

    async def _ask(self, request: web.Request) -> web.Response:
        await self._identified(request, "rules")
        kind, method = request.match_info["kind"], request.match_info["method"]
        if kind not in SERVICES_BY_KIND:
            raise ServiceError(ErrorReason.ERROR_REASON_UNKNOWN_KIND, "no such kind of game")
        if (kind, method) not in _METHODS:
            raise malformed("no such question", "method")
        asked, answered = _METHODS[kind, method]
        try:
            question = from_json(await _body(request), asked)
        except Malformed as error:
            raise from_malformed(error) from None
        path = f"/{SERVICES_BY_KIND[kind].full_name}/{method}"
        answer = await self._rules.answer(kind, path, question.SerializeToString())
        return json_of(answered.FromString(answer))

    async def _replay(self, request: web.Request) -> web.Response:
        await self._identified(request, "play")
        room_id, game_no = request.match_info["room_id"], request.match_info["game_no"]
        check_room_id(room_id)
        if not (game_no.isascii() and game_no.isdigit() and len(game_no) <= _MOST_DIGITS):
            raise malformed("expected a number", "game_no")
        body = await self._replay_of(room_id, int(game_no))
        headers = {**NO_STORE, "Content-Type": "application/json", "Vary": "Accept-Encoding"}
        if takes("gzip", request.headers.get("Accept-Encoding", "")):
            headers["Content-Encoding"] = "gzip"
            # In a thread: a long game takes tens of milliseconds.
            body = await asyncio.to_thread(gzip.compress, body, compresslevel=6)
        return web.Response(body=body, headers=headers)

    async def _replay_of(self, room_id: str, game_no: int) -> bytes:
        """The parts as one JSON document; raises ServiceError.

        Read to its end before anything is sent, so that a slow client does not hold one of an
        engine's few places.
        """
        start, result = b"", b""
        steps: list[bytes] = []
        async for part in replay(self._gateway, room_id, game_no):
            match part.WhichOneof("part"):
                case "start":
                    start = to_json(part.start)
                case "steps":
                    steps.extend(to_json(step) for step in part.steps.steps)
                case "result":
                    result = to_json(part.result)
        if not start or not result:
            raise ServiceError(ErrorReason.ERROR_REASON_INTERNAL, "the replay is not complete")
        return b'{"start":%b,"steps":[%b],"result":%b}' % (start, b",".join(steps), result)

    async def _identified(self, request: web.Request, scope: str) -> Identity:
        """Who asks; raises INVALID_TOKEN, SCOPE_MISSING or TOO_FAST."""
        header = request.headers.get("Authorization", "")
        if not header.lower().startswith(_BEARER):
            raise ServiceError(
                ErrorReason.ERROR_REASON_INVALID_TOKEN,
                "expected the header Authorization: Bearer <JWT>",
            )
        who = self._gateway.tokens.verify(header[len(_BEARER) :].strip())
        who.require(scope)
        address = of_http(request, self._gateway.proxies)
        await self._gateway.spend_request(who.player, address)
        return who


async def _body(request: web.Request) -> bytes:
    """The question; raises TOO_LARGE, or TIMEOUT where it does not come."""
    body = bytearray()
    async with arriving():
        async for chunk in request.content.iter_any():
            body += chunk
            if len(body) > MOST_BYTES:
                raise ServiceError(
                    ErrorReason.ERROR_REASON_TOO_LARGE,
                    f"at most {MOST_BYTES} bytes",
                    most=str(MOST_BYTES),
                )
    return bytes(body)

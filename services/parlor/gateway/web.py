"""The way in over HTTP: the WebSocket and the login of guests."""

from typing import Final
from urllib.parse import urlsplit

import msgspec
from aiohttp import web

from parlor.gateway import websocket
from parlor.gateway.addresses import of_http
from parlor.gateway.gateway import Gateway
from parlor.gateway.http_answers import arriving, json_of, refused
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_service_pb2 import LoginResponse

_LOGIN_BYTES: Final = 1_024


class _Login(msgspec.Struct, forbid_unknown_fields=True):
    """The body of `POST /login`."""

    name: str
    bot: bool = False


class Web:
    """The routes."""

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway

    def add_to(self, http: web.Application) -> None:
        """Adds the routes to a process's HTTP application."""
        http.router.add_get("/ws", self._websocket)
        http.router.add_post("/login", self._login)

    async def _websocket(self, request: web.Request) -> web.StreamResponse:
        refusal = self._gateway.sessions.refusal()
        if refusal is not None:
            return refused(refusal)
        if not self._is_welcome(request):
            return refused(
                ServiceError(
                    ErrorReason.ERROR_REASON_SCOPE_MISSING, "pages of this origin may not connect"
                )
            )
        if not _speaks_ours(request):
            return refused(
                ServiceError(
                    ErrorReason.ERROR_REASON_UNSUPPORTED_PROTOCOL,
                    f"expected {websocket.JSON} or {websocket.PROTO}",
                )
            )
        address = of_http(request, self._gateway.proxies)
        try:
            # First what costs nothing.
            self._gateway.strangers.check(address)
            # Before the hello: a connection that never says it takes up a place all the same.
            await self._gateway.limits.arrivals.spend(address)
        except ServiceError as error:
            return self._refused(request, error)
        return await websocket.serve(self._gateway, request, address)

    async def _login(self, request: web.Request) -> web.Response:
        asked = await _asked(request)
        try:
            token, player = await self._gateway.login(
                asked.name, bot=asked.bot, address=of_http(request, self._gateway.proxies)
            )
        except ServiceError as error:
            return self._refused(request, error)
        return json_of(LoginResponse(token=token, player=player))

    def _refused(self, request: web.Request, error: ServiceError) -> web.Response:
        """A refusal, which is held against the address where it came too fast."""
        if error.reason == ErrorReason.ERROR_REASON_TOO_FAST:
            self._gateway.penalties.refused(request.remote or "")
        return refused(error)

    def _is_welcome(self, request: web.Request) -> bool:
        """Whether the page that opens the WebSocket may: another site's page would act with this
        one's user.
        """
        origin = request.headers.get("Origin")
        allowed = self._gateway.config.origins
        return (
            origin is None
            or "*" in allowed
            or origin in allowed
            or urlsplit(origin).netloc == request.host
        )


def _speaks_ours(request: web.Request) -> bool:
    """Whether a client that names subprotocols names one of ours; who names none speaks JSON."""
    names = request.headers.get("Sec-WebSocket-Protocol")
    return names is None or any(
        name.strip() in (websocket.JSON, websocket.PROTO) for name in names.split(",")
    )


async def _asked(request: web.Request) -> _Login:
    """The body of a login; raises MALFORMED, or TIMEOUT where it does not come."""
    async with arriving():
        body = await request.content.read(_LOGIN_BYTES + 1)
    if len(body) > _LOGIN_BYTES or not request.content.at_eof():
        raise ServiceError(ErrorReason.ERROR_REASON_TOO_LARGE, f"at most {_LOGIN_BYTES} bytes")
    try:
        return msgspec.json.decode(body, type=_Login)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise ServiceError(
            ErrorReason.ERROR_REASON_MALFORMED, 'expected {"name": "…", "bot": false}'
        ) from None

"""The routes of the browser client's files."""

from typing import Final

from aiohttp import web

from parlor.gateway.assets import Asset, Assets
from parlor.gateway.releases import Releases

_ALWAYS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Vary": "Accept-Encoding",
    # Shorter than aiohttp's, which tells its versions.
    "Server": "parlor",
}
PAGE_HEADERS: Final = {
    **_ALWAYS,
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "Referrer-Policy": "no-referrer",
    # Asked for anew each time, and not sent again while it is the same.
    "Cache-Control": "no-cache",
}
_NEVER: Final = frozenset({"0", "0.0", "0.00", "0.000"})
ASSET_HEADERS: Final = {**_ALWAYS, "Cache-Control": "public, max-age=31536000, immutable"}
"""A hundred files go with these: what only a document obeys, or only who asks again, is not among them."""


class Pages:
    """The page and what belongs to it."""

    def __init__(self, assets: Assets, releases: Releases) -> None:
        self._assets = assets
        self._releases = releases

    def add_to(self, http: web.Application) -> None:
        """Adds the routes to a process's HTTP application."""
        http.router.add_get("/", self._page)
        http.router.add_get("/assets/{tree}/{path:.+}", self._asset)

    async def _page(self, request: web.Request) -> web.Response:
        page = self._assets.page
        coding, body = _chosen(request, page)
        # Two encodings are two different bodies to whoever compares tags.
        tag = f'"{page.tag}-{coding}"' if coding else f'"{page.tag}"'
        headers = {**PAGE_HEADERS, "ETag": tag}
        if tag in (known.strip() for known in request.headers.get("If-None-Match", "").split(",")):
            return web.Response(status=304, headers=headers)
        return _sent(page, coding, body, headers)

    async def _asset(self, request: web.Request) -> web.Response:
        # Looked up and never joined to a folder: a path leads to what is listed, or nowhere.
        tree, path = request.match_info["tree"], request.match_info["path"]
        asset = await self._releases.find(tree, path)
        if asset is None:
            raise web.HTTPNotFound(headers={"Cache-Control": "no-store"})
        return _sent(asset, *_chosen(request, asset), ASSET_HEADERS)


def _chosen(request: web.Request, asset: Asset) -> tuple[str, bytes]:
    offers = request.headers.get("Accept-Encoding", "")
    return asset.compressed(lambda coding: takes(coding, offers))


def _sent(asset: Asset, coding: str, body: bytes, headers: dict[str, str]) -> web.Response:
    headers = {**headers, "Content-Type": asset.content_type}
    if coding:
        headers["Content-Encoding"] = coding
    return web.Response(body=body, headers=headers)


def takes(coding: str, offers: str) -> bool:
    """Whether an `Accept-Encoding` names this coding and does not rule it out.

    >>> takes("gzip", "br, gzip;q=0.5"), takes("gzip", "gzip;q=0, br"), takes("br", "")
    (True, False, False)
    """
    for offer in offers.split(","):
        name, _, weight = offer.partition(";")
        if name.strip().lower() == coding:
            return weight.strip().lower().removeprefix("q=") not in _NEVER
    return False

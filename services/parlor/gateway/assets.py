"""The browser client's files, read once and kept ready to send: without comments, and compressed.

Every file has an address with the hash of the whole tree in it, `/assets/<hash>/<path>`, and may be
cached for ever. Modules import each other by relative addresses, so a page gets all of its modules
from one release, also those that it asks for while newer ones are rolled out.
"""

import asyncio
import gzip
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

import brotli

from parlor.gateway.modules import Modules

PLACEHOLDER: Final = "/assets/@/"
"""What addresses begin with in `index.html`; `@` becomes the hash."""

_PAGE: Final = "index.html"
_START: Final = "main.js"
_HTML: Final = "text/html; charset=utf-8"
_TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".css": "text/css; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".json": "application/json",
        ".png": "image/png",
        ".svg": "image/svg+xml",
        ".txt": "text/plain; charset=utf-8",
        ".webmanifest": "application/manifest+json",
        ".webp": "image/webp",
    }
)
_WRITTEN: Final = frozenset({".css", ".js"})
_COMMENT: Final = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/)[\s\S])*\*/[ \t]*)\n", re.MULTILINE)
"""Lines that are nothing but a comment."""
_TYPE: Final = re.compile(r"/\*\* @type (?:(?!\*/)[^\n])*\*/ ?")
"""What tells the reader of a line the type of something in it."""
_INDENT: Final = re.compile(r"^[ \t]+", re.MULTILINE)


class Asset:
    """One file as it is sent."""

    __slots__ = ("_compressed", "body", "content_type", "tag")

    def __init__(self, content_type: str, body: bytes) -> None:
        self.content_type = content_type
        self.body = body
        self.tag = _hash([body])
        """A hash of the body."""
        self._compressed: dict[str, bytes] = {}
        # Without a time the same file gives the same bytes on every replica.
        self._keep("gzip", gzip.compress(body, compresslevel=9, mtime=0))

    def press(self) -> None:
        """Compresses better, and a hundred times slower; once."""
        if "br" not in self._compressed:
            self._keep("br", brotli.compress(self.body, quality=11))

    def compressed(self, accepted: Callable[[str], bool]) -> tuple[str, bytes]:
        """The smallest form of which the content coding is accepted; as it is, the coding is empty."""
        forms = [(coding, body) for coding, body in self._compressed.items() if accepted(coding)]
        return min(forms, key=lambda form: len(form[1]), default=("", self.body))

    def _keep(self, coding: str, compressed: bytes) -> None:
        if len(compressed) < len(self.body):
            self._compressed[coding] = compressed


class Assets:
    """All files of the client."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        """`files` by their path from the root; raises KeyError where there is no page."""
        served = {
            path: _small(path, body)
            for path, body in files.items()
            if path != _PAGE and PurePosixPath(path).suffix in _TYPES
        }
        hashed = {**served, _PAGE: files[_PAGE]}
        self.tree = _hash(part for path in sorted(hashed) for part in (path.encode(), hashed[path]))
        """The hash that stands in the addresses."""
        self.files: Mapping[str, Asset] = {
            path: asset_of(path, body) for path, body in served.items()
        }
        """By path."""
        self.page = Asset(_HTML, self._addressed(files[_PAGE].decode()).encode())
        """The page with everything's address in it."""

    async def press(self) -> None:
        """Compresses everything better, in a thread; takes about a second and can be cancelled."""
        for asset in (self.page, *self.files.values()):
            await asyncio.to_thread(asset.press)

    def _addressed(self, page: str) -> str:
        """The page asks for its modules at once, and not for one after the other as they name each other.

        What it may ask for later stands in templates, named for the module that is asked for: the
        client puts their links into the page when it comes to that.
        """
        root = f"/assets/{self.tree}/"

        def links(paths: Iterable[str]) -> str:
            return "".join(f'<link rel="modulepreload" href="{root}{path}">\n' for path in paths)

        scripts = {
            path: self.files[path].body.decode() for path in self.files if path.endswith(".js")
        }
        modules = Modules(scripts, _START)
        later = "".join(
            f'<template id="{entry}">\n{links(paths)}</template>\n'
            for entry, paths in modules.later.items()
        )
        head, end, rest = page.replace(PLACEHOLDER, root).partition("</head>")
        return head + links(modules.at_once) + later + end + rest


def asset_of(path: str, body: bytes) -> Asset:
    """A file as it is sent; raises KeyError for a path of no known type."""
    return Asset(_TYPES[PurePosixPath(path).suffix], body)


@cache
def client() -> Assets:
    """The client of this release; one for all gateways of a process."""
    return Assets(client_files())


def client_files() -> dict[str, bytes]:
    """The files of this release by their path."""
    return dict(_below(resources.files("parlor.gateway").joinpath("web"), ""))


def _below(folder: Traversable, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        if entry.name.startswith(("_", ".")):
            continue
        if entry.is_dir():
            yield from _below(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()


def _small(path: str, body: bytes) -> bytes:
    """Without whole lines of comment, types and indentation, a third of most files.

    Those of a template literal over several lines would go too; no module has one, and a test
    compares what Node's parser makes of each.
    """
    if PurePosixPath(path).suffix not in _WRITTEN:
        return body
    return _INDENT.sub("", _TYPE.sub("", _COMMENT.sub("", body.decode()))).encode()


def _hash(parts: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        # Behind its length, or two trees could run together to the same bytes.
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()[:16]

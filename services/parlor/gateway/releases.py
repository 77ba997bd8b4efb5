"""The client's files of every release that is up, so that any gateway has what another's page names.

While a release is rolled out, a page may come from a gateway of the new one and its modules be asked
of a gateway of the old one, or the other way round; a single module that is missing keeps the page
blank. So each gateway puts its files into Redis, and looks there for those that are not its own.
"""

import asyncio
import re
from typing import Final

import structlog
from redis.exceptions import RedisError

from parlor.gateway.assets import Asset, Assets, asset_of
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch

_KEPT_S: Final = 86_400
"""How long files outlive the last gateway that had them."""
_TREE: Final = re.compile(r"[0-9a-f]{16}")

log = structlog.get_logger(__name__)


class Releases:
    """The files of all releases."""

    def __init__(self, assets: Assets, batch: Batch, keys: Keys) -> None:
        self._assets = assets
        self._batch = batch
        self._keys = keys

    async def keep(self) -> None:
        """Puts this release's files where the others find them, and again before they are forgotten."""
        while True:
            try:
                await self._publish()
            except RedisError as error:
                log.warning("files_not_shared", error=type(error).__name__)
                await asyncio.sleep(1)
            else:
                await asyncio.sleep(_KEPT_S / 4)

    async def find(self, tree: str, path: str) -> Asset | None:
        """A file of some release; None where there is none. Raises Redis' errors."""
        if tree == self._assets.tree:
            return self._assets.files.get(path)
        if not _TREE.fullmatch(tree):
            return None
        body = await self._batch.call("HGET", self._keys.assets(tree), path)
        return None if body is None else asset_of(path, body)

    async def _publish(self) -> None:
        key = self._keys.assets(self._assets.tree)
        fields = [part for path, asset in self._assets.files.items() for part in (path, asset.body)]
        await self._batch.call("HSET", key, *fields)
        await self._batch.call("EXPIRE", key, _KEPT_S)

"""A Lua script that Redis keeps: sent as its hash, and as text when the server has not seen it."""

import hashlib
from collections.abc import Sequence
from typing import Any

from redis.exceptions import NoScriptError

from parlor.serving.batch import Batch
from parlor.serving.duplex import Argument


class Script:
    """One script; `await script(batch, keys, args)` runs it once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.sha = hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    async def __call__(
        self, batch: Batch, keys: Sequence[Argument], args: Sequence[Argument] = ()
    ) -> Any:
        """What the script returns; raises as `Batch.call` does.

        NOSCRIPT says that nothing was executed, so it is the one error after which calling again is
        safe.
        """
        try:
            return await batch.call("EVALSHA", self.sha, len(keys), *keys, *args)
        except NoScriptError:
            # EVAL keeps the text too, and cannot be told NOSCRIPT again by a SCRIPT FLUSH in
            # between.
            return await batch.call("EVAL", self.text, len(keys), *keys, *args)

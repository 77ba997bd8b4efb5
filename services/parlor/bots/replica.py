"""One process of bots, put together."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

from parlor.bots.config import BotsConfig
from parlor.bots.crew import Crew
from parlor.bots.identity import identities
from parlor.bots.thinking import Thinkers
from parlor.serving import App
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.redis import open_batch
from parlor.serving.tasks import stop


@asynccontextmanager
async def bind(app: App[BotsConfig]) -> AsyncIterator[None]:
    """Bots wait and play until the process is told to stop; their seats then play by the clock."""
    config = app.config
    async with (
        aclosing(open_batch(app.redis, timeout_ms=config.redis_timeout_ms)) as batch,
        Thinkers(config.processes) as thinkers,
    ):
        invitations = Invitations(batch, Keys(config.redis_prefix))
        crew = Crew(config, identities(config.urls, config.token_key), thinkers, invitations)
        living = asyncio.create_task(crew.run(), name="crew")

        async def is_alive() -> bool:
            return not living.done()

        app.add_ready_check("crew", is_alive)
        try:
            yield
        finally:
            await stop(living)

"""Two places are cut apart while they play, at a moment and with a game that follow from a seed, and healed."""

import asyncio
import random
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from parlor.serving.keys import Keys
from parlor.v1.feed_pb2 import FeedItem
from parlor.v1.play_pb2 import ServerFrame
from tests.chaos.apart import MAX_LAG_S, Apart
from tests.chaos.checker import check
from tests.chaos.faults import KINDS
from tests.chaos.history import GameLog, History, Told, now_ms, read_log
from tests.chaos.netns import network, why_not
from tests.chaos.report import Report
from tests.chaos.traffic import Traffic

WINDOW_MS: Final = 1000 * (MAX_LAG_S + 2)
"""How long after the cut the lonely primary may take writes: the lag it bears, and its rounding to seconds."""

_BEFORE: Final = (10, 30)
"""How many moves of each table are acknowledged before the cut."""
_AFTER: Final = 10
"""How many are on the side that has the new primary, before it is healed."""
_HEALED: Final = 5
"""How many of each table after that."""
_PATIENCE_S: Final = 180.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """What came of it; times in ms since the epoch."""

    kind: str
    here: Traffic
    """A table whose players know the gateway of the lonely side only."""
    there: Traffic
    """One whose players know the other's only."""
    both: Traffic
    """One whose players know both."""
    logs: Sequence[GameLog]
    kept: dict[str, set[bytes]]
    """The tokens of all entries that are left, by room that is left."""
    cut_at: float
    healed_at: float

    @property
    def histories(self) -> list[History]:
        """Everybody's."""
        return [
            listener.history
            for traffic in (self.here, self.there, self.both)
            for listener in traffic.listeners
        ]


async def cut_and_heal(directory: Path, *, seed: int, durability: str) -> Cut:
    """Carries it out; for root."""
    chance, kind = random.Random(seed), KINDS[seed % len(KINDS)]
    rooms: dict[str, int] = {}

    async def collect(room_id: str, games: int) -> None:
        rooms[room_id] = games

    with network() as net:
        parlor = Apart(net, directory, kind=kind, durability=durability)
        await parlor.start()
        here, there, both = everywhere = [
            Traffic(urls=urls, chance=random.Random(chance.getrandbits(64)), collect=collect)
            for urls in ([parlor.here], [parlor.there], [parlor.here, parlor.there])
        ]
        tables = [each.table(number, kind, matched=False) for number, each in enumerate(everywhere)]
        playing = [asyncio.create_task(table.run()) for table in tables]
        try:
            before = chance.randint(*_BEFORE)
            await _until(lambda: all(acknowledged(each, 0.0) >= before for each in everywhere))
            net.cut()
            cut_at = now_ms()
            while not await parlor.has_moved():
                await asyncio.sleep(0.05)
            moved_at = now_ms()
            # The side that has the new primary plays on, while the other one must have stopped by itself.
            await _until(lambda: acknowledged(there, moved_at) >= _AFTER)
            await _until(lambda: now_ms() > cut_at + WINDOW_MS + 1_000)
            net.heal()
            healed_at = now_ms()
            await _until(
                lambda: all(acknowledged(each, healed_at) >= _HEALED for each in everywhere)
            )
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
        redis: Any = await parlor.primary()
        async with redis:
            logs = [
                await read_log(redis, Keys(), room_id, number)
                for room_id, games in rooms.items()
                for number in range(1, games + 2)
            ]
            kept = {
                room_id: await _tokens_of(redis, room_id)
                for room_id in rooms
                if await redis.exists(Keys().room(room_id))
            }
    return Cut(
        kind=kind,
        here=here,
        there=there,
        both=both,
        logs=[log for log in logs if log.lines],
        kept=kept,
        cut_at=cut_at,
        healed_at=healed_at,
    )


async def cut_campaign(seed: int) -> tuple[Report | None, str]:
    """What came of a cut with `durability=replicated`, which loses nothing, and what was done, in words.

    None where this machine cannot do it, with why. The report has but the verdict: who waits for a
    network to be healed says nothing of pauses.
    """
    if why := why_not():
        return None, f"skipped: {why}"
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="parlor-cut-") as directory:
        cut = await cut_and_heal(Path(directory), seed=seed, durability="replicated")
    everywhere = (cut.here, cut.there, cut.both)
    stays = [stay for each in everywhere for stay in each.stays]
    report = Report(
        redis="apart",
        seed=seed,
        seconds=time.monotonic() - began,
        faults=(),
        histories=(),
        logs=(),
        verdict=check(cut.histories, cut.logs, stays, last_fault=cut.healed_at, may_rewind=True),
        unanswered=sum(each.unanswered for each in everywhere),
        broken=sum((each.broken for each in everywhere), start=Counter()),
        refused_leaves=sum((each.refused_leaves for each in everywhere), start=Counter()),
        trouble=(),
    )
    return report, f"{(cut.healed_at - cut.cut_at) / 1000:.1f} s, {cut.kind}, replicated"


def acknowledged(traffic: Traffic, since: float) -> int:
    """Moves that were accepted since then."""
    return sum(
        isinstance(item, Told) and item.accepted and item.at > since and item.seq > 0
        for each in traffic.listeners
        for item in each.history.happened
    )


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(_PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.02)


async def _tokens_of(redis: Any, room_id: str) -> set[bytes]:
    """The tokens of all entries that the room's feed has."""
    return {
        ServerFrame.FromString(delivery.frame).entry.token
        for _, fields in await redis.xrange(Keys().feed(room_id))
        for delivery in FeedItem.FromString(fields[b"e"]).entry.deliveries
    }

"""A soak: warm-up, churn, and whether everything is as small as it was between the two."""

import asyncio
import os
import random
import secrets
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from parlor.everything import Everything, EverythingConfig
from parlor.serving.redis import connect
from tests.soak.churn import CONFIGS, VISIT_S, VISITS, Churn
from tests.soak.sizes import SHARDS, Sizes, grown, measured, parts_of, ratios, standing_keys

Say = Callable[[str], None]

_SECRET: Final = secrets.token_hex(32)

BRIEF: Final = {
    # Everything that is kept for a while is kept shortly, so that the end shows what stays for ever.
    "PARLOR_ENGINE_OPEN_IDLE_MS": "2000",
    "PARLOR_ENGINE_FINISHED_IDLE_MS": "2000",
    "PARLOR_ENGINE_CONNECT_MS": "10000",
    "PARLOR_ENGINE_UNBOUNDED": "true",
    "PARLOR_ENGINE_SHARDS": str(SHARDS),
    "PARLOR_BOTS_THINK_MS": "10",
    # Every bot is somebody new; with tokens of their own they are told from the players.
    "PARLOR_BOTS_TOKEN_KEY": f"soak=value:{_SECRET}",
    "PARLOR_GATEWAY_TOKEN_KEYS": f"soak=HS256:value:{_SECRET}",
    "PARLOR_GATEWAY_GUESTS": "true",
    "PARLOR_GATEWAY_LEASE_MS": "3000",
    "PARLOR_GATEWAY_RENEW_MS": "1000",
    "PARLOR_MATCHMAKING_FORGET_MS": "2000",
    "PARLOR_MATCHMAKING_TICKET_MS": "3000",
    "PARLOR_ARCHIVE_LOG_MS": "2000",
    # What is soaked is not the limits.
    "PARLOR_GATEWAY_OPENS_PER_MIN": "100000",
    "PARLOR_GATEWAY_CODES_PER_MIN": "100000",
    "PARLOR_GATEWAY_ADDRESS_CODES_PER_MIN": "100000",
    "PARLOR_GATEWAY_ADDRESS_ARRIVALS_PER_S": "100000",
}

GONE_S: Final = 240.0
"""How long the last rooms may take to end and be gone, with their logs."""
_EACH_S: Final = 30.0
_LOOK_S: Final = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class Soak:
    """What is to be done."""

    seconds: float
    """Of churn, the warm-up included; longer where every table has not made each visit twice by then."""
    warm_up: float = 0.2
    """Which part of it is warm-up, in which every table makes each visit once at least."""
    tables: int = 6
    """Of the three games in turn."""
    seed: int = 1
    env: Mapping[str, str] = field(default_factory=dict)
    """Settings beside the usual ones of a soak."""
    gone_s: float = GONE_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Soaked:
    """What came of it."""

    before: Sizes
    after: Sizes
    done: Counter[str]
    """What was done after the warm-up."""
    stayed: tuple[int, int]
    """Keys of rooms, logs and pools that were still there when all should have been gone: after
    the warm-up, where they would make the rest look small, and at the end.
    """
    seconds: float

    @property
    def findings(self) -> tuple[str, ...]:
        """What has grown, or was not put to the test, in words."""
        return (
            *grown(self.before, self.after),
            *(
                f"{count} keys of rooms are left {when}"
                for count, when in zip(self.stayed, ("by the warm-up", "at the end"), strict=True)
                if count
            ),
            *(f"no visit of the kind {name!r} came to its end" for name in self._missing),
        )

    @property
    def _missing(self) -> list[str]:
        return [name for name in (*VISITS, "hint") if not self.done[name]]

    def as_dict(self) -> dict[str, Any]:
        """The figures by name."""
        return {
            "seconds": round(self.seconds, 1),
            "visits": dict(sorted(self.done.items())),
            "keys_before": dict(self.before.keys),
            "keys_after": dict(self.after.keys),
            "resident_mib_before": _mib(self.before),
            "resident_mib_after": _mib(self.after),
            "ratios": {
                name: round(ratio, 3) for name, ratio in ratios(self.before, self.after).items()
            },
            "left": list(self.stayed),
            "findings": list(self.findings),
        }


async def run(soak: Soak, *, say: Say = lambda _: None) -> Soaked:
    """Carries the soak out."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="parlor-soak-") as directory:
        config = EverythingConfig(port=0, engines=2, gateways=2, bots=1, directory=directory)
        standing = standing_keys(CONFIGS)
        async with Everything(config, env={**os.environ, **BRIEF, **soak.env}) as parlor:
            redis: Any = connect(parlor.redis_url)
            try:
                chance, done = random.Random(soak.seed), Counter[str]()
                kinds = list(CONFIGS)
                tables = [
                    Churn(
                        [gateway.url for gateway in parlor.gateways],
                        kinds[number % len(kinds)],
                        number,
                        random.Random(chance.getrandbits(64)),
                        done,
                    )
                    for number in range(soak.tables)
                ]
                warm_up_s = soak.seconds * soak.warm_up
                say(f"warming up for {warm_up_s:.0f} s")
                await _churn(tables, warm_up_s, done, say)
                stayed_before = await _gone(redis, standing, soak.gone_s)
                before = await measured(parlor, redis, standing)
                done.clear()
                say(f"{before.key_count} keys; churning for {soak.seconds - warm_up_s:.0f} s")
                await _churn(tables, soak.seconds - warm_up_s, done, say)
                stayed_after = await _gone(redis, standing, soak.gone_s)
                after = await measured(parlor, redis, standing)
            finally:
                await redis.aclose()
    return Soaked(
        before=before,
        after=after,
        done=done,
        stayed=(stayed_before, stayed_after),
        seconds=time.monotonic() - began,
    )


async def _churn(tables: list[Churn], seconds: float, done: Counter[str], say: Say) -> None:
    """Visits for so long, and one round at least; the last ones are finished."""
    until = asyncio.Event()
    end = time.monotonic() + seconds
    longest_s = seconds + (len(VISITS) + 1) * VISIT_S
    async with asyncio.timeout(longest_s), asyncio.TaskGroup() as tasks:
        for table in tables:
            tasks.create_task(table.run(until))
        while (left := end - time.monotonic()) > 0:
            await asyncio.sleep(min(left, _EACH_S))
            say(f"{done.total()} visits: {dict(done.most_common(8))}")
        until.set()


async def _gone(redis: Any, standing: frozenset[str], within_s: float) -> int:
    """Waits until nothing of a room or a pool is left; how many such keys are when the time is over."""
    end = time.monotonic() + within_s
    while True:
        parts = await parts_of(redis, standing)
        kept = sum(
            count
            for part, count in parts.items()
            if part in {"room", "log"} or part.startswith("pool ")
        )
        if not kept or time.monotonic() > end:
            return kept
        await asyncio.sleep(_LOOK_S)


def _mib(sizes: Sizes) -> dict[str, float]:
    return {name: round(each.resident / 1024, 1) for name, each in sizes.processes.items()}

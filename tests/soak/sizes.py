"""How large everything is: what each process holds of memory, and how many keys Redis has."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from parlor.everything import Everything
from parlor.serving.keys import Keys

MOST: Final = 1.10
"""The largest that anything may be after the churn, as a part of what it was after the warm-up."""

SHARDS: Final = 64

_ENDING: Final = frozenset({"pool owner", "bot"})
"""What has a time to live once nobody needs it: ten minutes, and a week."""

_SERVICES: Final = ("engine", "gateway", "matchmaking", "archive", "bots")


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process at one time."""

    pid: int
    resident: int
    """What it holds of memory, in KiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """One measurement, with no room open and nobody connected."""

    processes: Mapping[str, Process]
    """By name: `engine-1`, and `engine-1.1` for the first that it has started itself."""
    keys: Mapping[str, int]
    """Of Redis, by what they are; without those of which each shard has one for long."""

    @property
    def key_count(self) -> int:
        """All of them together."""
        return sum(self.keys.values())


async def measured(parlor: Everything, redis: Any, standing: frozenset[str]) -> Sizes:
    """The sizes as they are now; `standing` as in `parts_of`."""
    processes = {
        name: Process(pid=pid, resident=resident_kib(pid)) for name, pid in _pids(parlor).items()
    }
    return Sizes(processes=processes, keys=dict(sorted((await parts_of(redis, standing)).items())))


def _pids(parlor: Everything) -> dict[str, int]:
    pids: dict[str, int] = {}
    for service in _SERVICES:
        for number, pid in enumerate(parlor.pids(service), start=1):
            name = f"{service}-{number}"
            own = enumerate(sorted(started_by(pid)), start=1)
            pids |= {name: pid, **{f"{name}.{n}": child for n, child in own}}
    if parlor.redis is not None:
        # Without those that it has started: one that writes its file is soon gone.
        pids["redis"] = parlor.redis.pid
    return pids


def started_by(pid: int) -> Iterator[int]:
    """The processes that this one has started and that still run, such as an engine's advisers."""
    for children in Path(f"/proc/{pid}/task").glob("*/children"):
        yield from map(int, children.read_text().split())


def standing_keys(kinds: Iterable[str], shards: int = SHARDS) -> frozenset[str]:
    """What stays for long because there is one for each shard, and not for each room."""
    keys = Keys()
    each = [(shard, kind) for shard in range(shards) for kind in kinds]
    return frozenset(
        [
            *(keys.owner(shard, kind) for shard, kind in each),
            *(keys.outages(shard, kind) for shard, kind in each),
            *(keys.finished(shard) for shard in range(shards)),
        ]
    )


async def parts_of(redis: Any, standing: frozenset[str]) -> Counter[str]:
    """How many keys there are of each part, without the standing ones and without what ends by
    itself after a while: the fences of pools and the numbers of bots that are gone.
    """
    parts: Counter[str] = Counter()
    async for raw in redis.scan_iter(count=1_000):
        key = raw.decode()
        part = part_of(key)
        is_ending = part in _ENDING and await redis.pttl(key) >= 0
        if key not in standing and not is_ending:
            parts[part] += 1
    return parts


def part_of(key: str) -> str:
    """What a key is for.

    >>> part_of("{s17}:log:s17-planes-4t7k2m9q:1"), part_of("{u:guest-1}"), part_of("code:123456")
    ('log', 'player', 'code')
    >>> part_of("{p:planes-1}:owner"), part_of("{u:bot-1}")
    ('pool owner', 'bot')
    """
    if key.startswith("{u:"):
        return "bot" if key.startswith("{u:bot-") else "player"
    tag, _, rest = key.rpartition("}:")
    part = rest.partition(":")[0]
    return f"pool {part}" if tag.startswith("{p:") else part


def resident_kib(pid: int) -> int:
    """What a process holds of memory; raises FileNotFoundError for one that has ended."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ValueError(f"process {pid} holds no memory")


def ratios(before: Sizes, after: Sizes) -> dict[str, float]:
    """How large each was afterwards that is there both times, as a part of what it was before."""
    grown = {
        name: after.processes[name].resident / process.resident
        for name, process in before.processes.items()
        if name in after.processes
    }
    return {**grown, "keys": after.key_count / max(1, before.key_count)}


def grown(before: Sizes, after: Sizes) -> tuple[str, ...]:
    """What is larger than it may be, in words, and what cannot be compared: a process that has
    ended, also where another one has taken its place.
    """
    return (*_others(before, after), *_too_large(ratios(before, after)))


def _others(before: Sizes, after: Sizes) -> Iterator[str]:
    for name in sorted({*before.processes, *after.processes}):
        was, now = before.processes.get(name), after.processes.get(name)
        if was is None:
            yield f"{name} is new"
        elif now is None:
            yield f"{name} is gone"
        elif was.pid != now.pid:
            yield f"{name} was replaced"


def _too_large(sizes: Mapping[str, float]) -> Iterator[str]:
    for name, ratio in sizes.items():
        if ratio > MOST:
            yield f"{name} has grown to {ratio:.0%}"

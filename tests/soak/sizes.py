"""How large everything is: what each process holds of memory, and how many keys Redis has."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from parlor.everything import Everything

MOST: Final = 1.10
"""The largest that anything may be after the churn, as a part of what it was after the warm-up."""

FOR_EVER: Final = frozenset({"owner", "outages", "finished"})

_SERVICES: Final = ("engine", "gateway", "matchmaking", "archive")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """One measurement, with no room open and nobody connected."""

    resident: Mapping[str, int]
    """By process, in KiB."""
    keys: Mapping[str, int]
    """Of Redis, by what they are; without those of which each shard or pool has one for long."""

    @property
    def key_count(self) -> int:
        """All of them together."""
        return sum(self.keys.values())


async def measured(parlor: Everything, redis: Any) -> Sizes:
    """The sizes as they are now."""
    resident = {
        f"{service}-{number}": resident_kib(pid)
        for service in _SERVICES
        for number, pid in enumerate(parlor.pids(service), start=1)
    }
    if parlor.redis is not None:
        resident["redis"] = resident_kib(parlor.redis.pid)
    return Sizes(resident=resident, keys=dict(sorted((await parts_of(redis)).items())))


async def parts_of(redis: Any) -> Counter[str]:
    """How many keys there are of each part but those that stay."""
    parts = Counter([part_of(key.decode()) async for key in redis.scan_iter(count=1_000)])
    return Counter({part: count for part, count in parts.items() if part not in FOR_EVER})


def part_of(key: str) -> str:
    """What a key is for.

    >>> part_of("{s17}:log:s17-planes-4t7k2m9q:1"), part_of("{u:guest-1}"), part_of("code:123456")
    ('log', 'player', 'code')
    """
    if key.startswith("{u:"):
        return "player"
    tag, _, rest = key.rpartition("}:")
    part = rest.partition(":")[0]
    # An owner's fence outlives its pool for some minutes.
    return f"pool {part}" if tag.startswith("{p:") and part != "owner" else part


def resident_kib(pid: int) -> int:
    """What a process holds of memory; raises FileNotFoundError for one that has ended."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ValueError(f"process {pid} holds no memory")


def ratios(before: Sizes, after: Sizes) -> dict[str, float]:
    """How large each was afterwards, as a part of what it was before."""
    grown = {name: after.resident[name] / size for name, size in before.resident.items()}
    return {**grown, "keys": after.key_count / max(1, before.key_count)}


def grown(before: Sizes, after: Sizes) -> tuple[str, ...]:
    """What is larger than it may be, in words; a process that was replaced counts too."""
    gone = [name for name in before.resident if name not in after.resident]
    if gone:
        return tuple(f"{name} is gone" for name in gone)
    return tuple(_too_large(ratios(before, after).items()))


def _too_large(sizes: Iterable[tuple[str, float]]) -> Iterable[str]:
    for name, ratio in sizes:
        if ratio > MOST:
            yield f"{name} has grown to {ratio:.0%}"

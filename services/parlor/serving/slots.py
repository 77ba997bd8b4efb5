"""Which of a Redis Cluster's primaries serves what: 16,384 slots, each with one of them.

A key's slot follows from its hash tag, what stands between its first braces, or from all of it
where there is none.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from redis.crc import key_slot

from parlor.serving.duplex import Argument

Address = tuple[str, int]

T = TypeVar("T")

COUNT: Final = 16_384


def slot_of(key: Argument) -> int:
    """The slot of a key or of a sharded channel.

    >>> slot_of("{s17}:room:s17-planes-abc") == slot_of("{s17}:deadlines:planes") == slot_of("s17")
    True
    """
    return key_slot(key if isinstance(key, bytes) else str(key).encode())


def key_of(command: Sequence[Argument]) -> Argument | None:
    """The key by which a command is sent to its server; None for one that any server can answer.

    Commands with several keys have them in one slot, so the first stands for all.

    >>> key_of(("EVALSHA", "e0e1f9", 2, "{s17}:a", "{s17}:b")), key_of(("HGET", "engines", "x"))
    ('{s17}:a', 'engines')
    """
    if len(command) < 2:
        return None
    if command[0] in ("EVALSHA", "EVAL"):
        return command[3] if command[2] else None
    return command[1]


@dataclass(frozen=True, slots=True)
class SlotTable:
    """The primaries and their slots, as one node of the cluster knows them."""

    primaries: frozenset[Address]
    """Those with slots."""
    nodes: frozenset[Address]
    """The primaries and their replicas."""
    by_slot: tuple[Address | None, ...]
    """None where nobody serves the slot."""

    def but(self, slot: int, primary: Address) -> "SlotTable":
        """The table with one slot elsewhere."""
        by_slot = (*self.by_slot[:slot], primary, *self.by_slot[slot + 1 :])
        return SlotTable(self.primaries | {primary}, self.nodes | {primary}, by_slot)


NOTHING: Final = SlotTable(frozenset(), frozenset(), (None,) * COUNT)


def parsed(ranges: Iterable[Sequence[Any]], asked: str) -> SlotTable:
    """The table from the answer to CLUSTER SLOTS by the host `asked`.

    >>> table = parsed(
    ...     [[0, 8191, [b"10.0.0.1", 6379, b"a"]], [8192, 16383, [None, 6380, b"b"]]], "h"
    ... )
    >>> table.by_slot[0], table.by_slot[16383]
    (('10.0.0.1', 6379), ('h', 6380))
    """
    by_slot: list[Address | None] = [None] * COUNT
    primaries, nodes = set[Address](), set[Address]()
    for first, last, primary, *replicas in ranges:
        address = _address(primary, asked)
        by_slot[first : last + 1] = [address] * (last + 1 - first)
        primaries.add(address)
        nodes.update((address, *(_address(replica, asked) for replica in replicas)))
    return SlotTable(frozenset(primaries), frozenset(nodes), tuple(by_slot))


def grouped(items: Iterable[T], by: Callable[[T], object]) -> list[list[T]]:
    """The items in groups of one `by` each, in the order in which they came.

    >>> grouped([1, 2, 3, 4, 5], lambda n: n % 2)
    [[1, 3, 5], [2, 4]]
    """
    groups: dict[object, list[T]] = {}
    for item in items:
        groups.setdefault(by(item), []).append(item)
    return list(groups.values())


def _address(node: Sequence[Any], asked: str) -> Address:
    # A node that does not know by which name it is reached leaves it out.
    host, port, *_ = node
    return (host.decode() if host else asked), int(port)

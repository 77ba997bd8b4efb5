"""What comes once per seat of a three-handed game."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from parlor.rules.game import Seat
from parlor.wire import Malformed

Item = TypeVar("Item")


def three(items: Sequence[Item], field: str) -> tuple[Item, Item, Item]:
    """The items as one per seat; raises `Malformed` where they are not three."""
    if len(items) != 3:
        raise Malformed(field, f"must be one for each of 3 seats, not {len(items)}")
    return items[0], items[1], items[2]


def seat(number: int, field: str, *, seats: int = 3) -> Seat:
    """The number as a seat; raises `Malformed` where the table has no such one."""
    if not 0 <= number < seats:
        raise Malformed(field, f"must be 0..{seats - 1}, not {number}")
    return Seat(number)


def seats(numbers: Iterable[int], field: str) -> tuple[Seat, ...]:
    """The numbers as seats."""
    return tuple(seat(number, field) for number in numbers)

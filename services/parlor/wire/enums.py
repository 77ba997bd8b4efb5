"""Enums of the rules to enums of messages, by name."""

import enum
from collections.abc import Callable
from typing import Generic, TypeVar

from parlor.wire import Malformed

Member = TypeVar("Member", bound=enum.Enum)
Number = TypeVar("Number", bound=int)


class EnumNumbers(Generic[Member, Number]):
    """The numbers that stand for the members of one enum; a missing name fails at import."""

    def __init__(self, members: type[Member], number_of: Callable[[str], Number]) -> None:
        self._numbers = {member: number_of(member.name) for member in members}
        self._members: dict[int, Member] = {n: member for member, n in self._numbers.items()}

    def number(self, member: Member) -> Number:
        """The number of a member."""
        return self._numbers[member]

    def member(self, number: int, field: str) -> Member:
        """The member of a number; raises `Malformed` where there is none."""
        try:
            return self._members[number]
        except KeyError:
            raise Malformed(field, f"unknown value {number}") from None

    def member_or(self, number: int, field: str, default: Member) -> Member:
        """The member of a number, or `default` where it is unspecified."""
        return self.member(number, field) if number else default

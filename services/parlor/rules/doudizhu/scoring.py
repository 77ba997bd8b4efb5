"""Who gets what when a game ends (RULES.md 5.5 and 6.4). Scores sum to zero."""

import enum
import math
from collections.abc import Iterator
from dataclasses import dataclass

from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.config import Config, RuleSet
from parlor.rules.doudizhu.table import NOBODY, Ending, EndReason, Flags, Spring, Table
from parlor.rules.game import Seat

Scores = tuple[int, int, int]


class FactorName(enum.Enum):
    """What multiplies the base score."""

    BID = "BID"
    """The landlord's bid; a call counts as 1."""
    ROBS = "ROBS"
    BOMBS = "BOMBS"
    """Bombs and rockets played."""
    SHOWN = "SHOWN"
    SPRING = "SPRING"
    ANTI_SPRING = "ANTI_SPRING"


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """One thing that multiplies the base score."""

    name: FactorName
    count: int
    """How often there was such a thing."""
    times: int
    """By how much all of them together multiply the score."""


def ending(config: Config, table: Table, reason: EndReason, seat: Seat) -> Ending:
    """How the game ends when `seat` went out or surrendered."""
    if config.rule_set is RuleSet.CLASSIC or table.landlord is None:
        return _classic(config, reason, seat)
    wins = (seat == table.landlord) == (reason is EndReason.OUT)
    return _standard(config, table, table.landlord, reason, seat, landlord_wins=wins)


def dissolved() -> Ending:
    """How the game ends by the players' vote (RULES.md 4.6)."""
    return Ending(
        reason=EndReason.DISSOLVED,
        seat=None,
        winners=(),
        scores=(0, 0, 0),
        unit=0,
        spring=Spring.NONE,
    )


def _classic(config: Config, reason: EndReason, seat: Seat) -> Ending:
    """One against two: the seat that went out wins from both, the one that surrendered pays."""
    sign = 1 if reason is EndReason.OUT else -1
    others = tuple(Seat(other) for other in range(SEATS) if other != seat)
    return Ending(
        reason=reason,
        seat=seat,
        winners=(seat,) if reason is EndReason.OUT else others,
        scores=_against(seat, (sign * config.base_score,) * SEATS),
        unit=config.base_score,
        spring=Spring.NONE,
    )


def _standard(
    config: Config,
    table: Table,
    landlord: Seat,
    reason: EndReason,
    seat: Seat,
    *,
    landlord_wins: bool,
) -> Ending:
    spring = spring_of(table.plays, landlord, landlord_wins=landlord_wins)
    one = config.base_score * multiplier(factors(config, table, spring))
    sign = 1 if landlord_wins else -1
    stakes = tuple(
        sign * stake(one, table.doubled or NOBODY, landlord, Seat(peasant), config.stake_cap)
        for peasant in range(SEATS)
    )
    peasants = tuple(Seat(other) for other in range(SEATS) if other != landlord)
    return Ending(
        reason=reason,
        seat=seat,
        winners=(landlord,) if landlord_wins else peasants,
        scores=_against(landlord, stakes),
        unit=one,
        spring=spring,
    )


def spring_of(plays: tuple[int, int, int], landlord: Seat, *, landlord_wins: bool) -> Spring:
    """Whether the losing side hardly played: no peasant at all, or the landlord once at most."""
    if landlord_wins:
        return Spring.NONE if sum(plays) > plays[landlord] else Spring.SPRING
    return Spring.ANTI_SPRING if plays[landlord] <= 1 else Spring.NONE


def factors(config: Config, table: Table, spring: Spring) -> tuple[Factor, ...]:
    """What multiplies the base score by now, in the order in which it is counted.

    In the classic rule set nothing does.
    """
    return () if config.rule_set is RuleSet.CLASSIC else tuple(_factors(table, spring))


def _factors(table: Table, spring: Spring) -> Iterator[Factor]:
    if table.landlord is not None:
        yield Factor(name=FactorName.BID, count=1, times=table.bid)
    doublings = [(FactorName.ROBS, table.robs), (FactorName.BOMBS, table.bombs)]
    doublings.append((FactorName.SHOWN, int(table.shown)))
    if spring is not Spring.NONE:
        doublings.append((FactorName(spring.value), 1))
    for name, count in doublings:
        if count:
            yield Factor(name=name, count=count, times=1 << count)


def multiplier(found: tuple[Factor, ...]) -> int:
    """By how much the factors together multiply the base score."""
    return math.prod(factor.times for factor in found)


def stake(one: int, doubled: Flags, landlord: Seat, peasant: Seat, cap: int) -> int:
    """What lies between the landlord and one peasant."""
    full = one * (2 if doubled[landlord] else 1) * (2 if doubled[peasant] else 1)
    return min(full, cap) if cap else full


def _against(seat: Seat, stakes: tuple[int, ...]) -> Scores:
    """The scores when `seat` takes each other seat's stake."""
    won = sum(stakes) - stakes[seat]
    first, second, third = (won if place == seat else -stake for place, stake in enumerate(stakes))
    return first, second, third

"""Who gets what when a game ends (RULES.md 5.5 and 6.4). Scores sum to zero."""

from parlor.rules.doudizhu.cards import SEATS
from parlor.rules.doudizhu.config import Config, RuleSet
from parlor.rules.doudizhu.table import NOBODY, Ending, EndReason, Flags, Spring, Table
from parlor.rules.game import Seat

Scores = tuple[int, int, int]


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
    one = unit(config.base_score, table, spring)
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


def unit(base_score: int, table: Table, spring: Spring) -> int:
    """What one undoubled peasant pays or gets, before the cap."""
    doublings = table.robs + table.bombs + (spring is not Spring.NONE) + table.shown
    return (base_score * table.bid) << doublings


def stake(one: int, doubled: Flags, landlord: Seat, peasant: Seat, cap: int) -> int:
    """What lies between the landlord and one peasant."""
    full = one * (2 if doubled[landlord] else 1) * (2 if doubled[peasant] else 1)
    return min(full, cap) if cap else full


def _against(seat: Seat, stakes: tuple[int, ...]) -> Scores:
    """The scores when `seat` takes each other seat's stake."""
    won = sum(stakes) - stakes[seat]
    first, second, third = (won if place == seat else -stake for place, stake in enumerate(stakes))
    return first, second, third

"""The five winning patterns, with and without jing (WINNING.md 7).

Every jing of the concealed hand, and a winning tile that was drawn, may be wild. A pattern is
complete *without jing* (无精) if it is with every jing at its own face, and otherwise *with jing* if
it is with the wilds free; the first is always worth more, so a pattern has one reading.
"""

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from parlor.rules.jinxian.hands import Hand, WinBy, split
from parlor.rules.jinxian.jing import Jing, holds_jing
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.scattered import is_real_seven_stars, is_scattered, is_seven_stars
from parlor.rules.jinxian.sets import (
    is_all_pairs,
    is_all_triplets,
    is_all_triplets_without_pair,
    is_complete,
    is_complete_without_pair,
)


class Pattern(enum.Enum):
    """A winning pattern, in the order that decides between equal scores."""

    QIXING_SHISANLAN = "QIXING_SHISANLAN"
    """Seven stars (七星十三烂): thirteen scattered tiles with all seven honours."""
    SIPENG = "SIPENG"
    """Four triplets and a pair (四碰)."""
    QIDUI = "QIDUI"
    """Seven pairs (七对)."""
    SHISANLAN = "SHISANLAN"
    """Thirteen scattered tiles (十三烂)."""
    PINGHU = "PINGHU"
    """Four sets and a pair (平胡)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a winning hand is taken for."""

    pattern: Pattern
    has_jing: bool
    """Whether it counts as one with jing."""
    is_jingdiao: bool
    """Whether any drawn tile would have completed it (精钓)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A hand with its winning tile, counted once for all patterns."""

    hand: Hand
    plain: list[int]
    """Counts of the tiles that are bound to their face: 34 numbers."""
    wilds: list[int]
    """The jing that may be wild."""
    faces: list[int]
    """Counts of all tiles at their faces."""


def counted_with(hand: Hand, tile: int, *, jing: Jing, by: WinBy) -> Counted:
    """The hand counted. A jing that another seat gave up is bound to its face (WINNING.md 4)."""
    plain, wilds = split(hand.concealed, jing)
    if by is WinBy.SELF_DRAW and tile in jing:
        wilds.append(tile)
    else:
        plain[tile] += 1
    faces = plain.copy()
    for kind in wilds:
        faces[kind] += 1
    return Counted(hand=hand, plain=plain, wilds=wilds, faces=faces)


def is_win(hand: Hand, tile: int, *, jing: Jing, by: WinBy, options: ScoringOptions) -> bool:
    """Whether the tile completes the hand, without looking at more than that takes.

    Triplets are sets and seven stars are scattered, so three patterns stand for five; only options
    that bar a pattern from another seat's tile need them one by one.
    """
    drawn = by is WinBy.SELF_DRAW
    if not (drawn or (options.any_tile_wait_discard_win and options.plain_jing_discard_win)):
        return any(True for _ in _readings(hand, tile, jing, by, options))
    plain, wilds = split(hand.concealed, jing)
    if drawn and tile in jing:
        wilds.append(tile)
    else:
        plain[tile] += 1
    if is_complete(plain, hand.sets, len(wilds), honour_chow=options.honour_chow):
        return True
    return not hand.melds and (is_all_pairs(plain, len(wilds)) or is_scattered(plain))


def readings(
    hand: Hand, tile: int, *, jing: Jing, by: WinBy, options: ScoringOptions
) -> tuple[Reading, ...]:
    """Every pattern that the hand wins with; empty where it does not win."""
    return tuple(_readings(hand, tile, jing, by, options))


def _readings(
    hand: Hand, tile: int, jing: Jing, by: WinBy, options: ScoringOptions
) -> Iterator[Reading]:
    counted = counted_with(hand, tile, jing=jing, by=by)
    for pattern in Pattern:
        if not _completes(pattern, counted, counted.plain, counted.wilds, options):
            continue
        has_jing = _has_jing(pattern, counted, jing, options)
        waits_on_any = _waits_on_any(pattern, hand, jing, options)
        if by is WinBy.SELF_DRAW:
            yield Reading(pattern=pattern, has_jing=has_jing, is_jingdiao=waits_on_any)
        elif _may_win_on_a_discard(pattern, options, has_jing=has_jing, waits_on_any=waits_on_any):
            yield Reading(pattern=pattern, has_jing=has_jing, is_jingdiao=False)


def _completes(
    pattern: Pattern,
    counted: Counted,
    plain: Sequence[int],
    wilds: Sequence[int],
    options: ScoringOptions,
) -> bool:
    """Whether the counts and the wilds, beside the melds, are the pattern."""
    hand = counted.hand
    match pattern:
        case Pattern.PINGHU:
            return is_complete(plain, hand.sets, len(wilds), honour_chow=options.honour_chow)
        case Pattern.SIPENG:
            return hand.is_triplets and is_all_triplets(plain, hand.sets)
        case Pattern.QIDUI:
            return not hand.melds and is_all_pairs(plain, len(wilds))
        case Pattern.SHISANLAN:
            return not hand.melds and is_scattered(plain)
        case Pattern.QIXING_SHISANLAN if hand.melds:
            return False
        case Pattern.QIXING_SHISANLAN if options.qixing_real_honours:
            return is_real_seven_stars(plain, wilds)
        case Pattern.QIXING_SHISANLAN:
            return is_seven_stars(plain)


def _has_jing(pattern: Pattern, counted: Counted, jing: Jing, options: ScoringOptions) -> bool:
    """Whether a wild must stand for another kind; without `jing_restore`, whether there is a jing."""
    if not options.jing_restore:
        faces = counted.faces
        return any(faces[kind] for kind in jing.kinds) or holds_jing(jing, (), counted.hand.melds)
    return bool(counted.wilds) and not _completes(pattern, counted, counted.faces, (), options)


def _waits_on_any(pattern: Pattern, hand: Hand, jing: Jing, options: ScoringOptions) -> bool:
    """Whether every tile would complete the pattern: a jing is free to pair with it (精钓).

    The other concealed tiles, with their jing wild, are then all sets, or six pairs.
    """
    plain, wilds = split(hand.concealed, jing)
    if not wilds:
        return False
    match pattern:
        case Pattern.PINGHU:
            return is_complete_without_pair(plain, hand.sets, honour_chow=options.honour_chow)
        case Pattern.SIPENG:
            return hand.is_triplets and is_all_triplets_without_pair(plain, hand.sets)
        case Pattern.QIDUI:
            return not hand.melds and is_all_pairs(plain, len(wilds) - 1)
        case Pattern.SHISANLAN | Pattern.QIXING_SHISANLAN:
            return False


def _may_win_on_a_discard(
    pattern: Pattern, options: ScoringOptions, *, has_jing: bool, waits_on_any: bool
) -> bool:
    """What the options leave of a win on another seat's tile."""
    if waits_on_any and not options.any_tile_wait_discard_win:
        return False
    return not (pattern is Pattern.PINGHU and has_jing) or options.plain_jing_discard_win

"""What tiles, jing and melds of Jinxian Mahjong must be like."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from parlor.engine.advice.checks import Refused, malformed, under
from parlor.rules.jinxian.hands import SETS
from parlor.rules.jinxian.jing import Jing
from parlor.rules.jinxian.melds import Meld, MeldType, chow_partners
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.tiles import COPIES, KINDS, in_order, name, next_kind
from parlor.v1 import jinxian_pb2
from parlor.wire.jinxian.values import meld_from

HAND_TILES: Final = 13


def check_kinds(
    kinds: Iterable[int], field: str, *, most: int = HAND_TILES + 1, is_one: bool = False
) -> None:
    """Refuses what is no kind, and more than `most`; `is_one` where the field is not a list."""
    for place, kind in enumerate(kinds):
        if place >= most:
            raise malformed(field, f"must have {most} tiles at most")
        if kind not in range(KINDS):
            at = field if is_one else f"{field}[{place}]"
            raise Refused("BAD_TILE", at, f"a tile is 0..{KINDS - 1}, not {kind}")


def check_size(
    hand: Sequence[int], melds: Sequence[Meld], field: str, *, or_with_drawn: bool = False
) -> bool:
    """Whether a hand has a drawn tile; refuses one of the wrong size beside its melds."""
    size = HAND_TILES - 3 * len(melds)
    if len(hand) == size:
        return False
    if or_with_drawn and len(hand) == size + 1:
        return True
    wanted = f"{size} or {size + 1}" if or_with_drawn else f"{size}"
    raise malformed(field, f"must be {wanted} tiles beside {len(melds)} melds, not {len(hand)}")


def check_copies(groups: Mapping[str, Iterable[int]]) -> None:
    """Refuses five equal tiles, naming the group, by its field, that holds the fifth.

    >>> check_copies({"hand": (0, 0, 0, 0), "tile": (0,)})
    Traceback (most recent call last):
    parlor.engine.advice.checks.Refused: there are 4 tiles 1m
    """
    held: Counter[int] = Counter()
    for field, kinds in groups.items():
        for kind in kinds:
            held[kind] += 1
            if held[kind] > COPIES:
                raise malformed(field, f"there are {COPIES} tiles {name(kind)}")


def by_field(melds: Iterable[Meld], path: str = "melds") -> dict[str, Iterable[int]]:
    """The tiles of melds, as groups of `check_copies`."""
    return {f"{path}[{place}].tiles": meld.kinds for place, meld in enumerate(melds)}


def jing_of_round(request: Any) -> Jing:
    """The jing of a request; refuses two kinds that cannot be it."""
    if not request.HasField("jing"):
        raise malformed("jing", "must be set")
    jing = Jing(zheng=request.jing.zheng, fu=request.jing.fu)
    check_jing(jing, "jing")
    return jing


def check_jing(jing: Jing, field: str) -> None:
    """Refuses a fu that does not follow its zheng."""
    check_kinds([jing.zheng], f"{field}.zheng", is_one=True)
    check_kinds([jing.fu], f"{field}.fu", is_one=True)
    follows = next_kind(jing.zheng)
    if jing.fu != follows:
        raise malformed(f"{field}.fu", f"{name(follows)} ({follows}) follows {name(jing.zheng)}")


def melds_of_hand(
    messages: Sequence[jinxian_pb2.JinxianMeld], options: ScoringOptions
) -> tuple[Meld, ...]:
    """The own melds of a request; refuses what is no meld."""
    if len(messages) > SETS:
        raise malformed("melds", f"must be {SETS} at most, not {len(messages)}")
    return tuple(_meld(message, place, options) for place, message in enumerate(messages))


def _meld(message: jinxian_pb2.JinxianMeld, place: int, options: ScoringOptions) -> Meld:
    field = f"melds[{place}]"
    with under(field):
        meld = meld_from(message, field)
    check_meld(meld, field, options)
    return Meld(type=meld.type, kinds=in_order(meld.kinds), taken=meld.taken, source=meld.source)


def check_meld(meld: Meld, field: str, options: ScoringOptions) -> None:
    """Refuses tiles that are not what the meld says."""
    check_kinds(meld.kinds, f"{field}.tiles")
    if not _is_meld(meld, options):
        raise malformed(f"{field}.tiles", f"make no {meld.type.value}")


def _is_meld(meld: Meld, options: ScoringOptions) -> bool:
    kinds = in_order(meld.kinds)
    if meld.type is MeldType.CHOW:
        partners = chow_partners(kinds[0], honour_chow=options.honour_chow) if kinds else ()
        return kinds[1:] in partners
    return len(kinds) == (COPIES if meld.is_kong else 3) and len(set(kinds)) == 1

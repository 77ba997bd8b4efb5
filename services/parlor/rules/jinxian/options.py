"""The options of the room that concern winning, scoring and paying (WINNING.md, "Options")."""

import enum
from dataclasses import dataclass

from parlor.rules.game import InvalidConfig


class JingZones(enum.Enum):
    """Which of the winner's tiles give jing points, besides the winning tile."""

    HAND_MELDS = "HAND_MELDS"
    HAND = "HAND"
    HAND_MELDS_DISCARDS = "HAND_MELDS_DISCARDS"
    """His discards too, as far as nobody claimed them."""


class Bawang(enum.Enum):
    """What a winner gets who alone has jing (霸王精)."""

    OFF = "OFF"
    X2 = "X2"
    """His jing points count twice."""
    PLUS_10 = "PLUS_10"


class RobKongPays(enum.Enum):
    """What a seat pays whose kong is robbed."""

    ALL = "ALL"
    """All three shares of a self-draw."""
    AS_DISCARD = "AS_DISCARD"


class JingSettlement(enum.Enum):
    """Who is paid for jing."""

    WINNER_ONLY = "WINNER_ONLY"
    """The winner, as a part of the score of the win."""
    ALL_PLAYERS = "ALL_PLAYERS"
    """Every seat, at the end of every round."""


class JingVariant(enum.Enum):
    """Which tiles of the jing stack are turned."""

    SINGLE = "SINGLE"
    SHANG_XIA = "SHANG_XIA"
    """Also the lower one, for a second pair of kinds that is settled and never wild (上下翻精)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringOptions:
    """What the table agreed on about winning, with the defaults of the rule book."""

    honour_chow: bool = True
    """Whether three different winds and the three dragons are chows."""
    jing_restore: bool = True
    """Whether a hand whose jing all count as their own face is one without jing (精还原)."""
    qixing_real_honours: bool = True
    """Whether the seven honours of qixing must be real tiles."""
    jing_zones: JingZones = JingZones.HAND_MELDS
    qidui_no_jing_base: int = 64
    """Base score of seven pairs without jing, 64 or 16."""
    chongguan_base: int = 10
    """Jing points from which the win is multiplied (冲关), 10; 0 is never."""
    bawang: Bawang = Bawang.OFF
    rob_kong_pays: RobKongPays = RobKongPays.ALL
    tian_di_hu_min: int = 20
    """Least that the first win of the first turn pays, 20; 0 is no minimum."""
    bystanders_pay: bool = False
    """Whether all pay when a seat that is not dealer wins on a discard."""
    any_tile_wait_discard_win: bool = True
    """Whether a pattern that any tile completes may win on another seat's tile."""
    plain_jing_discard_win: bool = True
    """Whether pinghu with jing may win on another seat's tile (有精点炮平胡)."""
    kong_score: bool = False
    """Whether kongs pay at once."""
    jing_settlement: JingSettlement = JingSettlement.WINNER_ONLY
    jing_variant: JingVariant = JingVariant.SINGLE
    """`SHANG_XIA` needs the settlement of all players."""
    chaozhuang: bool = False
    """Whether the dealer pays when the first four discards are alike (抄庄)."""


_NUMBERS = {
    "qidui_no_jing_base": (64, 16),
    "chongguan_base": (10, 0),
    "tian_di_hu_min": (20, 0),
}


def check_scoring(options: ScoringOptions) -> None:
    """Raises `InvalidConfig` where an option has a value that the rules do not know."""
    for field, allowed in _NUMBERS.items():
        if getattr(options, field) not in allowed:
            raise InvalidConfig(field, f"must be one of {', '.join(map(str, allowed))}")
    all_players = options.jing_settlement is JingSettlement.ALL_PLAYERS
    if options.jing_variant is JingVariant.SHANG_XIA and not all_players:
        raise InvalidConfig("jing_variant", "SHANG_XIA needs jing_settlement ALL_PLAYERS")

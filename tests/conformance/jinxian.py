"""The format of `jinxian-examples.json`: one win, or refused win, and its score an example."""

from collections.abc import Callable, Iterator
from typing import Any

from parlor.rules.game import Seat
from parlor.rules.jinxian.hands import Hand, Situation, Special, WinBy
from parlor.rules.jinxian.jing import Jing, jing_of
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.options import Bawang, JingZones, RobKongPays, ScoringOptions
from parlor.rules.jinxian.patterns import Pattern
from parlor.rules.jinxian.payments import deltas, transfers
from parlor.rules.jinxian.scoring import FactorName, Score, Win, base_score, best_win, can_win
from parlor.rules.jinxian.tiles import in_order, kind, next_kind

Example = dict[str, Any]
Case = tuple[str, Callable[[], None]]

_HEADER = {"title", "spec", "fields"}
_GIVEN = {
    "id",
    "note",
    "options",
    "jing",
    "dealer",
    "winner",
    "loser",
    "winBy",
    "afterKong",
    "special",
    "othersHoldJing",
    "hand",
    "melds",
    "winTile",
    "expected",
}
_ZONES = {
    "hand+melds": JingZones.HAND_MELDS,
    "hand": JingZones.HAND,
    "hand+melds+discards": JingZones.HAND_MELDS_DISCARDS,
}
_OPTIONS: dict[str, tuple[str, Callable[[Any], object]]] = {
    "honourChow": ("honour_chow", bool),
    "jingRestore": ("jing_restore", bool),
    "qixingRealHonours": ("qixing_real_honours", bool),
    "jingZones": ("jing_zones", _ZONES.__getitem__),
    "anyTileWaitDiscardWin": ("any_tile_wait_discard_win", bool),
    "plainJingDiscardWin": ("plain_jing_discard_win", bool),
    "bystandersPay": ("bystanders_pay", bool),
    "bawang": ("bawang", {"off": Bawang.OFF, "x2": Bawang.X2, "+10": Bawang.PLUS_10}.__getitem__),
    "robKongPays": (
        "rob_kong_pays",
        {"all": RobKongPays.ALL, "asDiscard": RobKongPays.AS_DISCARD}.__getitem__,
    ),
    "tianDiHuMin": ("tian_di_hu_min", int),
    "chongguanBase": ("chongguan_base", int),
    "qiduiNoJingBase": ("qidui_no_jing_base", int),
}
_PATTERNS = {
    "pinghu": Pattern.PINGHU,
    "qidui": Pattern.QIDUI,
    "sipeng": Pattern.SIPENG,
    "shisanlan": Pattern.SHISANLAN,
    "qixing_shisanlan": Pattern.QIXING_SHISANLAN,
}
_WAYS = {"selfDraw": WinBy.SELF_DRAW, "discard": WinBy.DISCARD, "robKong": WinBy.ROB_KONG}
_SPECIALS = {None: None, "tianhu": Special.TIANHU, "dihu": Special.DIHU}
_MELDS = {
    "chow": MeldType.CHOW,
    "pong": MeldType.PONG,
    "kong": MeldType.KONG,
    "addedKong": MeldType.ADDED_KONG,
    "concealedKong": MeldType.CONCEALED_KONG,
}


def cases(document: dict[str, Any]) -> Iterator[Case]:
    """Every example of the file, and the tables that it opens with."""
    lists = {"defaultOptions", "nextKind", "baseScores", "examples"}
    unknown = document.keys() - lists - _HEADER
    if unknown:
        raise ValueError(f"unknown lists: {sorted(unknown)}")
    if "nextKind" in document:
        yield "nextKind", lambda: _next_kind(document["nextKind"])
    if "baseScores" in document:
        yield "baseScores", lambda: _base_scores(document["baseScores"])
    defaults = document.get("defaultOptions", {})
    for example in document.get("examples", ()):
        yield example["id"], lambda example=example: check(example, defaults)  # type: ignore[misc]


def options_of(named: dict[str, Any]) -> ScoringOptions:
    """The options of the file as ours."""
    return ScoringOptions(
        **{_OPTIONS[name][0]: _OPTIONS[name][1](value) for name, value in named.items()}  # type: ignore[arg-type]
    )


def check(example: Example, defaults: dict[str, Any]) -> None:
    """One example; raises where the rules disagree."""
    _same(sorted(example.keys() - _GIVEN), [])
    options = options_of({**defaults, **example["options"]})
    jing = Jing(zheng=kind(example["jing"]["zheng"]), fu=kind(example["jing"]["fu"]))
    _same(jing, jing_of(jing.zheng))
    hand = Hand(
        concealed=in_order(map(kind, example["hand"])),
        melds=tuple(
            Meld(type=_MELDS[meld["type"]], kinds=in_order(map(kind, meld["tiles"])))
            for meld in example["melds"]
        ),
    )
    situation = Situation(
        by=_WAYS[example["winBy"]],
        after_kong=example["afterKong"],
        special=_SPECIALS[example["special"]],
        others_hold_jing=example["othersHoldJing"],
    )
    tile = kind(example["winTile"])
    win = best_win(hand, tile, jing=jing, situation=situation, options=options)
    expected = example["expected"]
    _same(win is not None, expected["win"])
    _same(can_win(hand, tile, jing=jing, by=situation.by, options=options), expected["win"])
    if win is not None:
        got = {"win": True, **_account(win), **_paid(example, win, situation.by, options)}
        _same(got, {**expected, "payments": _in_order(expected["payments"])})


def _account(win: Win) -> Example:
    """The score in the words of the file."""
    best = _score(win.best)
    chongguan = [factor.value for factor in win.factors if factor.name is FactorName.CHONGGUAN]
    return {
        "patterns": [_score(score) for score in win.scores],
        "bestPattern": best.pop("type"),
        **best,
        "rawJing": win.jing_points,
        "chongguanMultiplier": chongguan[0] if chongguan else 1,
        "multiplier": win.multiplier,
        "jingScore": win.jing_score,
        "totalScore": win.total,
        "payTotal": win.pay_total,
    }


def _score(score: Score) -> Example:
    return {
        "type": next(name for name, pattern in _PATTERNS.items() if pattern is score.pattern),
        "hasJing": score.has_jing,
        "isJingdiao": score.is_jingdiao,
        "baseScore": score.base,
        "bonusScore": score.bonus,
    }


def _paid(example: Example, win: Win, by: WinBy, options: ScoringOptions) -> Example:
    loser = example["loser"]
    paid = transfers(
        win.pay_total,
        winner=Seat(example["winner"]),
        dealer=Seat(example["dealer"]),
        by=by,
        loser=None if loser is None else Seat(loser),
        options=options,
    )
    listed = [{"from": one.payer, "to": one.payee, "amount": one.amount} for one in paid]
    return {"payments": _in_order(listed), "deltas": list(deltas(paid))}


def _in_order(paid: list[Example]) -> list[Example]:
    return sorted(paid, key=lambda one: (one["from"], one["to"]))


def _next_kind(table: dict[str, str]) -> None:
    _same({code: next_kind(kind(code)) for code in table}, {c: kind(n) for c, n in table.items()})


def _base_scores(table: dict[str, dict[str, int]]) -> None:
    options = ScoringOptions()
    for name, scores in table.items():
        got = {
            "hasJing": base_score(_PATTERNS[name], has_jing=True, options=options),
            "noJing": base_score(_PATTERNS[name], has_jing=False, options=options),
        }
        _same(got, scores)


def _same(got: object, expected: object) -> None:
    if got != expected:
        raise AssertionError(f"got {got!r}, expected {expected!r}")

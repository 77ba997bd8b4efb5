"""The questions about Jinxian Mahjong, against the worked examples of the rule book."""

import json
from pathlib import Path
from typing import Any

import pytest

from parlor.rules.jinxian import JINXIAN
from parlor.rules.jinxian.legal import legal_actions
from parlor.rules.jinxian.policy import decide
from parlor.rules.jinxian.tiles import kind, kinds
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.jinxian import JINXIAN as WIRE
from tests.unit.engine_advice.questions import ask, refused, views

EXAMPLES = json.loads(Path("tests/conformance/jinxian-examples.json").read_text())["examples"]

_NUMBERS = {
    "hand": pb.JINXIAN_JING_ZONES_HAND,
    "x2": pb.JINXIAN_BAWANG_X2,
    "+10": pb.JINXIAN_BAWANG_PLUS_10,
}
_OPTIONS = {
    "honourChow": "honour_chow",
    "jingZones": "jing_zones",
    "bystandersPay": "bystanders_pay",
    "qiduiNoJingBase": "qidui_no_jing_base",
    "bawang": "bawang",
    "plainJingDiscardWin": "plain_jing_discard_win",
    "qixingRealHonours": "qixing_real_honours",
}
_MELDS = {
    "chow": pb.JINXIAN_MELD_TYPE_CHOW,
    "pong": pb.JINXIAN_MELD_TYPE_PONG,
    "kong": pb.JINXIAN_MELD_TYPE_KONG,
    "addedKong": pb.JINXIAN_MELD_TYPE_ADDED_KONG,
    "concealedKong": pb.JINXIAN_MELD_TYPE_CONCEALED_KONG,
}
_BY = {
    "selfDraw": pb.JINXIAN_WIN_BY_SELF_DRAW,
    "discard": pb.JINXIAN_WIN_BY_DISCARD,
    "robKong": pb.JINXIAN_WIN_BY_ROB_KONG,
}
_SPECIALS = {None: 0, "tianhu": pb.JINXIAN_SPECIAL_TIANHU, "dihu": pb.JINXIAN_SPECIAL_DIHU}


def config_of(example: dict[str, Any]) -> pb.JinxianConfig:
    config = pb.JinxianConfig()
    for name, value in example["options"].items():
        setattr(config, _OPTIONS[name], _NUMBERS.get(value, value))
    return config


def meld(kind_of_meld: str, *tiles: str) -> pb.JinxianMeld:
    return pb.JinxianMeld(type=_MELDS[kind_of_meld], tiles=map(kind, tiles))


def question(example: dict[str, Any]) -> dict[str, Any]:
    """The fields of an example's request."""
    return {
        "config": config_of(example),
        "hand": map(kind, example["hand"]),
        "melds": [meld(one["type"], *one["tiles"]) for one in example["melds"]],
        "tile": kind(example["winTile"]),
        "jing": jing(example["jing"]["zheng"]),
        "by": _BY[example["winBy"]],
        "after_kong": example["afterKong"],
        "special": _SPECIALS[example["special"]],
        "others_hold_jing": example["othersHoldJing"],
        "winner": example["winner"],
        "dealer": example["dealer"],
        "loser": example["loser"],
    }


def jing(code: str) -> pb.JinxianJing:
    following = {"5m": "6m", "1z": "2z", "7z": "5z", "9m": "1m", "4z": "1z"}
    fu = following.get(code) or f"{int(code[0]) % 9 + 1}{code[1]}"
    if code[1] == "z":
        fu = {"1": "2z", "2": "3z", "3": "4z", "4": "1z", "5": "6z", "6": "7z", "7": "5z"}[code[0]]
    return pb.JinxianJing(zheng=kind(code), fu=kind(fu))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_wins_are_scored_and_paid_as_in_the_rule_book(example: dict[str, Any]) -> None:
    answer, expected = ask("jinxian", "CheckWin", **question(example)), example["expected"]
    assert answer.wins == expected["win"] == answer.HasField("win")
    if not answer.wins:
        assert (len(answer.transfers), len(answer.deltas)) == (0, 0)
        return
    win = answer.win
    patterns = {pb.JinxianPattern.Name(score.pattern) for score in win.scores}
    wanted = {f"JINXIAN_PATTERN_{one['type'].upper()}" for one in expected["patterns"]}
    assert patterns == wanted
    assert (win.scores[0].base, win.scores[0].bonus) == (
        expected["baseScore"],
        expected["bonusScore"],
    )
    assert (win.total, win.pay_total) == (expected["totalScore"], expected["payTotal"])
    assert list(answer.deltas) == expected["deltas"]
    paid = {(one.payer, one.payee, one.amount) for one in answer.transfers}
    assert paid == {(one["from"], one["to"], one["amount"]) for one in expected["payments"]}


READY: dict[str, Any] = {"hand": kinds("123m456789p2267s"), "jing": jing("5m")}
"""Waits for 5s and 8s."""


def test_the_tiles_that_complete_a_ready_hand() -> None:
    answer = ask("jinxian", "Distance", **READY, seen=kinds("8s"))
    assert answer.distance == 1
    useful = {one.tile: one.left for one in answer.useful}
    # The jing too: each stands for what is missing.
    assert useful == {kind("5m"): 4, kind("6m"): 4, kind("5s"): 4, kind("8s"): 3}
    assert answer.left == sum(useful.values())
    for tile in range(34):
        wins = ask("jinxian", "CheckWin", **READY, tile=tile).wins
        assert wins == (tile in useful), tile


def test_a_hand_with_a_drawn_tile_is_judged_by_discard() -> None:
    hand = (*READY["hand"], kind("1z"))
    answer = ask("jinxian", "Distance", hand=hand, jing=READY["jing"])
    assert (answer.distance, len(answer.useful), answer.left) == (1, 0, 0)
    assert {choice.tile for choice in answer.discards} == set(hand)
    best = answer.discards[0]
    assert (best.tile, best.distance, best.left) == (kind("1z"), 1, 16)


def test_melds_count_as_sets() -> None:
    melds = [meld("pong", "5z", "5z", "5z"), meld("chow", "1z", "2z", "3z")]
    answer = ask("jinxian", "Distance", hand=kinds("123m22s67s"), melds=melds, jing=jing("5m"))
    assert answer.distance == 1


def about(**changes: Any) -> dict[str, Any]:
    return {**READY, "tile": kind("8s"), **changes}


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        (about(hand=kinds("123m")), "MALFORMED", "hand"),
        (about(hand=kinds("123m456789p22678s")), "MALFORMED", "hand"),
        (about(hand=kinds("1111m56789p2267s"), tile=kind("1m")), "MALFORMED", "tile"),
        (about(hand=kinds("11111m6789p2267s")), "MALFORMED", "hand"),
        (about(hand=(*kinds("123m456789p226s"), 34)), "BAD_TILE", "hand[12]"),
        (about(hand=(-1, *kinds("23m456789p2267s"))), "BAD_TILE", "hand[0]"),
        (about(tile=34), "BAD_TILE", "tile"),
        (about(tile=None), "MALFORMED", "tile"),
        (about(jing=None), "MALFORMED", "jing"),
        (about(jing={"zheng": 4, "fu": 6}), "MALFORMED", "jing.fu"),
        (about(jing={"zheng": 40, "fu": 6}), "BAD_TILE", "jing.zheng"),
        (about(melds=[meld("pong", "1z", "1z", "1z")]), "MALFORMED", "hand"),
        (about(melds=[meld("pong", "1z", "1z")]), "MALFORMED", "melds[0].tiles"),
        (about(melds=[meld("chow", "1m", "2m", "4m")]), "MALFORMED", "melds[0].tiles"),
        (about(melds=[pb.JinxianMeld()]), "MALFORMED", "melds[0].type"),
        (about(melds=[meld("pong", "1z", "1z", "1z")] * 5), "MALFORMED", "melds"),
        (about(discards=kinds("888s") + kinds("8s")), "MALFORMED", "discards"),
        (about(by=9), "MALFORMED", "by"),
        (about(special=9), "MALFORMED", "special"),
        (about(by=pb.JINXIAN_WIN_BY_DISCARD), "MALFORMED", "loser"),
        (about(loser=1), "MALFORMED", "loser"),
        (about(by=pb.JINXIAN_WIN_BY_DISCARD, loser=0), "MALFORMED", "loser"),
        (about(winner=4), "MALFORMED", "winner"),
        (about(dealer=-1), "MALFORMED", "dealer"),
        (
            about(by=pb.JINXIAN_WIN_BY_DISCARD, loser=1, after_kong=True),
            "MALFORMED",
            "after_kong",
        ),
        (about(special=pb.JINXIAN_SPECIAL_TIANHU, winner=1), "MALFORMED", "special"),
        (about(special=pb.JINXIAN_SPECIAL_DIHU), "MALFORMED", "special"),
        (about(config={"chongguan_base": 5}), "INVALID_CONFIG", "config.chongguan_base"),
        (about(config={"turn_limit": {}}), "INVALID_CONFIG", "config.turn_limit"),
        (about(config={"bawang": 7}), "INVALID_CONFIG", "config.bawang"),
        (
            about(config=pb.JinxianConfig.FromString(b"\xf8\x7f\x01")),
            "INVALID_CONFIG",
            "config",
        ),
        (
            about(config={"jing_variant": pb.JINXIAN_JING_VARIANT_SHANG_XIA}),
            "INVALID_CONFIG",
            "config.jing_variant",
        ),
    ],
)
def test_what_is_no_question_is_refused(fields: dict[str, Any], reason: str, field: str) -> None:
    assert refused("jinxian", "CheckWin", **fields) == (reason, field)


@pytest.mark.parametrize(
    ("fields", "reason", "field"),
    [
        ({"hand": kinds("123m")}, "MALFORMED", "hand"),
        ({"seen": kinds("1z1z1z1z1z")}, "MALFORMED", "seen"),
        ({"seen": [34]}, "BAD_TILE", "seen[0]"),
        ({"seen": [0] * 137}, "MALFORMED", "seen"),
        ({"jing": None}, "MALFORMED", "jing"),
    ],
)
def test_a_distance_is_asked_of_a_real_hand(
    fields: dict[str, Any], reason: str, field: str
) -> None:
    assert refused("jinxian", "Distance", **(READY | fields)) == (reason, field)


def test_every_view_of_a_game_is_understood() -> None:
    seen = 0
    for view in views(JINXIAN, decide, seed=4, total_rounds=4):
        message = WIRE.view_to(view)
        listed = ask("jinxian", "ListActions", view=message)
        assert list(listed.actions) == [WIRE.action_to(one) for one in legal_actions(view)]
        assert listed.decision == view.prompt.decision
        advised = ask("jinxian", "Advise", view=message, seed=seen)
        assert (advised.action in listed.actions, advised.decision) == (True, listed.decision)
        seen += 1
    assert seen > 100


def a_view(question: int) -> pb.JinxianView:
    for view in views(JINXIAN, decide, seed=2, total_rounds=1):
        message = WIRE.view_to(view)
        options = message.prompt.options
        claims = question != pb.JINXIAN_QUESTION_CLAIM or options.chows or options.pong
        if message.prompt.question == question and claims:
            return message
    raise AssertionError("never asked")


def test_spectators_may_do_nothing() -> None:
    view = a_view(pb.JINXIAN_QUESTION_TURN)
    for field in ("seat", "prompt", "hand", "drawn"):
        view.ClearField(field)
    assert not ask("jinxian", "ListActions", view=view).actions
    assert not ask("jinxian", "Advise", view=view).HasField("action")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        (lambda v: v.ClearField("seat"), "view.prompt"),
        (lambda v: v.hand.pop(), "view.hand"),
        (lambda v: v.hand.extend([0]), "view.hand"),
        (lambda v: v.hand.__setitem__(0, 34), "view.hand[0]"),
        (lambda v: v.table.ClearField("jing"), "view.table.jing"),
        (lambda v: setattr(v.table.jing, "fu", v.table.jing.zheng), "view.table.jing.fu"),
        (lambda v: v.prompt.options.kongs.append(v.hand[0]), "view.prompt.options.kongs"),
        (lambda v: setattr(v.prompt.options, "pong", True), "view.prompt.options"),
        (lambda v: setattr(v.prompt, "question", 9), "view.prompt.question"),
        (lambda v: v.table.melds.pop(), "view.table.melds"),
        (lambda v: v.table.melds[v.seat].melds.add(), "view.table.melds.type"),
        (lambda v: v.table.river.add(tile=50), "view.table.river"),
        (lambda v: v.ClearField("table"), "view.table.phase"),
    ],
)
def test_a_view_that_nobody_received_is_refused(change: Any, field: str) -> None:
    view = a_view(pb.JINXIAN_QUESTION_TURN)
    change(view)
    for method in ("Advise", "ListActions"):
        reason, found = refused("jinxian", method, view=view)
        assert reason in ("MALFORMED", "BAD_TILE")
        assert found.startswith(field)


def test_a_claim_that_the_hand_cannot_make_is_refused() -> None:
    view = a_view(pb.JINXIAN_QUESTION_CLAIM)
    view.prompt.options.chows.add(tiles=[0, 33])
    assert refused("jinxian", "Advise", view=view)[1] == "view.prompt.options.chows"

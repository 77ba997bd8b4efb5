"""The questions about Dou Dizhu, against the worked examples of the rule book."""

import json
from pathlib import Path
from typing import Any

import pytest

from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.doudizhu.policy import decide
from parlor.v1 import doudizhu_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.wire.doudizhu import DOUDIZHU as WIRE
from tests.unit.engine_advice.questions import ask, refused, views

EXAMPLES = json.loads(Path("tests/conformance/doudizhu-examples.json").read_text())


def config_of(example: dict[str, Any]) -> pb.DouDizhuConfig:
    config = pb.DouDizhuConfig(
        rule_set=pb.DouDizhuRuleSet.Value(f"DOU_DIZHU_RULE_SET_{example['ruleSet'].upper()}")
    )
    for name, value in example["options"].items():
        field = {"runTop": "run_top", "wings": "wings"}[name]
        number = f"DOU_DIZHU_{field.upper()}_{value.upper()}"
        enum = {"run_top": pb.DouDizhuRunTop, "wings": pb.DouDizhuWings}[field]
        setattr(config, field, enum.Value(number))
    return config


def shape(name: str) -> "pb.DouDizhuShape.ValueType":
    return pb.DouDizhuShape.Value(f"DOU_DIZHU_SHAPE_{name.replace('-', '_')}")


SAYABLE = [
    example
    for example in EXAMPLES["recognise"]
    # A message has no card that is a string.
    if all(isinstance(card, int) for card in example["cards"])
]


@pytest.mark.parametrize("example", SAYABLE, ids=lambda example: example["id"])
def test_cards_are_read_as_the_rule_book_says(example: dict[str, Any]) -> None:
    fields = {"config": config_of(example), "cards": example["cards"]}
    if "as" in example:
        claim = example["as"]
        fields["claim"] = pb.DouDizhuClaim(shape=shape(claim["type"]), value=claim["value"])
    error = example.get("error")
    if error in ("EMPTY", "BAD_CARD", "DUPLICATE_CARD"):
        assert refused("doudizhu", "Classify", **fields)[0] == error
        return
    answer = ask("doudizhu", "Classify", **fields)
    if error:
        assert ErrorReason.Name(answer.reason) == f"ERROR_REASON_{error}"
        assert not answer.HasField("reading")
        return
    assert answer.HasField("reading") == bool(answer.readings)
    if "parses" in example:
        read = [answer.reading] if "as" in example else answer.readings
        wanted = [(shape(one["type"]), one["value"], one["len"]) for one in example["parses"]]
        assert [(one.shape, one.value, one.length) for one in read] == wanted


@pytest.mark.parametrize("example", EXAMPLES["compare"], ids=lambda example: example["id"])
def test_what_beats_what(example: dict[str, Any]) -> None:
    config = config_of(example)
    led = ask("doudizhu", "Classify", config=config, cards=example["lastCards"])
    claim = example.get("newAs")
    answer = ask(
        "doudizhu",
        "Classify",
        config=config,
        cards=example["newCards"],
        claim=claim and pb.DouDizhuClaim(shape=shape(claim["type"]), value=claim["value"]),
        to_beat=led.reading,
    )
    assert answer.HasField("reading") == example["beats"]


@pytest.mark.parametrize("example", EXAMPLES["moveCounts"], ids=lambda example: example["id"])
def test_plays_are_counted_as_in_the_rule_book(example: dict[str, Any]) -> None:
    fields: dict[str, Any] = {"config": config_of(example), "hand": example["hand"]}
    if example["last"]:
        led = example["last"]
        fields["to_beat"] = pb.DouDizhuReading(
            shape=shape(led["type"]), value=led["value"], length=led["len"]
        )
    answer = ask("doudizhu", "ListPlays", **fields)
    assert len(answer.plays) == example["encodings"]
    for play in answer.plays[:20]:
        reading = play.reading
        claim = pb.DouDizhuClaim(shape=reading.shape, value=reading.value)
        again = ask("doudizhu", "Classify", config=fields["config"], cards=play.cards, claim=claim)
        assert again.reading == reading


SINGLE = pb.DouDizhuReading(shape=pb.DOU_DIZHU_SHAPE_ONE, value=5, length=1)


@pytest.mark.parametrize(
    ("method", "fields", "reason", "field"),
    [
        ("Classify", {"cards": []}, "EMPTY", "cards"),
        ("Classify", {"cards": [0, 1, 54]}, "BAD_CARD", "cards[2]"),
        ("Classify", {"cards": [-1]}, "BAD_CARD", "cards[0]"),
        ("Classify", {"cards": [7, 8, 7]}, "DUPLICATE_CARD", "cards"),
        ("Classify", {"cards": range(21)}, "MALFORMED", "cards"),
        (
            "Classify",
            {"cards": [2], "config": pb.DouDizhuConfig(base_score=0)},
            "INVALID_CONFIG",
            "config.base_score",
        ),
        (
            "Classify",
            {"cards": [2], "config": {"wings": 9}},
            "INVALID_CONFIG",
            "config.wings",
        ),
        (
            "Classify",
            {"cards": [2], "config": {"play_limit": {"nanos": 1}}},
            "INVALID_CONFIG",
            "config.play_limit",
        ),
        (
            "Classify",
            {"cards": [2], "config": {"autoplay_delay": {}}},
            "INVALID_CONFIG",
            "config.autoplay_delay",
        ),
        ("Classify", {"cards": [2], "claim": {"value": 4}}, "MALFORMED", "claim.shape"),
        ("Classify", {"cards": [2], "to_beat": {"value": 4}}, "MALFORMED", "to_beat.shape"),
        ("ListPlays", {"hand": []}, "EMPTY", "hand"),
        ("ListPlays", {"hand": range(21)}, "MALFORMED", "hand"),
        ("ListPlays", {"hand": [3, 3]}, "DUPLICATE_CARD", "hand"),
        (
            "ListPlays",
            {"hand": [3], "to_beat": {"shape": 1, "value": 17, "length": 1}},
            "MALFORMED",
            "to_beat.value",
        ),
        (
            "ListPlays",
            {"hand": [3], "to_beat": {"shape": 1, "value": 3}},
            "MALFORMED",
            "to_beat.length",
        ),
        ("Advise", {}, "MALFORMED", "view"),
        ("Advise", {"view": {}}, "MALFORMED", "view.table.phase"),
    ],
)
def test_what_is_no_question_is_refused(
    method: str, fields: dict[str, Any], reason: str, field: str
) -> None:
    assert refused("doudizhu", method, **fields) == (reason, field)


def a_view() -> pb.DouDizhuView:
    """The view of a seat that has to beat something."""
    for view in views(DOUDIZHU, decide, seed=3):
        if view.prompt is not None and view.prompt.to_beat is not None:
            return WIRE.view_to(view)
    raise AssertionError("nobody followed")


def test_advice_is_legal_and_the_same_for_the_same_seed() -> None:
    for number, view in enumerate(views(DOUDIZHU, decide, seed=1)):
        message = WIRE.view_to(view)
        answer = ask("doudizhu", "Advise", view=message, seed=5)
        assert answer == ask("doudizhu", "Advise", view=message, seed=5)
        assert answer.decision == (view.prompt or view.offer).decision
        if number < 10 and answer.action.HasField("play"):
            fields = {"cards": answer.action.play.cards, "to_beat": message.prompt.to_beat}
            if not message.prompt.HasField("to_beat"):
                del fields["to_beat"]
            assert ask("doudizhu", "Classify", **fields).HasField("reading")


def test_nobody_is_advised_who_is_not_asked() -> None:
    view = a_view()
    view.ClearField("prompt")
    answer = ask("doudizhu", "Advise", view=view)
    assert (answer.HasField("action"), answer.decision) == (False, 0)


def _hand(view: pb.DouDizhuView) -> Any:
    return view.hands[view.seat].cards


@pytest.mark.parametrize(
    ("change", "reason", "field"),
    [
        (lambda v: v.ClearField("seat"), "MALFORMED", "view.prompt"),
        (lambda v: _hand(v).append(99), "BAD_CARD", None),
        (lambda v: _hand(v).__setitem__(0, 54), "BAD_CARD", None),
        (lambda v: _hand(v).__setitem__(0, _hand(v)[1]), "DUPLICATE_CARD", "view.hands"),
        (lambda v: _hand(v).pop(), "MALFORMED", None),
        (lambda v: v.hands.pop(), "MALFORMED", "view.hands"),
        (lambda v: v.table.ClearField("landlord"), "MALFORMED", "view.table.landlord"),
        (lambda v: v.table.ClearField("trick"), "MALFORMED", "view.prompt.to_beat"),
        (lambda v: v.table.history.add(), "MALFORMED", "view.table.history.act"),
        (lambda v: setattr(v.prompt, "may_pass", False), "MALFORMED", "view.prompt.may_pass"),
        (lambda v: setattr(v, "seat", 3), "MALFORMED", "view.seat"),
        (lambda v: setattr(v.config, "stake_cap", -1), "INVALID_CONFIG", "view.config.stake_cap"),
    ],
)
def test_a_view_that_nobody_received_is_refused(
    change: Any, reason: str, field: str | None
) -> None:
    view = a_view()
    change(view)
    hand = f"view.hands[{view.seat}].cards"
    found = refused("doudizhu", "Advise", view=view)
    assert found[0] == reason
    assert found[1] == field if field else found[1].startswith(hand)

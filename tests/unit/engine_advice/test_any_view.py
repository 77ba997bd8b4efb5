"""Views changed at random: each is understood or refused, and none is a defect of the service."""

import random
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from parlor.engine.advice.questions import Outcome, questions_of
from parlor.rules.doudizhu import DOUDIZHU
from parlor.rules.doudizhu import policy as doudizhu_policy
from parlor.rules.game import AnyGame
from parlor.rules.jinxian import JINXIAN
from parlor.rules.jinxian import policy as jinxian_policy
from parlor.rules.planes import PLANES
from parlor.rules.planes import policy as planes_policy
from parlor.wire.doudizhu import DOUDIZHU as DOUDIZHU_WIRE
from parlor.wire.game import WireGame
from parlor.wire.jinxian import JINXIAN as JINXIAN_WIRE
from parlor.wire.planes import PLANES as PLANES_WIRE
from tests.unit.engine_advice.questions import request_for, views

GAMES: dict[str, tuple[AnyGame, WireGame, Callable[..., Any], dict[str, Any]]] = {
    "doudizhu": (DOUDIZHU, DOUDIZHU_WIRE, doudizhu_policy.decide, {}),
    "jinxian": (JINXIAN, JINXIAN_WIRE, jinxian_policy.decide, {"total_rounds": 2}),
    "planes": (PLANES, PLANES_WIRE, planes_policy.decide, {}),
}
METHODS = [
    ("doudizhu", "Advise"),
    ("jinxian", "ListActions"),
    ("jinxian", "Advise"),
    ("planes", "ListActions"),
    ("planes", "CountLayouts"),
    ("planes", "Advise"),
]
NUMBERS = (-1, 0, 1, 2, 3, 4, 5, 9, 10, 13, 20, 33, 34, 53, 54, 100, 2**31 - 1, -(2**31))


@cache
def originals(kind: str) -> tuple[Message, ...]:
    game, wire, decide, options = GAMES[kind]
    return tuple(wire.view_to(view) for view in views(game, decide, seed=8, **options))


def outcome(kind: str, method: str, request: Message) -> Outcome:
    questions = questions_of(kind)
    assert questions is not None
    return questions.answered(method, request.SerializeToString())


@pytest.mark.parametrize(("kind", "method"), METHODS)
def test_a_changed_view_is_understood_or_refused(kind: str, method: str) -> None:
    taste = random.Random(f"{kind} {method}")
    reasons = set()
    for _ in range(400):
        view = taste.choice(originals(kind))
        request = request_for(kind, method, view=view)
        for _ in range(taste.choice((1, 1, 1, 2, 5))):
            change(request.view, taste)
        found = outcome(kind, method, request)
        if found.refusal is not None:
            reasons.add(found.refusal.reason)
            # Whose board is meant the request has to say where the view loses its seat.
            asked = ("view", "owner") if method == "CountLayouts" else ("view",)
            assert found.refusal.field.startswith(asked), found.refusal
            assert not found.refusal.cause, "a check should have found it"
    assert "MALFORMED" in reasons
    assert reasons <= {"MALFORMED", "INVALID_CONFIG", "BAD_TILE", "BAD_CARD", "DUPLICATE_CARD"}


@pytest.mark.parametrize(("kind", "method"), METHODS)
def test_bytes_that_are_no_request_are_refused(kind: str, method: str) -> None:
    questions = questions_of(kind)
    assert questions is not None
    found = questions.answered(method, b"\x0a\xff\x01")
    assert found.refusal is not None
    assert found.refusal.reason == "MALFORMED"


def change(message: Message, taste: random.Random) -> None:
    """Changes, takes away or adds something, at any depth."""
    fields: Any = message.DESCRIPTOR.fields
    field: FieldDescriptor = taste.choice(fields)
    if field.is_repeated:
        _change_items(message, field, taste)
    elif field.message_type is not None:
        if message.HasField(field.name) and taste.random() < 0.9:
            change(getattr(message, field.name), taste)
        else:
            message.ClearField(field.name)
    elif taste.random() < 0.2:
        message.ClearField(field.name)
    else:
        setattr(message, field.name, _value(field, taste))


def _change_items(message: Message, field: FieldDescriptor, taste: random.Random) -> None:
    items = getattr(message, field.name)
    what = taste.randrange(4)
    if what == 0 or not items:
        items.append(items[0]) if items else None
    elif what == 1:
        del items[taste.randrange(len(items))]
    elif field.message_type is not None:
        change(taste.choice(items), taste)
    else:
        items[taste.randrange(len(items))] = _value(field, taste)


def _value(field: FieldDescriptor, taste: random.Random) -> Any:
    if field.type == FieldDescriptor.TYPE_BOOL:
        return taste.random() < 0.5
    if field.type == FieldDescriptor.TYPE_STRING:
        return "x"
    return taste.choice(NUMBERS)

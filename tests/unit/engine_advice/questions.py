"""Asking as an engine does, and the views of whole games."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.message import Message

from parlor.engine.advice.questions import questions_of
from parlor.rules.chance import Chance
from parlor.rules.game import AnyGame, Seat
from parlor.v1 import (
    doudizhu_rules_service_pb2,
    jinxian_rules_service_pb2,
    planes_rules_service_pb2,
)

SERVICES = {
    "doudizhu": (doudizhu_rules_service_pb2, "DouDizhuRulesService"),
    "jinxian": (jinxian_rules_service_pb2, "JinxianRulesService"),
    "planes": (planes_rules_service_pb2, "PlanesRulesService"),
}


def request_for(kind: str, method: str, **fields: Any) -> Any:
    """The request of a method."""
    module, service = SERVICES[kind]
    return getattr(module, f"{service}{method}Request")(**fields)


def ask(kind: str, method: str, **fields: Any) -> Any:
    """The response to a question that has to be answered."""
    found = asked(kind, method, request_for(kind, method, **fields))
    assert isinstance(found, Message), found
    return found


def refused(kind: str, method: str, **fields: Any) -> tuple[str, str]:
    """Reason and field of a question that has to be refused."""
    found = asked(kind, method, request_for(kind, method, **fields))
    assert isinstance(found, tuple), found
    return found


def asked(kind: str, method: str, request: Message) -> Any:
    """The response, or reason and field of the refusal."""
    questions = questions_of(kind)
    assert questions is not None
    outcome = questions.answered(method, request.SerializeToString())
    if outcome.refusal is not None:
        return outcome.refusal.reason, outcome.refusal.field
    module, service = SERVICES[kind]
    return getattr(module, f"{service}{method}Response").FromString(outcome.payload)


def views(
    game: AnyGame, decide: Callable[[Any, random.Random], Any], *, seed: int, **options: Any
) -> Iterator[Any]:
    """The view of every seat that is asked something, in a game between good players."""
    taste = random.Random(seed)
    config = game.config_type(**options)
    chance = Chance(seed=taste.randbytes(32), entropy=b"")
    at = 1_000
    state = game.initial(config, chance, at).state
    while game.outcome(state) is None:
        at += 10
        for number in range(game.seats(config)):
            seat = Seat(number)
            view = game.view(state, seat)
            if (action := decide(view, taste)) is not None:
                yield view
                state = game.apply(state, seat, action, at).state
                break
        else:
            at = max(at, game.clocks(state)[0].due)
            state = game.advance(state, at).state

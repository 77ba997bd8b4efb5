"""What a question is, and how any of them is answered from bytes to bytes."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from google.protobuf.descriptor import ServiceDescriptor
from google.protobuf.message import DecodeError, Message
from google.protobuf.message_factory import GetMessageClass

from parlor.engine.advice.checks import Refused


class Refusal(NamedTuple):
    """Why there is no answer. Plain strings, since it crosses from one process to another."""

    reason: str
    """Name of an `ErrorReason`, without the prefix."""
    message: str
    field: str = ""
    cause: str = ""
    """The type of an error that the rules did not foresee; only for the operator."""


class Outcome(NamedTuple):
    """The answer as bytes, or why there is none."""

    payload: bytes = b""
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One method of a rules service."""

    answer: Callable[[Any], Message]
    """From the request to the response; raises `Refused`."""
    is_quick: bool = False
    """Whether it takes far less than a millisecond, and is answered on the event loop."""


class Questions:
    """The methods of one rules service; a missing one fails at import."""

    def __init__(self, service: ServiceDescriptor, answers: Mapping[str, Question]) -> None:
        # A plain dict: the descriptor's own mapping compares its keys in an odd way.
        methods = dict(service.methods_by_name)
        if methods.keys() != answers.keys():
            raise TypeError(f"{service.full_name}: {sorted(methods.keys() ^ answers.keys())}")
        self.service: str = service.full_name
        self.methods: Mapping[str, Question] = dict(answers)
        self._requests = {
            name: GetMessageClass(method.input_type) for name, method in methods.items()
        }

    def answered(self, method: str, payload: bytes) -> Outcome:
        """The answer to an encoded request. Raises what is a defect and no fault of the caller."""
        try:
            request = self._requests[method].FromString(payload)
        except DecodeError:
            return Outcome(refusal=Refusal("MALFORMED", "the request cannot be decoded"))
        try:
            return Outcome(self.methods[method].answer(request).SerializeToString())
        except Refused as refused:
            return Outcome(refusal=Refusal(refused.reason, str(refused), refused.field))
        except (ArithmeticError, AssertionError, LookupError, ValueError) as error:
            if "view" not in request.DESCRIPTOR.fields_by_name:
                raise
            # Policies trust a view as the engine made it. Checks find what they find; a view that
            # gets past them and contradicts itself is still the caller's.
            message = "no game gives such a view"
            return Outcome(refusal=Refusal("MALFORMED", message, "view", type(error).__name__))


_MODULES: Final = {
    "doudizhu": "parlor.engine.advice.doudizhu",
    "jinxian": "parlor.engine.advice.jinxian",
    "planes": "parlor.engine.advice.planes",
}


def questions_of(kind: str) -> Questions | None:
    """The questions about a kind of game; None where it has none.

    Imported when first asked for: an engine has one kind, and so have its workers.
    """
    module = _MODULES.get(kind)
    if module is None:
        return None
    questions: Questions = importlib.import_module(module).QUESTIONS
    return questions

"""What one audience knows."""

from parlor.rules.planes.view import Prompt, View
from parlor.v1 import planes_pb2 as pb
from parlor.wire.planes.config import config_from, config_to
from parlor.wire.planes.tables import table_from, table_to
from parlor.wire.planes.values import QUESTIONS, fleets_from, fleets_to, seat_of
from parlor.wire.times import instant, timestamp


def view_to(view: View) -> pb.PlanesView:
    """The view."""
    return pb.PlanesView(
        config=config_to(view.config),
        seat=view.seat,
        table=table_to(view.table),
        fleets=fleets_to(view.fleets),
        decision=view.decision,
        prompt=None if view.prompt is None else _prompt_to(view.prompt),
        may_surrender=view.may_surrender,
    )


def view_from(message: pb.PlanesView) -> View:
    """The view."""
    return View(
        config=config_from(message.config),
        seat=seat_of(message.seat, "view.seat") if message.HasField("seat") else None,
        table=table_from(message.table),
        fleets=fleets_from(message.fleets, "view.fleets"),
        decision=message.decision,
        prompt=_prompt_from(message.prompt) if message.HasField("prompt") else None,
        may_surrender=message.may_surrender,
    )


def _prompt_to(prompt: Prompt) -> pb.PlanesPrompt:
    return pb.PlanesPrompt(
        question=QUESTIONS.number(prompt.question),
        decision=prompt.decision,
        expire_time=None if prompt.due is None else timestamp(prompt.due),
    )


def _prompt_from(message: pb.PlanesPrompt) -> Prompt:
    return Prompt(
        question=QUESTIONS.member(message.question, "prompt.question"),
        decision=message.decision,
        due=instant(message.expire_time) if message.HasField("expire_time") else None,
    )

"""What one audience knows."""

from parlor.rules.jinxian.view import Prompt, View
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.jinxian.config import config_from, config_to
from parlor.wire.jinxian.tables import table_from, table_to
from parlor.wire.jinxian.values import (
    QUESTIONS,
    answer_from,
    answer_to,
    options_from,
    options_to,
    seat,
)
from parlor.wire.times import instant, timestamp


def view_to(view: View) -> pb.JinxianView:
    """The view."""
    return pb.JinxianView(
        config=config_to(view.config),
        seat=view.seat,
        table=table_to(view.table),
        hand=view.hand,
        drawn=view.drawn,
        passed=view.passed,
        answer=answer_to(view.answer),
        prompt=None if view.prompt is None else _prompt_to(view.prompt),
        start_time=timestamp(view.began) if view.began else None,
    )


def view_from(message: pb.JinxianView) -> View:
    """The view."""
    has = message.HasField
    return View(
        config=config_from(message.config),
        seat=seat(message.seat, "view.seat") if has("seat") else None,
        table=table_from(message.table),
        hand=tuple(message.hand),
        drawn=message.drawn if has("drawn") else None,
        passed=message.passed,
        answer=answer_from(message.answer) if has("answer") else None,
        prompt=_prompt_from(message.prompt) if has("prompt") else None,
        began=instant(message.start_time) if has("start_time") else 0,
    )


def _prompt_to(prompt: Prompt) -> pb.JinxianPrompt:
    return pb.JinxianPrompt(
        question=QUESTIONS.number(prompt.question),
        decision=prompt.decision,
        expire_time=timestamp(prompt.due),
        options=options_to(prompt.options),
    )


def _prompt_from(message: pb.JinxianPrompt) -> Prompt:
    return Prompt(
        question=QUESTIONS.member(message.question, "prompt.question"),
        decision=message.decision,
        due=instant(message.expire_time),
        options=options_from(message.options),
    )

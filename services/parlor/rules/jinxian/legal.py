"""What a seat may do, from its view alone: the same list for the engine, a bot and a browser."""

from collections.abc import Iterator

from parlor.rules.jinxian.actions import (
    Action,
    Chow,
    Continue,
    Discard,
    Kong,
    Pass,
    Pong,
    StopAutoplay,
    Win,
)
from parlor.rules.jinxian.table import Phase, Question
from parlor.rules.jinxian.view import Prompt, View


def legal_actions(seen: View) -> Iterator[Action]:
    """Lazily, every action that the view's seat may take, wins and claims first."""
    table, seat = seen.table, seen.seat
    if seat is None or table.phase is Phase.GAME_END or table.left[seat]:
        return
    if seen.prompt is not None:
        yield from _answers(seen, seen.prompt)
    if table.autoplay[seat]:
        yield StopAutoplay()


def _answers(seen: View, prompt: Prompt) -> Iterator[Action]:
    number, options = prompt.decision, prompt.options
    if prompt.question is Question.CONTINUE:
        yield Continue(decision=number)
        return
    if options.win:
        yield Win(decision=number)
    for kind in options.kongs:
        yield Kong(decision=number, tile=kind)
    if prompt.question is not Question.CLAIM:
        for kind in dict.fromkeys(seen.hand):
            yield Discard(decision=number, tile=kind)
        return
    if options.pong:
        yield Pong(decision=number)
    for pair in options.chows:
        yield Chow(decision=number, tiles=pair)
    yield Pass(decision=number)

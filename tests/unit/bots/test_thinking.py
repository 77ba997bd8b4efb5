"""Bots think elsewhere and come to the same decision."""

import multiprocessing
import os
import signal

import pytest

from parlor.bots.thinking import Thinkers, decide
from parlor.rules.catalog import GAMES
from parlor.rules.chance import Chance
from parlor.rules.game import Seat


def asked(kind: str) -> object:
    """The view of a seat that is asked something at the start of a game."""
    game = GAMES[kind]
    config = game.config_type()
    state = game.initial(config, Chance(seed=bytes(32), entropy=b""), 0).state
    while True:
        for seat in range(game.seats(config)):
            view = game.view(state, Seat(seat))
            if decide(kind, view, 1) is not None:
                return view
        state = game.advance(state, game.clocks(state)[0].due).state


@pytest.mark.parametrize("kind", sorted(GAMES))
async def test_a_process_decides_as_this_one_would(kind: str) -> None:
    view = asked(kind)
    async with Thinkers(1) as thinkers:
        assert await thinkers.decide(kind, view, 7) == decide(kind, view, 7)


async def test_a_process_that_died_is_replaced() -> None:
    view = asked("doudizhu")
    async with Thinkers(1) as thinkers:
        await thinkers.decide("doudizhu", view, 7)
        (thinker,) = multiprocessing.active_children()
        assert thinker.pid is not None
        os.kill(thinker.pid, signal.SIGKILL)
        assert await thinkers.decide("doudizhu", view, 7) == decide("doudizhu", view, 7)
        assert [child.pid for child in multiprocessing.active_children()] != [thinker.pid]


async def test_without_processes_it_decides_here() -> None:
    view = asked("planes")
    async with Thinkers(0) as thinkers:
        assert await thinkers.decide("planes", view, 7) == decide("planes", view, 7)
        assert not multiprocessing.active_children()

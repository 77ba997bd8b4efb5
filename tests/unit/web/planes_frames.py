"""Games of Plane Battle as a JSON client receives them: as `gateway/json_out.py` writes them.

`document()` gives `{"games": [{"name", "config", "audiences": [{"seat", "before", "steps": [{"events", "view"}]}]}],
"placements": [{"plane", "cells"}]}`. The games are the golden transcripts, and random ones under options that these do
not have. `before` is the view before the first event; the first step is the deal; `view` is what the engine says the
audience knows after the step. The placements are all that fit, with their cells as the rules service lists them.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any

from parlor.gateway.json_out import writer
from parlor.rules.game import Audience, Seat, Transition
from parlor.rules.planes import PLANES, Config
from parlor.rules.planes.board import SIZE, Direction, Plane, fits, parts
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.wire.planes import PLANES as WIRE
from parlor.wire.planes.values import plane_to
from tests.golden.planes import scenarios
from tests.golden.transcript import BEGAN, Scenario
from tests.property.planes import PlanesAdapter
from tests.property.walks import Tick, do, walk

AUDIENCES: tuple[Audience, ...] = (Seat(0), Seat(1), None)
_OPTIONS = {
    "all cells": Config(pause_budget_ms=5_000, max_timeouts=4),
    "heads": Config(destroy_rule=DestroyRule.HEAD_KILL, turn_ms=3_000),
    "planes": Config(destroy_rule=DestroyRule.HEAD_KILL, head_reveal=HeadReveal.PLANE),
    "short": Config(placing_ms=5_000, game_ms=60_000),
}
_SEEDS = range(3)

Steps = list[Transition[Any, Any]]


def document() -> dict[str, Any]:
    """All games, every audience of each, and all placements."""
    games = [
        *((scenario.name, scenario.config, _written(scenario)) for scenario in scenarios()),
        *_random(),
    ]
    return {
        "games": [
            {
                "name": name,
                "config": _json(WIRE.config_to(config)),
                "audiences": [_audience(config, steps, seat) for seat in AUDIENCES],
            }
            for name, config, steps in games
        ],
        "placements": list(_placements()),
    }


def _written(scenario: Scenario) -> Steps:
    at = BEGAN
    transition = PLANES.initial(scenario.config, scenario.chance, at)
    steps, choose = [transition], scenario.choose()
    while (chosen := choose(transition.state)) is not None:
        input_, later = chosen
        is_tick = isinstance(input_, Tick)
        at = PLANES.clocks(transition.state)[0].due if is_tick else at + later
        transition = do(PLANES, transition.state, input_, at)
        steps.append(transition)
    return steps


def _random() -> Iterator[tuple[str, Config, Steps]]:
    for name, config in _OPTIONS.items():
        for seed in _SEEDS:
            game = walk(PlanesAdapter(), config, seed)
            yield f"{name} {seed}", config, [game.first, *(step.transition for step in game.steps)]


def _audience(config: Config, steps: Steps, seat: Audience) -> dict[str, Any]:
    return {
        "seat": seat,
        "before": _json(WIRE.view_to(PLANES.before(config, seat))),
        "steps": [
            {
                "events": [
                    _json(WIRE.event_to(seen))
                    for event in step.events
                    if (seen := PLANES.observe(event, seat)) is not None
                ],
                "view": _json(WIRE.view_to(PLANES.view(step.state, seat))),
            }
            for step in steps
        ],
    }


def _placements() -> Iterator[dict[str, Any]]:
    for x, y, direction in product(range(SIZE), range(SIZE), Direction):
        plane = Plane(x=x, y=y, direction=direction)
        if fits(plane):
            cells = [{"x": row, "y": column} for _, row, column in parts(plane)]
            yield {"plane": _json(plane_to(plane)), "cells": cells}


def _json(message: Any) -> Any:
    return writer(message.DESCRIPTOR)(message)

"""Games of Dou Dizhu as a JSON client receives them: as `gateway/json_out.py` writes them.

`frames()` gives `[{"name", "config", "audiences": [{"seat", "before", "steps": [{"events", "view"}]}]}]`: the
golden transcripts, and random games under options that these do not have. `before` is the view before the first
event; the first step is the deal; `view` is what the engine says the audience knows after the step.
"""

from collections.abc import Iterator
from typing import Any

from parlor.gateway.json_out import writer
from parlor.rules.doudizhu import DOUDIZHU, Config
from parlor.rules.doudizhu.config import Bidding, RuleSet
from parlor.rules.game import Audience, Seat, Transition
from parlor.wire.catalog import WIRE
from tests.golden.doudizhu import scenarios
from tests.golden.transcript import BEGAN, Scenario
from tests.property.doudizhu import DouDizhuAdapter
from tests.property.walks import Tick, do, walk

AUDIENCES: tuple[Audience, ...] = (Seat(0), Seat(1), Seat(2), None)
_WIRE = WIRE["doudizhu"]
_OPTIONS = {
    "classic": Config(rule_set=RuleSet.CLASSIC),
    "score": Config(doubling=True, show_cards=True, max_passed_deals=9),
    "call": Config(bidding=Bidding.CALL, doubling=True, show_cards=True),
}
_SEEDS = range(3)

Steps = list[Transition[Any, Any]]


def frames() -> list[dict[str, Any]]:
    """All games, every audience of each."""
    games = [
        *((scenario.name, scenario.config, _written(scenario)) for scenario in scenarios()),
        *_random(),
    ]
    return [
        {
            "name": name,
            "config": _json(_WIRE.config_to(config)),
            "audiences": [_audience(config, steps, seat) for seat in AUDIENCES],
        }
        for name, config, steps in games
    ]


def _written(scenario: Scenario) -> Steps:
    at = BEGAN
    transition = DOUDIZHU.initial(scenario.config, scenario.chance, at)
    steps, choose = [transition], scenario.choose()
    while (chosen := choose(transition.state)) is not None:
        input_, later = chosen
        is_tick = isinstance(input_, Tick)
        at = DOUDIZHU.clocks(transition.state)[0].due if is_tick else at + later
        transition = do(DOUDIZHU, transition.state, input_, at)
        steps.append(transition)
    return steps


def _random() -> Iterator[tuple[str, Config, Steps]]:
    for name, config in _OPTIONS.items():
        for seed in _SEEDS:
            game = walk(DouDizhuAdapter(config.rule_set), config, seed)
            yield f"{name} {seed}", config, [game.first, *(step.transition for step in game.steps)]


def _audience(config: Config, steps: Steps, seat: Audience) -> dict[str, Any]:
    return {
        "seat": seat,
        "before": _json(_WIRE.view_to(DOUDIZHU.before(config, seat))),
        "steps": [
            {
                "events": [
                    _json(_WIRE.event_to(seen))
                    for event in step.events
                    if (seen := DOUDIZHU.observe(event, seat)) is not None
                ],
                "view": _json(_WIRE.view_to(DOUDIZHU.view(step.state, seat))),
            }
            for step in steps
        ],
    }


def _json(message: Any) -> Any:
    return writer(message.DESCRIPTOR)(message)

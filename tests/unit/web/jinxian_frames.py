"""Games of Jinxian Mahjong as a JSON client receives them: as `gateway/json_out.py` writes them.

`python -m tests.unit.web.jinxian_frames` prints one document:
`[{"name", "config", "audiences": [{"seat", "before", "steps": [{"events", "view"}]}]}]`. `before` is the view before
the first event; the first step is the deal; `view` is what the engine says the audience knows after the step.
The games are the golden transcripts, and random ones whose options bring about what those do not have.
"""

import json
import sys
from dataclasses import replace
from typing import Any

from parlor.gateway.json_out import writer
from parlor.rules.game import Audience, Seat, Transition
from parlor.rules.jinxian import JINXIAN, Config, ScoringOptions
from parlor.rules.jinxian.config import DealerOnDraw, PassedWinLock
from parlor.rules.jinxian.options import JingSettlement, JingVariant
from parlor.wire.jinxian import JINXIAN as WIRE
from tests.golden.jinxian import scenarios
from tests.golden.transcript import BEGAN, Scenario
from tests.property.jinxian import ADAPTERS
from tests.property.walks import Tick, do, walk

Transitions = list[Transition[Any, Any]]

AUDIENCES: list[Audience] = [*(Seat(seat) for seat in range(4)), None]

EXTRAS = Config(
    total_rounds=1,
    scoring=ScoringOptions(
        kong_score=True,
        jing_settlement=JingSettlement.ALL_PLAYERS,
        jing_variant=JingVariant.SHANG_XIA,
        chaozhuang=True,
    ),
    passed_win_lock=PassedWinLock.UNTIL_DRAW_UNLESS_HIGHER,
    dealer_on_draw=DealerOnDraw.PASS,
)
"""Everything that pays at once or at the end of every round."""

WALKS = (
    ("standard", Config(total_rounds=2), 11),
    ("extras", EXTRAS, 6),
    ("fast and open kongs", replace(EXTRAS, fast=True, concealed_kong_hidden=False), 3),
)
"""Name, options and seed of the random games."""


def frames() -> list[dict[str, Any]]:
    """All games, every audience of each."""
    written = [(each.name, each.config, _transitions(each)) for each in scenarios()]
    walked = [(name, config, _walked(config, seed)) for name, config, seed in WALKS]
    return [_game(*game) for game in [*written, *walked]]


def _transitions(scenario: Scenario) -> Transitions:
    at = BEGAN
    transition = JINXIAN.initial(scenario.config, scenario.chance, at)
    done, choose = [transition], scenario.choose()
    while (chosen := choose(transition.state)) is not None:
        input_, later = chosen
        at = JINXIAN.clocks(transition.state)[0].due if isinstance(input_, Tick) else at + later
        transition = do(JINXIAN, transition.state, input_, at)
        done.append(transition)
    return done


def _walked(config: Config, seed: int) -> Transitions:
    game = walk(ADAPTERS[0], config, seed)
    return [game.first, *(step.transition for step in game.steps)]


def _game(name: str, config: Config, transitions: Transitions) -> dict[str, Any]:
    return {
        "name": name,
        "config": _json(WIRE.config_to(config)),
        "audiences": [_audience(config, transitions, seat) for seat in AUDIENCES],
    }


def _audience(config: Config, transitions: Transitions, seat: Audience) -> dict[str, Any]:
    steps = []
    for transition in transitions:
        seen = [JINXIAN.observe(event, seat) for event in transition.events]
        events = [_json(WIRE.event_to(event)) for event in seen if event is not None]
        view = _json(WIRE.view_to(JINXIAN.view(transition.state, seat)))
        steps.append({"events": events, "view": view})
    return {
        "seat": seat,
        "before": _json(WIRE.view_to(JINXIAN.before(config, seat))),
        "steps": steps,
    }


def _json(message: Any) -> Any:
    return writer(message.DESCRIPTOR)(message)


if __name__ == "__main__":
    json.dump(frames(), sys.stdout)

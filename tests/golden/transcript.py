"""Transcripts: whole games with what every audience received, one step a line.

A transcript begins with a view per audience. Each step holds its input and, per group of audiences
that saw the same, the events as the wire carries them; now and then, and at the end, the views that
the events must have led to. So a client in any language can check its own fold against it.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict

from parlor.rules.chance import Chance
from parlor.rules.game import AnyGame, Audience, Seat, Transition
from parlor.wire.game import WireGame
from tests.property.walks import Act, Input, Leave, Outage, Presence, Tick, do

HERE = Path(__file__).parent
VIEWS_EVERY = 30
BEGAN = 1_700_000_000_000

Choose = Callable[[Any], tuple[Input, int] | None]
"""The next input in a state with the ms since the last step; None ends the transcript."""


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """A game to be written down."""

    name: str
    title: str
    game: AnyGame
    wire: WireGame
    config: Any
    chance: Chance
    choose: Callable[[], Choose]

    @property
    def path(self) -> Path:
        """Where its transcript lies."""
        return HERE / f"{self.name}.json"


def transcript(scenario: Scenario) -> str:
    """The transcript as JSON text."""
    game, wire, at = scenario.game, scenario.wire, BEGAN
    header = {
        "title": scenario.title,
        "kind": game.kind,
        "rules": game.rules,
        "config": _json(wire.config_to(scenario.config)),
        "chance": {
            "seed": scenario.chance.seed.hex(),
            "entropy": scenario.chance.entropy.hex(),
            "script": scenario.chance.script,
        },
        "began": at,
    }
    first = game.initial(scenario.config, scenario.chance, at)
    steps = list(_steps(scenario, first.state))
    lines = [f' "{key}": {_line(value)},' for key, value in header.items()]
    lines += [' "views": [', *_rows(_views(scenario, first.state)), " ],"]
    lines += [' "steps": [', *_rows(steps), " ]"]
    return "\n".join(["{", *lines, "}", ""])


def _steps(scenario: Scenario, state: Any) -> Iterator[dict[str, Any]]:
    choose, at = scenario.choose(), BEGAN
    number = 0
    while (chosen := choose(state)) is not None:
        input_, later = chosen
        at = scenario.game.clocks(state)[0].due if isinstance(input_, Tick) else at + later
        transition = do(scenario.game, state, input_, at)
        state = transition.state
        number += 1
        step = {
            "at": at,
            "input": _input(scenario.wire, input_),
            "seen": _seen(scenario, transition),
        }
        if number % VIEWS_EVERY == 0 or scenario.game.outcome(state) is not None:
            step["views"] = _views(scenario, state)
        yield step


def _input(wire: WireGame, input_: Input) -> dict[str, Any]:
    match input_:
        case Act():
            return {
                "seat": input_.seat,
                "decision": input_.action.decision,
                "action": _json(wire.action_to(input_.action)),
            }
        case Presence():
            return {"seat": input_.seat, "online": input_.online}
        case Leave():
            return {"seat": input_.seat, "left": True}
        case Outage():
            return {"lost_ms": input_.lost_ms}
        case Tick():
            return {"clock": True}


def _seen(scenario: Scenario, transition: Transition[Any, Any]) -> list[dict[str, Any]]:
    """What the audiences saw, those together that saw the same."""
    groups: list[dict[str, Any]] = []
    for audience in audiences(scenario):
        seen = [scenario.game.observe(event, audience) for event in transition.events]
        events = [_json(scenario.wire.event_to(event)) for event in seen if event is not None]
        for group in groups:
            if group["events"] == events:
                group["to"].append(audience)
                break
        else:
            groups.append({"to": [audience], "events": events})
    return [group for group in groups if group["events"]]


def _views(scenario: Scenario, state: Any) -> list[dict[str, Any]]:
    return [
        {"to": audience, "view": _json(scenario.wire.view_to(scenario.game.view(state, audience)))}
        for audience in audiences(scenario)
    ]


def audiences(scenario: Scenario) -> list[Audience]:
    """Every seat, and None for the spectators."""
    return [*(Seat(seat) for seat in range(scenario.game.seats(scenario.config))), None]


def _json(message: Any) -> Any:
    """As the JSON frames carry it: zero values are written."""
    return MessageToDict(message, always_print_fields_with_no_presence=True)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _rows(rows: list[Any]) -> list[str]:
    commas = [","] * (len(rows) - 1) + [""]
    return [f"  {_line(row)}{comma}" for row, comma in zip(rows, commas, strict=True)]

"""Games as they were written down: a change of the rules or of their messages shows here."""

import json
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict

from tests.golden.record import scenarios
from tests.golden.transcript import Scenario, audiences, transcript

SCENARIOS = [pytest.param(scenario, id=scenario.name) for scenario in scenarios()]


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_game_is_as_it_was_written_down(scenario: Scenario) -> None:
    """If the change is meant, record it: `python -m tests.golden.record`."""
    assert transcript(scenario) == scenario.path.read_text()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_written_events_lead_from_view_to_view(scenario: Scenario) -> None:
    written = json.loads(scenario.path.read_text())
    for audience in audiences(scenario):
        view = _view(scenario, written["views"], audience)
        for step in written["steps"]:
            for group in step["seen"]:
                if audience in group["to"]:
                    for event in group["events"]:
                        view = scenario.game.fold(view, _event(scenario, event))
            if "views" in step:
                assert view == _view(scenario, step["views"], audience)
        assert "views" in written["steps"][-1]


def _view(scenario: Scenario, views: list[dict[str, Any]], audience: int | None) -> Any:
    (view,) = (entry["view"] for entry in views if entry["to"] == audience)
    empty = type(scenario.wire.view_to(_any_view(scenario)))()
    return scenario.wire.view_from(ParseDict(view, empty))


def _event(scenario: Scenario, event: dict[str, Any]) -> Any:
    first = scenario.game.initial(scenario.config, scenario.chance, 0).events[0]
    return scenario.wire.event_from(ParseDict(event, type(scenario.wire.event_to(first))()))


def _any_view(scenario: Scenario) -> Any:
    first = scenario.game.initial(scenario.config, scenario.chance, 0).state
    return scenario.game.view(first, None)

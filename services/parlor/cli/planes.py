"""Plane Battle for simulated players."""

import random
from collections import Counter
from collections.abc import Iterable
from typing import Final

from google.protobuf.duration_pb2 import Duration

from parlor.cli.history import History
from parlor.rules.game import Seat
from parlor.rules.planes.actions import Action, Attack, Place, Proposal
from parlor.rules.planes.board import Plane
from parlor.rules.planes.fleets import FLEETS, nth_fleet
from parlor.rules.planes.legal import open_cells, placing_of
from parlor.rules.planes.table import opponent
from parlor.rules.planes.view import Question, View
from parlor.v1.planes_pb2 import PlanesConfig, PlanesDestroyRule
from parlor.v1.room_pb2 import GameConfig

_TURN_MS: Final = 1_000
_PLACING_MS: Final = 5_000


class PlanesTable:
    """`parlor.cli.simulated.SimulatedGame` for Plane Battle."""

    rule_sets: tuple[str, ...] = ("all_cells", "head_kill")
    timeout_in = 40

    def config(self, rule_set: str, **limits: int) -> GameConfig:
        turn, placing = Duration(), Duration()
        turn.FromMilliseconds(limits.get("turn_ms", _TURN_MS))
        placing.FromMilliseconds(limits.get("placing_ms", _PLACING_MS))
        return GameConfig(
            planes=PlanesConfig(
                destroy_rule=PlanesDestroyRule.Value(f"PLANES_DESTROY_RULE_{rule_set.upper()}"),
                turn_limit=turn,
                placing_limit=placing,
            )
        )

    def decision(self, view: View) -> int:
        return view.prompt.decision if view.prompt is not None else 0

    def choose(self, view: View, chance: random.Random) -> Action:
        assert view.prompt is not None
        assert view.seat is not None
        decision = view.prompt.decision
        if view.prompt.question is Question.PLACE:
            # To list all fleets takes longer than to shoot for a whole game.
            return placing_of(nth_fleet(chance.randrange(FLEETS)), decision)
        x, y = chance.choice(list(open_cells(view.table.boards[opponent(view.seat)])))
        return Attack(decision=decision, x=x, y=y)

    def mark(self, action: Action) -> str:
        match action:
            case Place():
                return _placed(action.planes)
            case Attack():
                return f"shot {action.x} {action.y}"
            case _:
                raise ValueError(f"no answer to the table: {action}")

    def record(self, view: View, seat: int, history: History) -> Counter[str]:
        """From the view: a clock never shoots, and who placed by it is public."""
        shots = view.table.boards[opponent(Seat(seat))].shots
        marks = Counter(f"shot {shot.x} {shot.y}" for shot in shots)
        if view.fleets[seat] and not view.table.auto_placed[seat]:
            marks[_placed(view.fleets[seat])] += 1
        return marks


def _placed(planes: Iterable[Plane | Proposal]) -> str:
    return "placed " + " ".join(
        f"{plane.x},{plane.y},{plane.direction and plane.direction.value}" for plane in planes
    )

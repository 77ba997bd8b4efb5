"""What a seat of Plane Battle may not know: where the other's planes are, but for its own shots.

A shot says no more than what it met. A plane may show itself when the last shot at it is on the
board, and then only what the room's rule gives: where every cell must be hit, all of them were;
where the head is enough, that cell was hit, and the direction is told only where the options say so.
"""

from collections.abc import Callable, Iterator
from typing import Final

from parlor.v1.planes_pb2 import (
    PlanesConfig,
    PlanesDestroyRule,
    PlanesDirection,
    PlanesEvent,
    PlanesHeadReveal,
    PlanesPhase,
    PlanesRevealed,
    PlanesShotResult,
    PlanesView,
)

_MISS = PlanesShotResult.PLANES_SHOT_RESULT_MISS
_DESTROY = PlanesShotResult.PLANES_SHOT_RESULT_DESTROY
_HIDDEN = PlanesDirection.PLANES_DIRECTION_UNSPECIFIED

_PUBLIC: Final = frozenset(
    {
        "placement_completed",
        "battle_started",
        "turn_timed_out",
        "turn_paused",
        "turn_resumed",
        "presence_changed",
        "surrendered",
        "clocks_moved",
        "ended",
    }
)
"""Events that say nothing of a plane before the end."""

_BACK_AND_ACROSS: Final = (
    (0, 0),
    *((1, across) for across in range(-2, 3)),
    (2, 0),
    (3, 0),
    *((4, across) for across in range(-1, 2)),
)
"""The cells of a plane, counted from its head away from the nose, and to its sides."""

Shots = dict[tuple[int, int], "PlanesShotResult.ValueType"]


class PlanesLeaks:
    """`parlor.cli.leaks.room.GameLeaks` for Plane Battle."""

    def __init__(self, config: PlanesConfig, leak: Callable[[str], None]) -> None:
        self._leak = leak
        rule = PlanesDestroyRule.PLANES_DESTROY_RULE_HEAD_KILL
        self._head_kills = config.destroy_rule == rule
        reveal = PlanesHeadReveal.PLANES_HEAD_REVEAL_PLANE
        self._shows_direction = not self._head_kills or config.head_reveal == reveal
        self._shots: tuple[Shots, Shots] = ({}, {})
        """By the owner of the board."""

    def begin(self) -> None:
        self._shots = ({}, {})

    def see(self, view: PlanesView, seat: int | None) -> None:
        if view.table.phase == PlanesPhase.PLANES_PHASE_OVER:
            return
        for owner, fleet in enumerate(view.fleets):
            if owner != seat and fleet.planes:
                self._leak(f"a view's fleet of seat {owner}")
        for owner, board in enumerate(view.table.boards):
            self._shots[owner].update({(shot.x, shot.y): shot.result for shot in board.shots})
            for revealed in board.revealed:
                self._check(revealed, owner)

    def hear(self, event: PlanesEvent, seat: int | None) -> None:
        match event.WhichOneof("event"):
            case "game_started":
                self.begin()
            case "plane_placed":
                if event.plane_placed.seat != seat:
                    self._leak("a plane that another seat has placed")
            case "turn_started":
                if event.turn_started.decision and event.turn_started.seat != seat:
                    self._leak("the number of another seat's decision")
            case "attack_executed":
                shot = event.attack_executed
                self._shots[1 - shot.seat][shot.x, shot.y] = shot.result
            case "plane_destroyed":
                fallen = event.plane_destroyed
                if self._shots[fallen.seat].get((fallen.x, fallen.y)) != _DESTROY:
                    self._leak("a plane that no shot brought down")
                else:
                    self._check(fallen.revealed, fallen.seat)
            case kind if kind not in _PUBLIC:
                self._leak(f"{kind}, of which nobody said that it is public")

    def _check(self, revealed: PlanesRevealed, owner: int) -> None:
        """Counts what a fallen plane shows beyond what the shots at it and the rule give."""
        if revealed.direction != _HIDDEN and not self._shows_direction:
            self._leak("the direction of a plane whose head was hit")
        elif not self._has_fallen(revealed, owner):
            self._leak("a plane that has not fallen")

    def _has_fallen(self, revealed: PlanesRevealed, owner: int) -> bool:
        shots = self._shots[owner]
        if self._head_kills:
            return shots.get((revealed.x, revealed.y)) == _DESTROY
        return all(shots.get(cell, _MISS) != _MISS for cell in _cells(revealed))


def _cells(revealed: PlanesRevealed) -> Iterator[tuple[int, int]]:
    """The eleven cells; of a plane that shows no direction, its head."""
    for back, across in _BACK_AND_ACROSS:
        match PlanesDirection.Name(revealed.direction).removeprefix("PLANES_DIRECTION_"):
            case "UP":
                yield revealed.x + back, revealed.y + across
            case "DOWN":
                yield revealed.x - back, revealed.y + across
            case "LEFT":
                yield revealed.x + across, revealed.y + back
            case "RIGHT":
                yield revealed.x + across, revealed.y - back
            case _:
                yield revealed.x, revealed.y

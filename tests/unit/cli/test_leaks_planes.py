"""The look at what a player of Plane Battle was shown: it finds planted planes, and nothing else.

The plane in all of this has its head at row 0, column 2, with the nose up.
"""

from collections.abc import Iterable
from typing import Any

import pytest

from parlor.v1.planes_pb2 import (
    PlanesAttackExecuted,
    PlanesBoard,
    PlanesConfig,
    PlanesDestroyRule,
    PlanesDirection,
    PlanesEnded,
    PlanesEvent,
    PlanesFleet,
    PlanesGameStarted,
    PlanesHeadReveal,
    PlanesPhase,
    PlanesPlane,
    PlanesPlaneDestroyed,
    PlanesPlanePlaced,
    PlanesRevealed,
    PlanesShot,
    PlanesShotResult,
    PlanesTable,
    PlanesTurnStarted,
    PlanesView,
)
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import GameConfig
from tests.unit.cli import frames
from tests.unit.cli.frames import leaks

MISS = PlanesShotResult.PLANES_SHOT_RESULT_MISS
HIT = PlanesShotResult.PLANES_SHOT_RESULT_HIT
DESTROY = PlanesShotResult.PLANES_SHOT_RESULT_DESTROY
UP = PlanesDirection.PLANES_DIRECTION_UP
BATTLING = PlanesPhase.PLANES_PHASE_BATTLING
OVER = PlanesPhase.PLANES_PHASE_OVER

ALL_CELLS = GameConfig(planes=PlanesConfig())
HEAD_KILL = GameConfig(
    planes=PlanesConfig(destroy_rule=PlanesDestroyRule.PLANES_DESTROY_RULE_HEAD_KILL)
)
SHOWN_WHOLE = GameConfig(
    planes=PlanesConfig(
        destroy_rule=PlanesDestroyRule.PLANES_DESTROY_RULE_HEAD_KILL,
        head_reveal=PlanesHeadReveal.PLANES_HEAD_REVEAL_PLANE,
    )
)

CELLS = [
    (0, 2),
    *((1, column) for column in range(5)),
    (2, 2),
    (3, 2),
    *((4, column) for column in range(1, 4)),
]
PLANE = PlanesPlane(x=0, y=2, direction=UP)
REVEALED = PlanesRevealed(x=0, y=2, direction=UP)
HEAD = PlanesRevealed(x=0, y=2)
FLEET = PlanesFleet(planes=[PLANE])
NO_FLEET = PlanesFleet()


def sat(config: GameConfig = ALL_CELLS, seat: int | None = 0) -> ServerFrame:
    return frames.view(config, seat)


def happened(**event: Any) -> ServerFrame:
    return frames.happened("planes", **event)


def placed(seat: int) -> ServerFrame:
    return happened(plane_placed=PlanesPlanePlaced(seat=seat, plane=PLANE))


def shots(
    cells: Iterable[tuple[int, int]], last: "PlanesShotResult.ValueType"
) -> list[ServerFrame]:
    """The shots of seat 0; all are hits but the last."""
    *before, (x, y) = cells
    results = [*((*cell, HIT) for cell in before), (x, y, last)]
    return [
        happened(attack_executed=PlanesAttackExecuted(seat=0, x=x, y=y, result=result))
        for x, y, result in results
    ]


def fell(revealed: PlanesRevealed, at: tuple[int, int]) -> ServerFrame:
    fallen = PlanesPlaneDestroyed(seat=1, attacker=0, x=at[0], y=at[1], revealed=revealed)
    return happened(plane_destroyed=fallen)


def seen(
    *fleets: PlanesFleet,
    config: GameConfig = ALL_CELLS,
    seat: int | None = 0,
    phase: "PlanesPhase.ValueType" = BATTLING,
    other: PlanesBoard | None = None,
) -> ServerFrame:
    table = PlanesTable(phase=phase, boards=[PlanesBoard(), other or PlanesBoard()])
    game = PlanesView(seat=seat, table=table, fleets=fleets)
    return frames.view(config, seat, planes=game)


def board(revealed: PlanesRevealed, *cells: tuple[int, int]) -> PlanesBoard:
    """The other's board, hit at the cells and fallen with the last of them."""
    results = [HIT] * (len(cells) - 1) + [DESTROY]
    return PlanesBoard(
        shots=[PlanesShot(x=x, y=y, result=r) for (x, y), r in zip(cells, results, strict=True)],
        revealed=[revealed],
    )


FINE = {
    "own planes": [sat(), placed(0), seen(FLEET, NO_FLEET)],
    "shots": [sat(), *shots([(9, 9)], MISS), *shots([(1, 1)], HIT)],
    "a plane with its last cell": [sat(), *shots(CELLS, DESTROY), fell(REVEALED, CELLS[-1])],
    "a fallen plane in a view": [seen(FLEET, NO_FLEET, other=board(REVEALED, *CELLS))],
    "a head that was hit": [sat(HEAD_KILL), *shots([(0, 2)], DESTROY), fell(HEAD, (0, 2))],
    "a whole plane where the options say so": [
        sat(SHOWN_WHOLE),
        *shots([(0, 2)], DESTROY),
        fell(REVEALED, (0, 2)),
    ],
    "both fleets at the end": [
        sat(),
        happened(ended=PlanesEnded(fleets=[FLEET, FLEET])),
        seen(FLEET, FLEET, phase=OVER),
    ],
    "one's own turn": [sat(), happened(turn_started=PlanesTurnStarted(seat=0, decision=2))],
}

WRONG = {
    "another's plane": [sat(), placed(1)],
    "a plane for spectators": [sat(seat=None), placed(1)],
    "another's fleet in a view": [seen(FLEET, FLEET)],
    "a spectator's view of a fleet": [seen(NO_FLEET, FLEET, seat=None)],
    "a plane before its last cell": [
        sat(),
        *shots(CELLS[:-1], DESTROY),
        fell(REVEALED, CELLS[-2]),
    ],
    "a plane after a mere hit": [sat(), *shots(CELLS, HIT), fell(REVEALED, CELLS[-1])],
    "a plane in a view before its last cell": [seen(other=board(REVEALED, *CELLS[:-1]))],
    "another plane than the one that fell": [
        sat(),
        *shots(CELLS, DESTROY),
        fell(PlanesRevealed(x=5, y=5, direction=UP), CELLS[-1]),
    ],
    "the direction where only the head is shown": [
        sat(HEAD_KILL),
        *shots([(0, 2)], DESTROY),
        fell(REVEALED, (0, 2)),
    ],
    "a head that was not hit": [sat(HEAD_KILL), *shots([(1, 2)], DESTROY), fell(HEAD, (1, 2))],
    "another's number": [sat(), happened(turn_started=PlanesTurnStarted(seat=1, decision=2))],
    "a shot of the game before": [
        sat(HEAD_KILL),
        *shots([(0, 2)], DESTROY),
        happened(game_started=PlanesGameStarted()),
        fell(HEAD, (0, 2)),
    ],
}


@pytest.mark.parametrize("received", FINE.values(), ids=FINE)
def test_what_a_seat_may_know_is_no_leak(received: list[ServerFrame]) -> None:
    assert leaks(*received) == 0


@pytest.mark.parametrize("received", WRONG.values(), ids=WRONG)
def test_what_a_seat_may_not_know_is_a_leak(received: list[ServerFrame]) -> None:
    assert leaks(*received) == 1


@pytest.mark.parametrize(
    ("direction", "last"), [("UP", (4, 1)), ("DOWN", (0, 5)), ("LEFT", (5, 8)), ("RIGHT", (5, 0))]
)
def test_a_plane_of_any_direction_has_eleven_cells(direction: str, last: tuple[int, int]) -> None:
    """Each `last` is a cell of the tail, without which the plane has not fallen."""
    heads = {"UP": (0, 2), "DOWN": (4, 4), "LEFT": (4, 4), "RIGHT": (4, 4)}
    x, y = heads[direction]
    nose = PlanesDirection.Value(f"PLANES_DIRECTION_{direction}")
    everywhere = [
        (row, column) for row in range(10) for column in range(10) if (row, column) != last
    ]
    fallen = fell(PlanesRevealed(x=x, y=y, direction=nose), everywhere[-1])
    hits = shots(everywhere, DESTROY)
    assert leaks(sat(), *hits, fallen) == 1
    assert leaks(sat(), *shots([last], HIT), *hits, fallen) == 0


def test_an_event_that_is_not_known_to_be_public_is_a_leak() -> None:
    assert leaks(sat(), frames.happened("planes")) == 1
    known = {field.name for field in PlanesEvent.DESCRIPTOR.oneofs_by_name["event"].fields}
    silent = {name for name in known if leaks(sat(), happened(**{name: _empty(name)})) == 0}
    # Empty ones of seat 0: only a plane that no shot brought down is more than they may say.
    assert known - silent == {"plane_destroyed"}


def _empty(name: str) -> Any:
    return getattr(PlanesEvent(), name)

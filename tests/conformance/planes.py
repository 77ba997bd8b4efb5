"""The format of `planes-examples.json`: one function per list of the file."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

from parlor.rules.chance import Chance, ScriptedChance
from parlor.rules.game import IllegalAction, Seat, Transition
from parlor.rules.planes import PLANES, Config, State
from parlor.rules.planes import events as ev
from parlor.rules.planes.accuracy import accuracy
from parlor.rules.planes.actions import Action, Attack, Place, Proposal, Surrender
from parlor.rules.planes.board import CELLS, SIZE, Direction, Part, Plane, cells, head, parts
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.rules.planes.ending import decide
from parlor.rules.planes.fleets import Fleet, IllegalFleet, fleet_of, fleets, pairs, placements
from parlor.rules.planes.grids import grid
from parlor.rules.planes.legal import placing_of
from parlor.rules.planes.table import Board, Ending, Revealed, Tally

Example = dict[str, Any]
Case = tuple[str, Callable[[], None]]

_HEADER = {"version", "rules"}
_SEATS = {"A": Seat(0), "B": Seat(1)}
_NAMES = "AB"
_DIRECTIONS = {direction.value.lower(): direction for direction in Direction}
_OPTIONS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "destroyRule": ("destroy_rule", lambda name: DestroyRule[name.upper()]),
    "headReveal": ("head_reveal", lambda name: HeadReveal[name.upper()]),
    "maxTimeouts": ("max_timeouts", int),
    "turnMs": ("turn_ms", int),
    "placingMs": ("placing_ms", int),
    "gameMs": ("game_ms", int),
    "pauseBudgetMs": ("pause_budget_ms", int),
}


def cases(document: dict[str, Any]) -> Iterator[Case]:
    """Every example of the file."""
    lists = {
        "geometry": _geometry,
        "placements": _placements,
        "battles": _battle,
        "timeLimit": _time_limit,
        "accuracy": _accuracy,
        "clocks": _clocks,
    }
    unknown = document.keys() - lists.keys() - _HEADER - {"counts"}
    if unknown:
        raise ValueError(f"not in this format: {sorted(unknown)}")
    for name, expected in document.get("counts", {}).items():
        yield f"counts {name}", _bound(_counts, {"name": name, "wanted": expected})
    for name, check in lists.items():
        for number, example in enumerate(document.get(name, ()), start=1):
            yield f"{name} {example.get('id', number)}", _bound(check, example)


def config_of(options: Example) -> Config:
    """The example's options, defaults filled in."""
    changes = {}
    for name, value in options.items():
        field, convert = _OPTIONS[name]
        changes[field] = convert(value)
    return replace(Config(), **changes)


def fleet_from(planes: list[Example]) -> Fleet:
    """A legal fleet of the file."""
    return tuple(
        Plane(x=plane["x"], y=plane["y"], direction=_DIRECTIONS[plane["direction"]])
        for plane in planes
    )


def _bound(check: Callable[[Example], None], example: Example) -> Callable[[], None]:
    return lambda: check(example)


def _same(got: object, wanted: object) -> None:
    if got != wanted:
        raise AssertionError(f"got {got}, wanted {wanted}")


def _counts(example: Example) -> None:
    _same(_counted()[example["name"]], example["wanted"])


@cache
def _counted() -> Example:
    """What the file counts, by enumeration."""
    planes, all_fleets = placements(), list(fleets())
    occupied = [cells(one) | cells(two) | cells(three) for one, two, three in all_fleets]
    by_direction = {
        direction: [p for p in planes if p.direction is direction] for direction in Direction
    }
    return {
        "placements": len(planes),
        "placementsPerDirection": {
            direction.value.lower(): len(found) for direction, found in by_direction.items()
        },
        "headRange": {
            direction.value.lower(): {
                "x": [min(p.x for p in found), max(p.x for p in found)],
                "y": [min(p.y for p in found), max(p.y for p in found)],
            }
            for direction, found in by_direction.items()
        },
        "disjointPairs": sum(1 for _ in pairs()),
        "disjointTriples": len(all_fleets),
        "distinctOccupiedSets": len(set(occupied)),
        "triplesByDirections": Counter(
            "+".join(sorted(plane.direction.value.lower() for plane in fleet))
            for fleet in all_fleets
        ),
        **_tables(all_fleets, occupied),
    }


def _tables(all_fleets: list[Fleet], occupied: list[int]) -> Example:
    heads = Counter(head(plane) for fleet in all_fleets for plane in fleet)
    covered = [sum(cover >> place & 1 for cover in occupied) for place in range(CELLS)]
    return {
        "occupancy": [covered[row : row + SIZE] for row in range(0, CELLS, SIZE)],
        "heads": [[heads[row + y] for y in range(SIZE)] for row in range(0, CELLS, SIZE)],
    }


def _geometry(example: Example) -> None:
    (plane,) = fleet_from([example["plane"]])
    found: dict[Part, list[list[int]]] = {part: [] for part in Part}
    for part, x, y in parts(plane):
        found[part].append([x, y])
    _same(found[Part.HEAD], [example["head"]])
    for part, name in ((Part.WING, "wings"), (Part.BODY, "body"), (Part.TAIL, "tail")):
        _same(sorted(found[part]), sorted(example[name]))


def _placements(example: Example) -> None:
    proposals = _proposals(example["planes"])
    try:
        fleet_of(proposals)
    except IllegalFleet as refusal:
        got = (refusal.reason.value, list(refusal.planes))
        _same(got, (example.get("error"), example.get("index")))
    else:
        _same(True, example.get("ok"))


def _proposals(planes: Any) -> tuple[Proposal, ...]:
    """What JSON could hold, as it reaches the rules; no array is no planes."""
    if not isinstance(planes, list):
        return ()
    return tuple(_proposal(plane if isinstance(plane, dict) else {}) for plane in planes)


def _proposal(plane: Example) -> Proposal:
    return Proposal(
        x=_integer(plane.get("x")),
        y=_integer(plane.get("y")),
        direction=_DIRECTIONS.get(str(plane.get("direction"))),
    )


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _time_limit(example: Example) -> None:
    first, second = (
        Tally(
            destroyed=example[name]["planesDestroyed"],
            hits=example[name]["hitsCount"],
            attacks=example[name]["attacksCount"],
        )
        for name in _NAMES
    )
    winner, decided_by = decide((first, second))
    _same(
        (_name(winner), decided_by.value.lower()),
        (example["winner"], example["decidedBy"]),
    )


def _accuracy(example: Example) -> None:
    _same(accuracy(example["hits"], example["attacks"]) / 100, example["accuracy"])


def _name(seat: Seat | None) -> str | None:
    return None if seat is None else _NAMES[seat]


class _Run:
    """A game driven as the engine does: the clocks due by an instant go before what happens at it."""

    def __init__(self, config: Config, chance: Chance) -> None:
        PLANES.check_config(config)
        first = PLANES.initial(config, chance, 0)
        self.state: State = first.state
        self.events: list[tuple[int, ev.Event]] = [(0, event) for event in first.events]

    def let_pass(self, until: int) -> None:
        """Advances every clock that is due by `until`."""
        while (running := PLANES.clocks(self.state)) and running[0].due <= until:
            self._keep(running[0].due, PLANES.advance(self.state, until))

    def act(self, seat: Seat, action: Action, at: int) -> str | None:
        """The reason of a refusal, or None."""
        self.let_pass(at)
        try:
            self._keep(at, PLANES.apply(self.state, seat, action, at))
        except IllegalAction as refusal:
            return refusal.reason.value
        return None

    def presence(self, seat: Seat, online: bool, at: int) -> None:
        """A lost or regained connection."""
        self.let_pass(at)
        self._keep(at, PLANES.on_presence(self.state, seat, online, at))

    def place(self, seat: Seat, fleet: Fleet, at: int) -> None:
        """A legal fleet."""
        _same(self.act(seat, placing_of(fleet, self.state.decisions[seat]), at), None)

    def attack(self, seat: Seat, x: object, y: object, at: int) -> str | None:
        """The reason of a refusal, or None."""
        self.let_pass(at)
        number = self.state.decisions[seat]
        return self.act(seat, Attack(decision=number, x=_integer(x), y=_integer(y)), at)

    def _keep(self, at: int, step: Transition[State, ev.Event]) -> None:
        self.state = step.state
        self.events += [(at, event) for event in step.events]


def _chance(first: str, auto_planes: list[Example] | None = None) -> Chance:
    draws: dict[tuple[str | int, ...], list[int]] = {("first",): [_SEATS[first]]}
    if auto_planes:
        wanted = set(fleet_from(auto_planes))
        number = next(n for n, fleet in enumerate(fleets()) if set(fleet) == wanted)
        draws |= {("fleet", seat): [number] for seat in _SEATS.values()}
    return ScriptedChance(draws)


def _battle(example: Example) -> None:
    run = _Run(config_of(example["config"]), _chance(example["first"]))
    for name, planes in example["planes"].items():
        run.place(_SEATS[name], fleet_from(planes), 0)
    for at, shot in enumerate(example["attacks"], start=1):
        before = run.state
        refused = run.attack(_SEATS[shot["player"]], shot.get("x"), shot.get("y"), at)
        _same(refused, shot.get("error"))
        if refused is None:
            executed = next(e for _, e in reversed(run.events) if isinstance(e, ev.AttackExecuted))
            _same(executed.result.value.lower(), shot["result"])
        else:
            _same(run.state, before)
    table = run.state.table
    _same({_NAMES[s]: _stats(table.tallies[s]) for s in (0, 1)}, example["stats"])
    _check_result(table.ending, example["result"])
    _same(_name(table.turn.seat) if table.turn else None, example["next"])
    for name, seen in example.get("views", {}).items():
        _check_view(run.state, name, seen)


def _stats(tally: Tally) -> Example:
    return {
        "attacksCount": tally.attacks,
        "hitsCount": tally.hits,
        "planesDestroyed": tally.destroyed,
        "accuracy": tally.accuracy / 100,
    }


def _result(ending: Ending | None) -> Example | None:
    if ending is None:
        return None
    return {
        "winner": _name(ending.winner),
        "reason": ending.reason.value,
        "decidedBy": ending.decided_by and ending.decided_by.value.lower(),
        "durationMs": ending.duration_ms,
        "totalMoves": ending.moves,
    }


def _check_result(ending: Ending | None, expected: Example | None) -> None:
    _same(_result(ending) and _given(_result(ending) or {}, expected), expected)


def _given(got: Example, wanted: Example | None) -> Example:
    """Of what there is, the fields that the file gives."""
    return {name: got.get(name) for name in wanted or got}


def _check_view(state: State, name: str, expected: Example) -> None:
    """The file's views of an ended game do not show what the end opened."""
    seen = PLANES.view(state, _SEATS.get(name))
    boards = seen.table.boards
    if name not in _SEATS:
        got = {_NAMES[seat]: _enemy(boards[seat]) for seat in (0, 1)}
        _same(got, expected["boards"])
        return
    seat = _SEATS[name]
    fleet = seen.fleets[seat]
    own = {"planes": [_plane(plane) for plane in fleet], "grid": list(grid(boards[seat], fleet))}
    _same(own, expected["own"])
    _same(_enemy(boards[1 - seat]), expected["enemy"])


def _plane(plane: Plane) -> Example:
    return {"x": plane.x, "y": plane.y, "direction": plane.direction.value.lower()}


def _enemy(board: Board) -> Example:
    return {
        "grid": list(grid(board)),
        "destroyedPlanes": len(board.revealed),
        "revealed": [_revealed(seen) for seen in board.revealed],
    }


def _revealed(seen: Revealed) -> Example:
    found: Example = {"x": seen.x, "y": seen.y}
    return found | ({"direction": seen.direction.value.lower()} if seen.direction else {})


def _clocks(example: Example) -> None:
    run = _Run(config_of(example["config"]), _chance(example["first"], example["autoPlanes"]))
    if example["placed"]:
        for seat, fleet in zip(_SEATS.values(), _BA01, strict=True):
            run.place(seat, fleet, 0)
        run.events.clear()
    for step in example["steps"]:
        _do(run, step)
    wanted = example["events"]
    listed = _ALWAYS_LISTED | {line["type"] for line in wanted}
    told = [line for at, event in run.events if (line := _told(at, event))["type"] in listed]
    _same([line["type"] for line in told], [line["type"] for line in wanted])
    _same([_given(got, line) for got, line in zip(told, wanted, strict=True)], wanted)
    tallies = run.state.table.tallies
    _same({_NAMES[s]: tallies[s].time_used_ms for s in (0, 1)}, example["timeUsedMs"])
    _same({_NAMES[s]: tallies[s].pause_budget_ms for s in (0, 1)}, example["pauseBudgetMs"])
    _check_result(run.state.table.ending, example["result"])


def _do(run: _Run, step: Example) -> None:
    at = step["t"]
    match step.get("do"):
        case None:
            run.let_pass(at)
        case "disconnect" | "reconnect" as what:
            run.presence(_SEATS[step["player"]], what == "reconnect", at)
        case "attack":
            refused = run.attack(_SEATS[step["player"]], step.get("x"), step.get("y"), at)
            _same(refused, step.get("error"))
        case "place":
            place = Place(decision=1, planes=_proposals(step["planes"]))
            _same(run.act(_SEATS[step["player"]], place, at), step.get("error"))
        case "surrender":
            _same(run.act(_SEATS[step["player"]], Surrender(), at), step.get("error"))
        case other:
            raise ValueError(f"not in this format: {other}")


def _told(at: int, event: ev.Event) -> Example:
    """The event as the file writes it."""
    told: Example = {"t": at, "type": _TYPES.get(type(event), "")}
    match event:
        case ev.GameStarted() | ev.ClocksMoved():
            return told
        case ev.Ended():
            return told | (_result(event.ending) or {})
        case ev.PresenceChanged():
            told["type"] = "player_reconnected" if event.online else "player_disconnected"
        case ev.TurnTimedOut():
            told["consecutive"] = event.consecutive
        case ev.TurnStarted():
            told |= {"remainingMs": event.remaining_ms, "paused": event.paused}
        case ev.AttackExecuted():
            told |= {"x": event.x, "y": event.y, "result": event.result.value.lower()}
        case ev.PlaneDestroyed():
            attacker, revealed = _name(event.attacker), _revealed(event.revealed)
            told |= {"attacker": attacker, "x": event.x, "y": event.y, "revealed": revealed}
        case ev.TurnPaused():
            told["remainingMs"] = event.remaining_ms
        case ev.TurnResumed():
            told |= {"remainingMs": event.remaining_ms, "reason": event.reason.value.lower()}
        case ev.PlanePlaced():
            told |= _plane(event.plane)
        case ev.PlacementCompleted():
            told["auto"] = event.auto
        case _:
            pass
    return told | {"player": _name(event.seat)}


_TYPES: dict[type, str] = {
    ev.GameStarted: "game_started",
    ev.PlanePlaced: "plane_placed",
    ev.PlacementCompleted: "placement_completed",
    ev.BattleStarted: "battle_started",
    ev.TurnStarted: "turn_started",
    ev.AttackExecuted: "attack_executed",
    ev.PlaneDestroyed: "plane_destroyed",
    ev.TurnTimedOut: "turn_timeout",
    ev.TurnPaused: "turn_paused",
    ev.TurnResumed: "turn_resumed",
    ev.Surrendered: "player_surrendered",
    ev.Ended: "game_ended",
}

_ALWAYS_LISTED = {
    "placement_completed",
    "battle_started",
    "turn_started",
    "attack_executed",
    "turn_timeout",
    "turn_paused",
    "turn_resumed",
    "player_disconnected",
    "player_reconnected",
    "game_ended",
}
"""The other types are compared only where an example has them."""

_BA01 = (
    fleet_from(
        [
            {"x": 0, "y": 2, "direction": "up"},
            {"x": 0, "y": 7, "direction": "up"},
            {"x": 9, "y": 4, "direction": "down"},
        ]
    ),
    fleet_from(
        [
            {"x": 2, "y": 0, "direction": "left"},
            {"x": 2, "y": 9, "direction": "right"},
            {"x": 5, "y": 4, "direction": "up"},
        ]
    ),
)
"""The fleets that games of `clocks` are placed with: those of the battle BA01."""

"""The games of Plane Battle that are written down."""

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.planes import PLANES, Config, State
from parlor.rules.planes.actions import Action, Attack, Surrender
from parlor.rules.planes.board import SIZE, Direction, Plane, cells, head
from parlor.rules.planes.config import DestroyRule, HeadReveal
from parlor.rules.planes.legal import open_cells, placing_of
from parlor.rules.planes.table import Phase, opponent
from parlor.wire.planes import PLANES as PLANES_WIRE
from tests.golden.transcript import Choose, Scenario
from tests.property.walks import Act, Input, Leave, Outage, Presence, Tick

THINKING_MS = 1_700

_NOSES = {direction.value[0]: direction for direction in Direction}

Line = str
"""Who does what, such as `0 place U02 U07 D94`, `turn shoot 54` or `other surrender`. `turn` is the
seat on turn, `other` the other one; `clock` alone lets the earliest clock run out."""


def follow(*lines: Line) -> Choose:
    """Follows the lines, then plays the game to its end."""
    ahead = iter(lines)

    def choose(state: State) -> tuple[Input, int] | None:
        if state.table.phase is Phase.OVER:
            return None
        line = next(ahead, None)
        return (knowing_shot(state) if line is None else _input(state, line)), THINKING_MS

    return choose


def knowing_shot(state: State) -> Act:
    """Seat 0 shoots at the planes, heads first, and seat 1 at the free cells from the top."""
    assert state.table.turn is not None
    seat = state.table.turn.seat
    board, fleet = state.table.boards[opponent(seat)], state.fleets[opponent(seat)]
    targets = list(open_cells(board))
    if seat == 0:
        noses = {head(plane) for plane in fleet}
        covered = [t for t in targets if any(cells(p) >> (t[0] * SIZE + t[1]) & 1 for p in fleet)]
        targets = sorted(covered, key=lambda t: t[0] * SIZE + t[1] not in noses) or targets
    x, y = targets[0]
    return Act(seat=seat, action=Attack(decision=state.decisions[seat], x=x, y=y))


def _input(state: State, line: Line) -> Input:
    who, *words = line.split()
    match [who, *words]:
        case ["clock"]:
            return Tick()
        case ["outage", lost_ms]:
            return Outage(lost_ms=int(lost_ms))
        case [_, "offline" | "online" as word]:
            return Presence(seat=_seat(state, who), online=word == "online")
        case [_, "leave"]:
            return Leave(seat=_seat(state, who))
        case [_, "plays"]:
            return knowing_shot(state)
    seat = _seat(state, who)
    return Act(seat=seat, action=_action(state, seat, words))


def _seat(state: State, who: str) -> Seat:
    if who.isdigit():
        return Seat(int(who))
    assert state.table.turn is not None, f"there is no {who} before the battle"
    seat = state.table.turn.seat
    return seat if who == "turn" else opponent(seat)


def _action(state: State, seat: Seat, words: list[str]) -> Action:
    decision = state.decisions[seat]
    match words:
        case ["place", *planes]:
            fleet = tuple(
                Plane(x=int(word[1]), y=int(word[2]), direction=_NOSES[word[0]]) for word in planes
            )
            return placing_of(fleet, decision)
        case ["shoot", cell]:
            return Attack(decision=decision, x=int(cell[0]), y=int(cell[1]))
        case ["surrender"]:
            return Surrender()
    raise ValueError(f"no such line: {words}")


def _scenario(name: str, title: str, seed: int, config: Config, *lines: Line) -> Scenario:
    return Scenario(
        name=f"planes-{name}",
        title=title,
        game=PLANES,
        wire=PLANES_WIRE,
        config=config,
        chance=Chance(seed=bytes([seed]) * 32, entropy=b""),
        choose=lambda: follow(*lines),
    )


def scenarios() -> list[Scenario]:
    """All of them."""
    return [
        _scenario(
            "all-cells",
            "pauses, an unused turn and an outage, then every cell of three planes",
            1,
            Config(),
            "1 place L20 R29 U54",
            "0 place U02 U07 D94",
            "turn plays",
            "turn offline",
            "turn online",
            "turn plays",
            "turn plays",
            "other offline",
            "turn plays",
            "turn online",
            "turn plays",
            "clock",
            "outage 2500",
        ),
        _scenario(
            "head-kill",
            "the server places for a late seat; only heads are shown, and three of them win",
            2,
            Config(destroy_rule=DestroyRule.HEAD_KILL),
            "0 place D42 D92 D47",
            "1 offline",
            "clock",
            "1 online",
        ),
        _scenario(
            "forfeit",
            "whole planes are shown; a seat is gone: its pauses are used up, then its turns",
            3,
            Config(
                destroy_rule=DestroyRule.HEAD_KILL, head_reveal=HeadReveal.PLANE, max_timeouts=2
            ),
            "0 place L70 L20 L75",
            "1 place U02 U07 D94",
            *["turn plays"] * 3,
            "1 offline",
            "turn shoot 00",
            "clock",
            "clock",
            "turn shoot 09",
            "clock",
        ),
        _scenario(
            "left",
            "a seat leaves while the other still places",
            4,
            Config(),
            "1 place L20 R29 U54",
            "1 leave",
        ),
    ]

"""The games of Jinxian Mahjong that are written down."""

from parlor.rules.chance import Chance
from parlor.rules.game import Seat
from parlor.rules.jinxian import JINXIAN, Config, State
from parlor.rules.jinxian.actions import (
    Action,
    Chow,
    Continue,
    Discard,
    Kong,
    Pass,
    Pong,
    StopAutoplay,
    Win,
)
from parlor.rules.jinxian.table import Phase
from parlor.rules.jinxian.tiles import kind, kinds
from parlor.wire.jinxian import JINXIAN as JINXIAN_WIRE
from tests.golden.transcript import Choose, Scenario
from tests.property.walks import Act, Input, Leave, Outage, Presence, Tick
from tests.unit.rules_jinxian.flow import HAS_79S, IDLE, WAITS_8S, scripted

THINKING_MS = 1_200

Line = str
"""Who does what, such as `0 discard 8s` or `2 pong`. `turn tosses` is the seat on turn discarding
what it drew; `clock` alone lets the earliest clock run out."""


def follow(*lines: Line) -> Choose:
    """Follows the lines, then lets clocks play the game to its end."""
    ahead = iter(lines)

    def choose(state: State) -> tuple[Input, int] | None:
        if state.table.phase is Phase.GAME_END:
            return None
        return _input(state, next(ahead, "clock")), THINKING_MS

    return choose


def _input(state: State, line: Line) -> Input:
    match line.split():
        case ["clock"]:
            return Tick()
        case ["outage", lost_ms]:
            return Outage(lost_ms=int(lost_ms))
        case ["turn", "tosses"]:
            seat, tile = state.table.active, state.drawn
            assert tile is not None
            return Act(seat=seat, action=Discard(decision=_number(state, seat), tile=tile))
        case [who, "offline" | "online" as word]:
            return Presence(seat=Seat(int(who)), online=word == "online")
        case [who, "leaves"]:
            return Leave(seat=Seat(int(who)))
        case [who, *words]:
            seat = Seat(int(who))
            return Act(seat=seat, action=_action(words, _number(state, seat)))
    raise ValueError(f"no such line: {line}")


def _number(state: State, seat: Seat) -> int:
    return state.places[seat].decision


def _action(words: list[str], number: int) -> Action:
    match words:
        case ["discard", tile]:
            return Discard(decision=number, tile=kind(tile))
        case ["kong", tile]:
            return Kong(decision=number, tile=kind(tile))
        case ["chow", tiles]:
            first, second = kinds(tiles)
            return Chow(decision=number, tiles=(first, second))
        case ["win"]:
            return Win(decision=number)
        case ["pong"]:
            return Pong(decision=number)
        case ["passes"]:
            return Pass(decision=number)
        case ["continues"]:
            return Continue(decision=number)
        case ["returns"]:
            return StopAutoplay()
    raise ValueError(f"no such line: {words}")


def _scenario(name: str, title: str, config: Config, chance: Chance, *lines: Line) -> Scenario:
    return Scenario(
        name=f"jinxian-{name}",
        title=title,
        game=JINXIAN,
        wire=JINXIAN_WIRE,
        config=config,
        chance=chance,
        choose=lambda: follow(*lines),
    )


def scenarios() -> list[Scenario]:
    """All of them."""
    return [
        _scenario(
            "robbed",
            "a beaten chow, a declined win and its lock, a pong, and the kong on it robbed",
            Config(total_rounds=1),
            scripted(
                *(IDLE, HAS_79S, "369m147p2588s113z", WAITS_8S),
                drawn="8s",
                draws="9p9p9p8s",
            ),
            "0 discard 8s",
            "1 chow 79s",
            "3 passes",
            "2 pong",
            "2 discard 9m",
            *["turn tosses"] * 3,
            "2 kong 8s",
            "3 win",
        ),
        _scenario(
            "fast",
            "a hidden kong and a win on its replacement, then a round by clocks and autoplay",
            Config(total_rounds=2, fast=True),
            scripted("123456m99p78p888s", drawn="8s", tail="6p"),
            "1 offline",
            "0 kong 8s",
            "0 win",
            *[f"{seat} continues" for seat in (0, 2, 3)],
            "clock",
            "outage 2500",
            *["clock"] * 6,
            "1 online",
            "2 leaves",
        ),
    ]

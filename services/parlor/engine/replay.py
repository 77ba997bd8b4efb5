"""A game run again from its log."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from parlor.engine.host import Host
from parlor.engine.record import SeatRecord
from parlor.rules.chance import Chance, mix
from parlor.rules.game import Seat, Transition
from parlor.v1.play_pb2 import Action


class Sitter(msgspec.Struct, frozen=True, array_like=True):
    """Who sat at a seat."""

    player: str
    name: str
    bot: bool


def sitters_of(seats: Iterable[SeatRecord]) -> tuple[Sitter, ...]:
    """Who sits there."""
    return tuple(Sitter(seat.player, seat.name, seat.bot) for seat in seats)


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a log's first line: all that the game began from."""

    config: bytes
    """The encoded `GameConfig`."""
    seed: bytes
    entropy: tuple[bytes, ...]
    """By seat."""
    offline: tuple[int, ...]
    """The seats without a connection when it began."""
    rules: int = 0
    """Version of the rules; 0 in logs of a release that did not note it."""
    sitters: tuple[Sitter, ...] = ()
    """By seat, when it began; none in such logs."""


_SITTERS: Final = msgspec.msgpack.Decoder(tuple[Sitter, ...])


@dataclass(frozen=True, slots=True)
class Executed:
    """One line of a log, executed."""

    at: int
    state: Any
    events: tuple[Any, ...]
    """The game's events, complete and not observed by anybody yet."""


def begun(host: Host, start: Start, at: int) -> tuple[Any, tuple[Any, ...]]:
    """State and events of a game's beginning."""
    config = host.config(start.config)
    chance = Chance(seed=start.seed, entropy=mix(start.entropy))
    transition = host.game.initial(config, chance, at)
    state, events = transition.state, transition.events
    for seat in start.offline:
        # The rules begin with everybody online.
        told = host.game.on_presence(state, Seat(seat), False, at)
        state, events = told.state, events + told.events
    return state, events


def start_of(line: Mapping[bytes, bytes]) -> Start:
    """What the first line of a log says."""
    return msgspec.msgpack.decode(line[b"body"], type=Start)


def start_as_ended(lines: Sequence[Mapping[bytes, bytes]]) -> Start:
    """The same of an ended game, with those who sat when it ended, as its result names them."""
    start = start_of(lines[0])
    sitters = lines[-1].get(b"sitters")
    return replace(start, sitters=_SITTERS.decode(sitters)) if sitters else start


def executed(host: Host, lines: Iterable[Mapping[bytes, bytes]]) -> Iterator[Executed]:
    """Every line of a log, one after the other; raises what the rules raise where it is not theirs."""
    state: Any = None
    for line in lines:
        at = int(line[b"at"])
        if line[b"what"] == b"start":
            state, events = begun(host, start_of(line), at)
        else:
            transition = _transition(host, state, line, at)
            state, events = transition.state, transition.events
        yield Executed(at, state, events)


def replayed(host: Host, lines: Iterable[Mapping[bytes, bytes]]) -> Any:
    """The state that a log leads to."""
    state: Any = None
    for step in executed(host, lines):
        state = step.state
    return state


def _transition(
    host: Host, state: Any, line: Mapping[bytes, bytes], at: int
) -> Transition[Any, Any]:
    what, seat, body = line[b"what"].decode(), Seat(int(line[b"seat"])), line[b"body"]
    match what:
        case "act":
            action = Action.FromString(body)
            parsed = host.wire.action_from(getattr(action, host.game.kind), action.decision)
            return host.game.apply(state, seat, parsed, at)
        case "clock":
            return host.game.advance(state, at)
        case "presence":
            return host.game.on_presence(state, seat, bool(body[0]), at)
        case "leave":
            return host.game.on_leave(state, seat, at)
        case "outage":
            return host.game.on_outage(state, int(body), at)
        case "stop":
            return host.game.dissolve(state, at)
        case _:
            raise ValueError(f"a log has no line {what!r}")

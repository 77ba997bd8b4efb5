"""A game run again from its log."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from parlor.engine.host import Host
from parlor.rules.chance import Chance, mix
from parlor.rules.game import Seat
from parlor.v1.play_pb2 import Action


class Start(msgspec.Struct, frozen=True, kw_only=True):
    """The body of a log's first line: all that the game began from."""

    config: bytes
    """The encoded `GameConfig`."""
    seed: bytes
    entropy: tuple[bytes, ...]
    """By seat."""
    offline: tuple[int, ...]
    """The seats without a connection when it began."""


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


def replayed(host: Host, lines: Iterable[Mapping[bytes, bytes]]) -> Any:
    """The state that a log leads to; raises what the rules raise where the log is not theirs."""
    state: Any = None
    for line in lines:
        what, at = line[b"what"].decode(), int(line[b"at"])
        seat, body = Seat(int(line[b"seat"])), line[b"body"]
        match what:
            case "start":
                state, _ = begun(host, msgspec.msgpack.decode(body, type=Start), at)
            case "act":
                action = Action.FromString(body)
                branch = getattr(action, host.game.kind)
                parsed = host.wire.action_from(branch, action.decision)
                state = host.game.apply(state, seat, parsed, at).state
            case "clock":
                state = host.game.advance(state, at).state
            case "presence":
                state = host.game.on_presence(state, seat, bool(body[0]), at).state
            case "leave":
                state = host.game.on_leave(state, seat, at).state
            case "outage":
                state = host.game.on_outage(state, int(body), at).state
            case "stop":
                state = host.game.dissolve(state, at).state
            case _:
                raise ValueError(f"a log has no line {what!r}")
    return state

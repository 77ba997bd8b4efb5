"""A log run again, line by line: what every audience was to see, which clock was due, how it ended.

Apart from the engine's own replay, which gives the last state only and would share its faults.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import msgspec

from parlor.engine.host import Host
from parlor.engine.replay import Start, begun
from parlor.rules.catalog import GAMES
from parlor.rules.game import Audience, IllegalAction, Outcome, Seat, Transition
from parlor.serving.keys import kind_of
from parlor.v1.play_pb2 import Action
from parlor.v1.room_pb2 import Event
from parlor.wire.catalog import WIRE
from tests.chaos.checker.finding import Finding, Kind
from tests.chaos.history import GameLog, Line


@dataclass(slots=True)
class Executed:
    """What follows from one log."""

    log: GameLog
    host: Host
    audiences: tuple[Audience, ...] = ()
    seen: dict[bytes, Mapping[Audience, list[Event]]] = field(default_factory=dict)
    """By token, what each audience was to see of the game."""
    states: dict[bytes, Any] = field(default_factory=dict)
    """By token, the game after the line."""
    clocks: dict[bytes, int] = field(default_factory=dict)
    """By token, the instant of each line of a clock."""
    seed: bytes = b""
    outcome: Outcome | None = None
    next_due: int = 0
    """The earliest clock that runs behind the last line; 0 for none."""
    findings: list[Finding] = field(default_factory=list)
    _places: dict[Audience, dict[bytes, int]] = field(default_factory=dict)

    @property
    def where(self) -> str:
        return f"{self.log.room_id}.{self.log.game_no}"

    def find(self, kind: Kind, what: str) -> None:
        """Adds a finding."""
        self.findings.append(Finding(kind, self.where, what))

    def view(self, token: bytes, audience: Audience) -> Any:
        """The game's message of what the audience may know after the line."""
        return self.host.wire.view_to(self.host.game.view(self.states[token], audience))

    def places(self, audience: Audience) -> dict[bytes, int]:
        """By token, the place of each line among those of which the audience sees something."""
        if audience not in self._places:
            visible = [token for token, seen in self.seen.items() if seen[audience]]
            self._places[audience] = {token: place for place, token in enumerate(visible)}
        return self._places[audience]


def executed(log: GameLog) -> Executed:
    """Runs the log; what is wrong with it is among the findings, and ends the run."""
    kind = kind_of(log.room_id)
    host = Host(game=GAMES[kind], wire=WIRE[kind])
    run = Executed(log, host)
    if not _rises(run):
        return run
    state: Any = None
    since = 0
    for line in log.lines:
        if state is not None:
            _check_clock(run, host, state, line, since)
        since = line.at
        try:
            step = _stepped(run, host, state, line)
        except (IllegalAction, ValueError) as error:
            run.find(Kind.LOG, f"version {line.version} {line.what}: the rules refuse it: {error}")
            return run
        state = step.state
        if line.what == "clock":
            run.clocks[line.token] = line.at
        run.states[line.token] = state
        run.seen[line.token] = {each: _observed(host, step, each) for each in run.audiences}
    run.outcome = host.game.outcome(state)
    clocks = host.game.clocks(state)
    run.next_due = clocks[0].due if clocks else 0
    return run


def _rises(run: Executed) -> bool:
    """Whether the log begins with its start, and every line has a version of its own, in order."""
    lines = run.log.lines
    if not lines or lines[0].what != "start":
        run.find(Kind.LOG, "the log does not begin with its start")
        return False
    before = len(run.findings)
    for one, two in pairwise(lines):
        if two.version <= one.version:
            run.find(Kind.LOG, f"version {two.version} comes after {one.version}")
        if two.at < one.at:
            run.find(Kind.LOG, f"version {two.version} is dated {one.at - two.at} ms back")
    if len({line.token for line in lines}) < len(lines):
        run.find(Kind.LOG, "two lines have the same token")
    return len(run.findings) == before


def _check_clock(run: Executed, host: Host, state: Any, line: Line, since: int) -> None:
    """No clock was due before the line without its own line; a clock's line has the clock's instant.

    Or that of the line before, `since`, where that one made a clock which was due already. Whoever dates a
    clock by when it was noticed gives the awaited seats more time than they have, and hides how late it was.
    """
    clocks = host.game.clocks(state)
    due = clocks[0].due if clocks else None
    if line.what == "clock":
        if due is None:
            run.find(Kind.CLOCK, f"version {line.version}: a clock acted, and none ran")
        elif due > line.at:
            run.find(
                Kind.CLOCK, f"version {line.version}: {due - line.at} ms before a clock was due"
            )
        elif line.at != max(due, since):
            late_ms = line.at - max(due, since)
            run.find(
                Kind.CLOCK, f"version {line.version}: dated {late_ms} ms after a clock's instant"
            )
    elif due is not None and due < line.at and line.what != "outage":
        # What ran out while nobody could act is moved before anything acts.
        run.find(
            Kind.CLOCK,
            f"version {line.version} {line.what}: the {clocks[0].kind} clock was due "
            f"{line.at - due} ms before and has not acted",
        )


def _stepped(run: Executed, host: Host, state: Any, line: Line) -> Transition[Any, Any]:
    """The transition of one line; raises what the rules raise."""
    game, seat = host.game, Seat(line.seat)
    match line.what:
        case "start" if state is None:
            start = msgspec.msgpack.decode(line.body, type=Start)
            seats = range(game.seats(host.config(start.config)))
            run.audiences, run.seed = (*map(Seat, seats), None), start.seed
            first, events = begun(host, start, line.at)
            return Transition(state=first, events=events)
        case "act":
            action = Action.FromString(line.body)
            parsed = host.wire.action_from(getattr(action, game.kind), action.decision)
            return game.apply(state, seat, parsed, line.at)
        case "clock":
            return game.advance(state, line.at)
        case "presence":
            return game.on_presence(state, seat, bool(line.body[0]), line.at)
        case "leave":
            return game.on_leave(state, seat, line.at)
        case "outage":
            return game.on_outage(state, int(line.body), line.at)
        case "stop":
            return game.dissolve(state, line.at)
        case _:
            raise ValueError(f"no line of a log: {line.what!r}")


def _observed(host: Host, step: Transition[Any, Any], audience: Audience) -> list[Event]:
    seen = (host.game.observe(event, audience) for event in step.events)
    return [
        Event(**{host.game.kind: host.wire.event_to(event)}) for event in seen if event is not None
    ]

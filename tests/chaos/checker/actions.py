"""Every acknowledged action is in its game's log once, in order, and nothing is there unasked."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from parlor.rules.game import Audience, Seat
from parlor.v1.play_pb2 import Action
from tests.chaos.checker.finding import Finding, Kind
from tests.chaos.history import GameLog, History, Line, Sent, Told

Move = tuple[str, int, int, bytes]
"""Room, game, seat, action. It names the decision that it answers, so no two moves are alike."""

Tokens = Mapping[tuple[str, Audience, int], bytes]
"""By room, audience and number, the token of the entry that was seen."""


@dataclass(slots=True)
class Asked:
    """One move, however often it was sent."""

    requests: set[str] = field(default_factory=set)
    acknowledged: dict[str, int] = field(default_factory=dict)
    """By request, the number of the entry that the answer names."""
    refused: dict[str, str] = field(default_factory=dict)
    """By request that was never acknowledged, why it was refused for good."""
    sent_at: float = math.inf
    """When it was asked for first."""
    told_at: float = math.inf
    """When it was acknowledged first."""


def check_actions(
    histories: Sequence[History], logs: Sequence[GameLog], tokens: Tokens
) -> tuple[int, list[Finding]]:
    """How many actions were acknowledged, and what is wrong with them."""
    moves: dict[Move, Asked] = defaultdict(Asked)
    findings: list[Finding] = []
    for history in histories:
        findings += _collect(history, moves)
    lines = _moves_of(logs)
    known = {(log.room_id, log.game_no) for log in logs if log.lines}
    for move in {**moves, **lines}:
        if move[:2] in known or moves[move].acknowledged:
            findings += _compare(move, moves[move], lines.get(move, []), tokens)
    findings += _misordered(moves, lines)
    findings += _overtaken(moves, lines)
    return sum(len(asked.acknowledged) for asked in moves.values()), findings


def _collect(history: History, moves: dict[Move, Asked]) -> Iterable[Finding]:
    """Adds what one client asked for and got; a repeat must get the answer of the first.

    That its room is gone is no other answer: whether it may be gone is for `seats.py` to say.
    """
    by_request: dict[str, Asked] = {}
    for item in history.happened:
        match item:
            case Sent() if item.action:
                asked = moves[item.room_id, item.game_no, item.seat, canonical(item.action)]
                asked.requests.add(item.request_id)
                asked.sent_at = min(asked.sent_at, item.at)
                by_request[item.request_id] = asked
            case Told() if item.accepted and item.request_id in by_request:
                asked = by_request[item.request_id]
                asked.told_at = min(asked.told_at, item.at)
                first = asked.acknowledged.setdefault(item.request_id, item.seq)
                if first != item.seq:
                    what = f"{item.request_id} was answered with {first}, then with {item.seq}"
                    yield Finding(Kind.DOUBLED, history.player, what)
            case Told() if not item.passing and item.request_id in by_request:
                asked = by_request[item.request_id]
                if item.request_id not in asked.acknowledged:
                    asked.refused[item.request_id] = item.reason
                elif item.reason != "ROOM_NOT_FOUND":
                    what = f"{item.request_id} was accepted, then refused: {item.reason}"
                    yield Finding(Kind.DOUBLED, history.player, what)


def _moves_of(logs: Sequence[GameLog]) -> dict[Move, list[Line]]:
    moves: dict[Move, list[Line]] = defaultdict(list)
    for log in logs:
        for line in log.lines:
            if line.what == "act":
                moves[log.room_id, log.game_no, line.seat, canonical(line.body)].append(line)
    return moves


def _compare(move: Move, asked: Asked, lines: Sequence[Line], tokens: Tokens) -> Iterable[Finding]:
    room_id, game_no, seat, action = move
    where = f"{room_id}.{game_no} seat {seat}"
    what = f"decision {Action.FromString(action).decision}"
    for request_id in list(asked.acknowledged)[len(lines) :]:
        yield Finding(
            Kind.LOST, where, f"{what}: {request_id} was acknowledged and is not in the log"
        )
    if lines and asked.requests and asked.requests == asked.refused.keys():
        # To the player it is undone: what stands is not what anybody was told.
        reasons = ", ".join(sorted(set(asked.refused.values())))
        yield Finding(
            Kind.LOST, where, f"{what}: refused ({reasons}), and applied at {lines[0].version}"
        )
    if len(lines) > min(1, len(asked.requests)):
        versions = [line.version for line in lines]
        yield Finding(
            Kind.DOUBLED,
            where,
            f"{what}: asked {len(asked.requests)} times, applied at versions {versions}",
        )
    for seq in asked.acknowledged.values():
        token = tokens.get((room_id, Seat(seat), seq))
        if lines and token is not None and all(line.token != token for line in lines):
            yield Finding(
                Kind.ORDER, where, f"{what}: acknowledged as number {seq}, which is another step"
            )


def _misordered(
    moves: Mapping[Move, Asked], lines: Mapping[Move, Sequence[Line]]
) -> Iterable[Finding]:
    """Of one seat, what was acknowledged with a higher number has the higher version."""
    numbered: dict[tuple[str, int, int], list[tuple[int, int]]] = defaultdict(list)
    for move, asked in moves.items():
        for seq in asked.acknowledged.values():
            if seq and len(lines.get(move, ())) == 1:
                numbered[move[:3]].append((seq, lines[move][0].version))
    for (room_id, game_no, seat), pairs in numbered.items():
        versions = [version for _, version in sorted(pairs)]
        if versions != sorted(versions):
            yield Finding(
                Kind.ORDER, f"{room_id}.{game_no} seat {seat}", f"versions {versions} by number"
            )


def _overtaken(
    moves: Mapping[Move, Asked], lines: Mapping[Move, Sequence[Line]]
) -> Iterable[Finding]:
    """Whatever seat asks once another's move was acknowledged comes behind that, also where neither saw anything."""
    acknowledged: dict[tuple[str, int], list[tuple[float, int]]] = defaultdict(list)
    asked_for: dict[tuple[str, int], list[tuple[float, int]]] = defaultdict(list)
    for move, asked in moves.items():
        if len(lines.get(move, ())) == 1:
            version = lines[move][0].version
            asked_for[move[:2]].append((asked.sent_at, version))
            if asked.acknowledged:
                acknowledged[move[:2]].append((asked.told_at, version))
    for game, asked_then in asked_for.items():
        told, newest = iter(sorted(acknowledged[game])), 0
        told_at, told_version = next(told, (math.inf, 0))
        for sent_at, version in sorted(asked_then):
            while told_at < sent_at:
                newest = max(newest, told_version)
                told_at, told_version = next(told, (math.inf, 0))
            if version < newest:
                what = f"version {version} was asked for when {newest} had been acknowledged"
                yield Finding(Kind.ORDER, f"{game[0]}.{game[1]}", what)


def canonical(action: bytes) -> bytes:
    """The action's one encoding, whatever client sent it."""
    return Action.FromString(action).SerializeToString(deterministic=True)

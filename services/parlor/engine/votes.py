"""The vote on ending a running game: who is asked, and what their silence means."""

from dataclasses import replace

from parlor.engine import events, turns
from parlor.engine.host import Host
from parlor.engine.record import Room, RoomRecord, SeatRecord, Status, Vote
from parlor.engine.step import Refused, Step
from parlor.rules.game import Seat
from parlor.v1 import play_pb2
from parlor.v1.error_reason_pb2 import ErrorReason


def dissolve(host: Host, room: Room, seat: Seat, answer: play_pb2.Dissolve, at: int) -> Step:
    """A seat asks to end the game, or answers; raises Refused: WRONG_STATUS."""
    record = room.record
    if record.status is not Status.PLAYING:
        raise Refused(ErrorReason.ERROR_REASON_WRONG_STATUS, "no game runs")
    if not answer.agree:
        if record.vote is None:
            raise Refused(ErrorReason.ERROR_REASON_WRONG_STATUS, "no vote runs")
        return _failed(room)
    vote = record.vote or Vote(proposer=seat, agreed=(), due=at + host.limits.vote_ms)
    vote = replace(vote, agreed=tuple(sorted({*vote.agreed, int(seat)})))
    if _asked(host, record) <= set(vote.agreed):
        return turns.dissolve(host, room, at)
    if vote == record.vote:
        return Step(room=room)
    return Step(room=room.but(vote=vote), happenings=(events.dissolve_changed(vote),))


def counted(host: Host, step: Step, at: int) -> Step:
    """The step by which somebody went, with the vote due at once that waited for nobody else."""
    vote = step.room.record.vote
    if vote is None or not _is_carried(host, step.room.record, vote):
        return step
    # As a clock, for the end of the game is a step of its own, with its own line in the log.
    vote = replace(vote, due=at)
    happenings = (*step.happenings, events.dissolve_changed(vote))
    return replace(step, room=step.room.but(vote=vote), happenings=happenings)


def run_out(host: Host, room: Room, vote: Vote, at: int) -> Step:
    """The vote's limit is over, and nobody has refused."""
    passes = host.game.silence_agrees or _is_carried(host, room.record, vote)
    return turns.dissolve(host, room, at) if passes else _failed(room)


def _is_carried(host: Host, record: RoomRecord, vote: Vote) -> bool:
    """Whether somebody is there, and all who are have agreed."""
    asked = _asked(host, record)
    return bool(asked) and asked <= set(vote.agreed)


def _asked(host: Host, record: RoomRecord) -> set[int]:
    """The seats whose answers the vote waits for."""
    return {index for index, place in enumerate(record.seats) if _is_asked(host, place)}


def _is_asked(host: Host, place: SeatRecord) -> bool:
    """Whether the vote waits for the seat's answer: bots and players who left for good give none."""
    is_there = not place.bot and not place.left
    return is_there and (place.online or not host.game.silence_agrees)


def _failed(room: Room) -> Step:
    return Step(room=room.but(vote=None), happenings=(events.dissolve_changed(None),))

"""Answers to commands as encoded frames, and the memory of those given before."""

import hashlib

from parlor.engine.record import Room
from parlor.engine.step import Refused
from parlor.engine.store import REPEATS, Answered, Stored
from parlor.v1 import play_pb2
from parlor.v1.error_reason_pb2 import ErrorReason


def accepted(request_id: str, before: Room, after: Room, player: str) -> bytes:
    """The answer to a command that was carried out, with the sender's number of the entry it caused."""
    seat = after.seat_of(player)
    seq = 0
    if seat is not None and after.record.heads[seat] != before.record.heads[seat]:
        seq = after.record.heads[seat].seq
    answer = play_pb2.Answer(
        request_id=request_id,
        room_id=after.record.room_id,
        accepted=play_pb2.Accepted(seat=seat, seq=seq),
    )
    return play_pb2.ServerFrame(answer=answer).SerializeToString()


def refused(request_id: str, room_id: str, refusal: play_pb2.Refusal) -> bytes:
    """The answer to a command that changed nothing."""
    answer = play_pb2.Answer(request_id=request_id, room_id=room_id, refused=refusal)
    return play_pb2.ServerFrame(answer=answer).SerializeToString()


def refusal(
    reason: "ErrorReason.ValueType", message: str, metadata: dict[str, str] | None = None
) -> play_pb2.Refusal:
    """A refusal as a message."""
    return play_pb2.Refusal(reason=reason, message=message, metadata=metadata)


def digest(command: play_pb2.Command) -> bytes:
    """What tells a repeated command from another one with the same id."""
    return hashlib.blake2b(command.SerializeToString(deterministic=True), digest_size=8).digest()


def remembered(stored: Stored, player: str, command: play_pb2.Command) -> bytes | None:
    """The answer that this command got before, or None; raises Refused where its id was used for another."""
    for answered in stored.answered(player):
        if answered.request_id == command.request_id:
            if answered.digest != digest(command):
                raise Refused(
                    ErrorReason.ERROR_REASON_REQUEST_ID_REUSED,
                    "this request_id was accepted before with other content",
                )
            return answered.frame
    return None


def remembering(
    stored: Stored, player: str, command: play_pb2.Command, frame: bytes
) -> tuple[Answered, ...]:
    """What is remembered of the player once `frame` is the answer to `command`."""
    kept = stored.answered(player)[-(REPEATS - 1) :]
    new = Answered(request_id=command.request_id, digest=digest(command), frame=frame)
    return (*kept, new)

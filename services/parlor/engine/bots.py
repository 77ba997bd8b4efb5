"""Bots for the free seats of a room: they are invited, and come as players do."""

from parlor.engine import answers
from parlor.engine.commands import invited
from parlor.engine.lanes import Lanes
from parlor.engine.step import Refused
from parlor.serving.invitations import PAUSE_MS, Invitation, Invitations, Sent
from parlor.v1 import play_pb2
from parlor.v1.engine_service_pb2 import Player
from parlor.v1.error_reason_pb2 import ErrorReason


async def add_bots(
    lanes: Lanes, invitations: Invitations, player: Player, command: play_pb2.Command
) -> bytes:
    """Invites bots and gives the encoded answer; raises Refused, RoomGone or Redis' errors.

    Nothing of the room changes, so there is no step: a repeat finds its own invitations.
    """
    async with lanes.entered(command.room_id) as lane:
        room = (await lanes.fresh(lane, command.room_id)).room
    count = invited(room, player, command.add_bots)
    invitation = Invitation(command.room_id, link_token=room.record.link_token)
    match await invitations.send(invitation, count, command.request_id):
        case Sent.NOBODY:
            raise Refused(ErrorReason.ERROR_REASON_NO_BOTS, "no bots are free")
        case Sent.AGAIN:
            raise Refused(
                ErrorReason.ERROR_REASON_TOO_FAST,
                "the room has asked a moment ago",
                {"retry_after_ms": str(PAUSE_MS)},
            )
        case Sent.SENT:
            return answers.accepted(command.request_id, room, room, player.player)

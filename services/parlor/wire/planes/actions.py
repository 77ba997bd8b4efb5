"""What a seat asks."""

from typing import assert_never

from parlor.rules.planes.actions import Action, Attack, Place, Proposal, Surrender
from parlor.rules.planes.board import Direction
from parlor.v1 import planes_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.planes.values import direction_to

_KNOWN: dict[int, Direction] = {direction_to(direction): direction for direction in Direction}


def action_from(message: pb.PlanesAction, decision: int) -> Action:
    """The action; raises `Malformed` where none is set. What a plane lacks is the rules' to judge."""
    match message.WhichOneof("action"):
        case "place":
            planes = tuple(_proposal_from(plane) for plane in message.place.planes)
            return Place(decision=decision, planes=planes)
        case "attack":
            attack = message.attack
            return Attack(
                decision=decision,
                x=attack.x if attack.HasField("x") else None,
                y=attack.y if attack.HasField("y") else None,
            )
        case "surrender":
            return Surrender(decision=decision)
        case None:
            raise Malformed("action", "one must be set")


def action_to(action: Action) -> pb.PlanesAction:
    """The action without its decision."""
    match action:
        case Place():
            planes = [_proposal_to(plane) for plane in action.planes]
            return pb.PlanesAction(place=pb.PlanesPlace(planes=planes))
        case Attack():
            return pb.PlanesAction(attack=pb.PlanesAttack(x=action.x, y=action.y))
        case Surrender():
            return pb.PlanesAction(surrender=pb.PlanesSurrender())
        case _:
            assert_never(action)


def _proposal_from(message: pb.PlanesProposal) -> Proposal:
    return Proposal(
        x=message.x if message.HasField("x") else None,
        y=message.y if message.HasField("y") else None,
        direction=_KNOWN.get(message.direction),
    )


def _proposal_to(proposal: Proposal) -> pb.PlanesProposal:
    return pb.PlanesProposal(x=proposal.x, y=proposal.y, direction=direction_to(proposal.direction))

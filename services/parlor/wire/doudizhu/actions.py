"""What a seat asks."""

from typing import assert_never

from parlor.rules.doudizhu.actions import (
    Action,
    Bid,
    Call,
    Claim,
    Consent,
    Double,
    Pass,
    Play,
    Rob,
    SetAutoplay,
    Show,
    Surrender,
)
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.doudizhu.values import SHAPES


def action_from(message: pb.DouDizhuAction, decision: int) -> Action:
    """The action; raises `Malformed` where none is set."""
    match message.WhichOneof("action"):
        case "bid":
            return Bid(decision=decision, bid=message.bid)
        case "call":
            return Call(decision=decision, call=message.call)
        case "rob":
            return Rob(decision=decision, rob=message.rob)
        case "double_stake":
            return Double(decision=decision, double=message.double_stake)
        case "play":
            return _play_from(message.play, decision)
        case "pass_turn":
            return Pass(decision=decision)
        case "consent":
            return Consent(decision=decision, consent=message.consent)
        case "show":
            return Show(decision=decision)
        case "surrender":
            return Surrender(decision=decision)
        case "autoplay":
            return SetAutoplay(decision=decision, on=message.autoplay)
        case None:
            raise Malformed("action", "one must be set")


def action_to(action: Action) -> pb.DouDizhuAction:
    """The action without its decision."""
    match action:
        case Bid():
            return pb.DouDizhuAction(bid=action.bid)
        case Call():
            return pb.DouDizhuAction(call=action.call)
        case Rob():
            return pb.DouDizhuAction(rob=action.rob)
        case Double():
            return pb.DouDizhuAction(double_stake=action.double)
        case Play():
            return pb.DouDizhuAction(play=_play_to(action))
        case Pass():
            return pb.DouDizhuAction(pass_turn=pb.DouDizhuPass())
        case Consent():
            return pb.DouDizhuAction(consent=action.consent)
        case Show():
            return pb.DouDizhuAction(show=pb.DouDizhuShow())
        case Surrender():
            return pb.DouDizhuAction(surrender=pb.DouDizhuSurrender())
        case SetAutoplay():
            return pb.DouDizhuAction(autoplay=action.on)
        case _:
            assert_never(action)


def _play_from(message: pb.DouDizhuPlay, decision: int) -> Play:
    claim = None
    if message.HasField("claim"):
        shape = SHAPES.member(message.claim.shape, "play.claim.shape")
        claim = Claim(shape=shape, value=message.claim.value)
    return Play(decision=decision, cards=tuple(message.cards), claim=claim)


def _play_to(action: Play) -> pb.DouDizhuPlay:
    claim = action.claim
    return pb.DouDizhuPlay(
        cards=action.cards,
        claim=None
        if claim is None
        else pb.DouDizhuClaim(shape=SHAPES.number(claim.shape), value=claim.value),
    )

"""What a seat asks."""

from typing import assert_never

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
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire import Malformed
from parlor.wire.jinxian.values import chow_from, chow_to


def action_from(message: pb.JinxianAction, decision: int) -> Action:
    """The action; raises `Malformed` where none is set."""
    match message.WhichOneof("action"):
        case "discard":
            return Discard(decision=decision, tile=message.discard)
        case "kong":
            return Kong(decision=decision, tile=message.kong)
        case "win":
            return Win(decision=decision)
        case "chow":
            return Chow(decision=decision, tiles=chow_from(message.chow, "chow.tiles"))
        case "pong":
            return Pong(decision=decision)
        case "pass_claim":
            return Pass(decision=decision)
        case "continue_game":
            return Continue(decision=decision)
        case "stop_autoplay":
            return StopAutoplay(decision=decision)
        case None:
            raise Malformed("action", "one must be set")


def action_to(action: Action) -> pb.JinxianAction:
    """The action without its decision."""
    match action:
        case Discard():
            return pb.JinxianAction(discard=action.tile)
        case Kong():
            return pb.JinxianAction(kong=action.tile)
        case Win():
            return pb.JinxianAction(win=pb.JinxianWin())
        case Chow():
            return pb.JinxianAction(chow=chow_to(action.tiles))
        case Pong():
            return pb.JinxianAction(pong=pb.JinxianPong())
        case Pass():
            return pb.JinxianAction(pass_claim=pb.JinxianPass())
        case Continue():
            return pb.JinxianAction(continue_game=pb.JinxianContinue())
        case StopAutoplay():
            return pb.JinxianAction(stop_autoplay=pb.JinxianStopAutoplay())
        case _:
            assert_never(action)

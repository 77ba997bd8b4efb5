"""The messages of Jinxian Mahjong (`parlor/v1/jinxian.proto`)."""

from parlor.rules.jinxian.actions import Action
from parlor.rules.jinxian.config import Config
from parlor.rules.jinxian.events import Event
from parlor.rules.jinxian.view import View
from parlor.v1 import jinxian_pb2 as pb
from parlor.wire.jinxian.actions import action_from, action_to
from parlor.wire.jinxian.config import config_from, config_to
from parlor.wire.jinxian.events import event_from, event_to
from parlor.wire.jinxian.views import view_from, view_to

__all__ = ["JINXIAN", "JinxianWire"]


class JinxianWire:
    """`parlor.wire.game.WireGame` for Jinxian Mahjong."""

    kind = "jinxian"

    def config_from(self, message: pb.JinxianConfig) -> Config:
        return config_from(message)

    def config_to(self, config: Config) -> pb.JinxianConfig:
        return config_to(config)

    def action_from(self, message: pb.JinxianAction, decision: int) -> Action:
        return action_from(message, decision)

    def action_to(self, action: Action) -> pb.JinxianAction:
        return action_to(action)

    def event_from(self, message: pb.JinxianEvent) -> Event:
        return event_from(message)

    def event_to(self, event: Event) -> pb.JinxianEvent:
        return event_to(event)

    def view_from(self, message: pb.JinxianView) -> View:
        return view_from(message)

    def view_to(self, view: View) -> pb.JinxianView:
        return view_to(view)


JINXIAN = JinxianWire()

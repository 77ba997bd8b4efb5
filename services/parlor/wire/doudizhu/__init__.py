"""The messages of Dou Dizhu (`parlor/v1/doudizhu.proto`)."""

from parlor.rules.doudizhu.actions import Action
from parlor.rules.doudizhu.config import Config
from parlor.rules.doudizhu.events import Event
from parlor.rules.doudizhu.view import View
from parlor.v1 import doudizhu_pb2 as pb
from parlor.wire.doudizhu.actions import action_from, action_to
from parlor.wire.doudizhu.config import config_from, config_to
from parlor.wire.doudizhu.events import event_from, event_to
from parlor.wire.doudizhu.views import view_from, view_to

__all__ = ["DOUDIZHU", "DouDizhuWire"]


class DouDizhuWire:
    """`parlor.wire.game.WireGame` for Dou Dizhu."""

    kind = "doudizhu"

    def config_from(self, message: pb.DouDizhuConfig) -> Config:
        return config_from(message)

    def config_to(self, config: Config) -> pb.DouDizhuConfig:
        return config_to(config)

    def action_from(self, message: pb.DouDizhuAction, decision: int) -> Action:
        return action_from(message, decision)

    def action_to(self, action: Action) -> pb.DouDizhuAction:
        return action_to(action)

    def event_from(self, message: pb.DouDizhuEvent) -> Event:
        return event_from(message)

    def event_to(self, event: Event) -> pb.DouDizhuEvent:
        return event_to(event)

    def view_from(self, message: pb.DouDizhuView) -> View:
        return view_from(message)

    def view_to(self, view: View) -> pb.DouDizhuView:
        return view_to(view)


DOUDIZHU = DouDizhuWire()

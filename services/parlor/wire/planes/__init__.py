"""The messages of Plane Battle (`parlor/v1/planes.proto`)."""

from parlor.rules.planes.actions import Action
from parlor.rules.planes.config import Config
from parlor.rules.planes.events import Event
from parlor.rules.planes.view import View
from parlor.v1 import planes_pb2 as pb
from parlor.wire.planes.actions import action_from, action_to
from parlor.wire.planes.config import config_from, config_to
from parlor.wire.planes.events import event_from, event_to
from parlor.wire.planes.views import view_from, view_to

__all__ = ["PLANES", "PlanesWire"]


class PlanesWire:
    """`parlor.wire.game.WireGame` for Plane Battle."""

    kind = "planes"

    def config_from(self, message: pb.PlanesConfig) -> Config:
        return config_from(message)

    def config_to(self, config: Config) -> pb.PlanesConfig:
        return config_to(config)

    def action_from(self, message: pb.PlanesAction, decision: int) -> Action:
        return action_from(message, decision)

    def action_to(self, action: Action) -> pb.PlanesAction:
        return action_to(action)

    def event_from(self, message: pb.PlanesEvent) -> Event:
        return event_from(message)

    def event_to(self, event: Event) -> pb.PlanesEvent:
        return event_to(event)

    def view_from(self, message: pb.PlanesView) -> View:
        return view_from(message)

    def view_to(self, view: View) -> pb.PlanesView:
        return view_to(view)


PLANES = PlanesWire()

"""The games inside a room's messages, as their rules see them."""

from typing import Any

from parlor.rules.catalog import GAMES
from parlor.rules.game import Audience, Seat
from parlor.v1.play_pb2 import Action
from parlor.v1.room_pb2 import Event, GameConfig, RoomView
from parlor.wire.catalog import WIRE


def kind_of(view: RoomView) -> str:
    """The kind of game that the room plays."""
    return view.config.WhichOneof("game") or ""


def config_of(view: RoomView) -> Any:
    """The options that the room plays with."""
    return _config(view.config)


def seats_of(config: GameConfig) -> int:
    """How many seats a table with these options has."""
    return GAMES[config.WhichOneof("game") or ""].seats(_config(config))


def config_message(kind: str, config: Any) -> GameConfig:
    """Options of a game as they are asked for, every one written out."""
    return GameConfig(**{kind: WIRE[kind].config_to(config)})


def view_of(view: RoomView) -> Any:
    """The game in a room's view; None before the first deal."""
    kind = view.WhichOneof("game")
    return None if kind is None else WIRE[kind].view_from(getattr(view, kind))


def strip(view: RoomView) -> None:
    """Takes the game out of a room's view, where it would grow old."""
    kind = view.WhichOneof("game")
    if kind is not None:
        view.ClearField(kind)


def event_of(event: Event) -> Any:
    """The game's event in a room's event; None for an event of the room itself."""
    kind: str = event.WhichOneof("event") or ""
    return WIRE[kind].event_from(getattr(event, kind)) if kind in WIRE else None


def action_message(view: RoomView, action: Any) -> Action:
    """An action of the room's game, with the decision that it answers."""
    kind = kind_of(view)
    return Action(decision=action.decision, **{kind: WIRE[kind].action_to(action)})


def folded(game_view: Any, event: Event) -> Any:
    """The game's view after one of its events."""
    kind = event.WhichOneof("event") or ""
    return GAMES[kind].fold(game_view, event_of(event))


def before(view: RoomView) -> Any:
    """The view of a game that has just begun, for its own first events to be folded over."""
    audience: Audience = Seat(view.seat) if view.HasField("seat") else None
    return GAMES[kind_of(view)].before(config_of(view), audience)


def _config(message: GameConfig) -> Any:
    kind = message.WhichOneof("game") or ""
    return WIRE[kind].config_from(getattr(message, kind))

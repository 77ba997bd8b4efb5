"""The games inside a room's messages, as their rules see them."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from parlor.rules.catalog import GAMES
from parlor.rules.doudizhu.config import Config as DouDizhuConfig
from parlor.rules.doudizhu.dealing import is_classic
from parlor.rules.doudizhu.table import Phase, Table
from parlor.rules.doudizhu.view import View as DouDizhuView
from parlor.rules.game import Audience, Seat
from parlor.v1.play_pb2 import Action
from parlor.v1.room_pb2 import Event, GameConfig, RoomView
from parlor.wire.catalog import WIRE


def kind_of(view: RoomView) -> str:
    """The kind of game that the room plays."""
    return view.config.WhichOneof("game") or ""


def config_of(view: RoomView) -> Any:
    """The options that the room plays with."""
    kind = kind_of(view)
    return WIRE[kind].config_from(getattr(view.config, kind))


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


def before_deal(view: RoomView) -> Any:
    """The view of a game that has just begun, for its own first events to be folded over.

    None where the game's kind has no such view: then it has to be asked for.
    """
    kind = kind_of(view)
    if kind not in _BEFORE_DEAL:
        return None
    audience: Audience = Seat(view.seat) if view.HasField("seat") else None
    return _BEFORE_DEAL[kind](config_of(view), audience)


def _doudizhu_before_deal(config: DouDizhuConfig, audience: Audience) -> DouDizhuView:
    phase = Phase.PLAYING if is_classic(config) else Phase.BIDDING
    return DouDizhuView(config=config, seat=audience, table=Table(phase=phase), hands=((), (), ()))


_BEFORE_DEAL: Final[Mapping[str, Callable[[Any, Audience], Any]]] = {
    "doudizhu": _doudizhu_before_deal
}

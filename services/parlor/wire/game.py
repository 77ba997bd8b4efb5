"""What generic code needs of one game's messages."""

from typing import Any, Protocol


class WireGame(Protocol):
    """One game's messages to its dataclasses and back.

    Messages are those of the game's branch (`DouDizhuAction`, not `Action`), dataclasses those of
    its rules; the caller looks into neither. The `…_from` methods raise `Malformed`. Events and
    views are those that an audience has observed, never complete ones.
    """

    kind: str
    """As `Game.kind`; also the name of the game's branch in the common messages."""

    def config_from(self, message: Any) -> Any:
        """The options, defaults filled in; their ranges are the rules' to check."""

    def config_to(self, config: Any) -> Any:
        """The options, every one of them set."""

    def action_from(self, message: Any, decision: int) -> Any:
        """The action; `decision` stands in the common header."""

    def action_to(self, action: Any) -> Any:
        """The action without its decision."""

    def event_from(self, message: Any) -> Any:
        """The observed event."""

    def event_to(self, event: Any) -> Any:
        """The observed event."""

    def view_from(self, message: Any) -> Any:
        """The view."""

    def view_to(self, view: Any) -> Any:
        """The view."""

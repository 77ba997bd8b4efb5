"""What a seat of Jinxian Mahjong may not know: others' tiles, and what they say to an offered tile.

Tiles of a kind are all alike, so a tile is judged by where it stands and not by which it is: a hand
or a draw belongs to one seat until its round is over, and so does a concealed kong where the room
hides it. The wall has no place in any message; it follows from the seed, which the room keeps.
"""

from collections.abc import Callable, Sequence
from typing import Final

from parlor.v1.jinxian_pb2 import (
    JinxianConfig,
    JinxianEvent,
    JinxianHand,
    JinxianMeld,
    JinxianMeldType,
    JinxianQuestion,
    JinxianTable,
    JinxianView,
)

_CLAIM = JinxianQuestion.JINXIAN_QUESTION_CLAIM
_CONCEALED = JinxianMeldType.JINXIAN_MELD_TYPE_CONCEALED_KONG

_PUBLIC: Final = frozenset(
    {
        "dealer_chosen",
        "phase_changed",
        "jing_turned",
        "reminded",
        "discarded",
        "kong_declared",
        "booked",
        "round_ended",
        "continued",
        "autoplay_changed",
        "presence_changed",
        "seat_left",
        "clocks_moved",
        "ended",
    }
)
"""Events that everybody sees as they are."""


class JinxianLeaks:
    """`parlor.cli.leaks.room.GameLeaks` for Jinxian Mahjong."""

    def __init__(self, config: JinxianConfig, leak: Callable[[str], None]) -> None:
        self._leak = leak
        unsaid = not config.HasField("concealed_kong_hidden")
        self._hides_kongs = unsaid or config.concealed_kong_hidden

    def begin(self) -> None:
        """Nothing is remembered: what a frame may show does not depend on those before."""

    def see(self, view: JinxianView, seat: int | None) -> None:
        self._see_own(view, seat)
        self._see_table(view.table, seat)

    def hear(self, event: JinxianEvent, seat: int | None) -> None:
        match event.WhichOneof("event"):
            case "dealt":
                self._check_hands(event.dealt.hands, seat, "the dealt hand")
                if event.dealt.HasField("drawn") and event.dealt.dealer != seat:
                    self._leak("the dealer's last tile")
            case "drawn":
                if event.drawn.HasField("tile") and event.drawn.seat != seat:
                    self._leak("a tile that another seat has drawn")
            case "asked":
                if event.asked.question == _CLAIM and event.asked.seats:
                    self._leak("whom an offered tile is offered to")
                if any(ask.seat != seat for ask in event.asked.asks):
                    self._leak("what another seat is asked")
            case "answered":
                if event.answered.seat != seat:
                    self._leak("another seat's answer to an offered tile")
            case "melded":
                self._check_meld(event.melded.meld, event.melded.seat, seat)
            case kind if kind not in _PUBLIC:
                self._leak(f"{kind}, of which nobody said that it is public")

    def _see_own(self, view: JinxianView, seat: int | None) -> None:
        """A view's own part: nobody's where a spectator looks."""
        is_asked = view.HasField("prompt") or view.HasField("answer") or view.passed
        if seat is None and (view.hand or view.HasField("drawn") or is_asked):
            self._leak("a seat's own part in a spectator's view")
        elif view.HasField("drawn") and view.drawn not in view.hand:
            self._leak("a drawn tile that is not in the own hand")

    def _see_table(self, table: JinxianTable, seat: int | None) -> None:
        if table.deadline.question == _CLAIM and table.deadline.seats:
            self._leak("whom an offered tile is offered to")
        if table.history and table.history[-1].number == table.round:
            # The round is over, and all hands and melds are open.
            return
        self._check_hands(table.shown, None, "the shown hand")
        for owner, melds in enumerate(table.melds):
            for meld in melds.melds:
                self._check_meld(meld, owner, seat)

    def _check_hands(self, hands: Sequence[JinxianHand], seat: int | None, which: str) -> None:
        for owner, hand in enumerate(hands):
            if hand.tiles and owner != seat:
                self._leak(f"{which} of seat {owner}")

    def _check_meld(self, meld: JinxianMeld, owner: int, seat: int | None) -> None:
        if self._hides_kongs and meld.type == _CONCEALED and meld.tiles and owner != seat:
            self._leak(f"the concealed kong of seat {owner}")

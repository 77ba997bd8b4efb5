"""What a seat of Dou Dizhu may not know: cards that are neither its own nor on the table.

What a frame itself makes public (a play, the landlord's bottom cards, a shown hand, the end) is
public from then on; any other card in a frame has to be one of the player's own, or it has leaked.
"""

from collections.abc import Callable, Iterable

from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuEvent, DouDizhuPhase, DouDizhuView

OVER = DouDizhuPhase.DOU_DIZHU_PHASE_OVER


class DouDizhuLeaks:
    """`parlor.cli.leaks.room.GameLeaks` for Dou Dizhu."""

    def __init__(self, _config: DouDizhuConfig, leak: Callable[[str], None]) -> None:
        self._leak = leak
        self._own: set[int] = set()
        self._public: set[int] = set()
        self._landlord: int | None = None

    def begin(self) -> None:
        self._own, self._public, self._landlord = set(), set(), None

    def see(self, view: DouDizhuView, seat: int | None) -> None:
        table = view.table
        self._landlord = table.landlord if table.HasField("landlord") else None
        if self._landlord is not None:
            self._public.update(table.bottom)
        elif table.bottom:
            self._leak("bottom cards before the landlord is known")
        self._public.update(card for entry in table.history for card in entry.cards)
        for owner, hand in enumerate(view.hands):
            is_shown = table.shown and owner == self._landlord
            if owner == seat:
                self._own.update(hand.cards)
            elif table.phase == OVER or is_shown:
                self._public.update(hand.cards)
            else:
                self._check(hand.cards, f"a view's hand of seat {owner}")
        self._check(table.trick.cards, "a trick that nobody played")

    def hear(self, event: DouDizhuEvent, seat: int | None) -> None:
        match event.WhichOneof("event"):
            case "dealt":
                self.begin()
                for owner, hand in enumerate(event.dealt.hands):
                    if owner == seat:
                        self._own.update(hand.cards)
                    else:
                        self._check(hand.cards, f"the dealt hand of seat {owner}")
            case "landlord_chosen":
                self._landlord = event.landlord_chosen.seat
                self._public.update(event.landlord_chosen.bottom)
            case "cards_shown":
                self._public.update(event.cards_shown.cards)
            case "played":
                self._public.update(event.played.cards)
            case "ended":
                for hand in event.ended.hands:
                    self._public.update(hand.cards)
            case "double_chosen" if event.double_chosen.seat != seat:
                self._leak("another seat's choice to double")
            case "offer_made" | "offer_refused" if seat in (None, self._landlord):
                self._leak("the peasants' offer to surrender")

    def _check(self, cards: Iterable[int], where: str) -> None:
        hidden = set(cards) - self._own - self._public
        if hidden:
            self._leak(f"{len(hidden)} cards in {where}")

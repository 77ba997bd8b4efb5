"""Whether a player was shown what it may not know: an independent look at every frame received.

Nothing of the rules' views is used. What a frame itself makes public (a play, the landlord's bottom
cards, a shown hand, the end) is public from then on; any other card in a frame has to be one of the
player's own, or it has leaked. So has the seed of a game that still runs.
"""

import hashlib
from collections.abc import Iterable

from parlor.v1.doudizhu_pb2 import DouDizhuEvent, DouDizhuPhase, DouDizhuView
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import Event, RoomView

OVER = DouDizhuPhase.DOU_DIZHU_PHASE_OVER


class LeakCheck:
    """What one player has been shown in one room; `leaks` counts what it should not have been."""

    def __init__(self) -> None:
        self.leaks: list[str] = []
        self._seat: int | None = None
        self._own: set[int] = set()
        self._public: set[int] = set()
        self._landlord: int | None = None
        self._commitment = b""

    def hear(self, frame: ServerFrame) -> None:
        """Looks at one frame."""
        match frame.WhichOneof("frame"):
            case "view":
                self._hear_view(frame.view)
            case "entry":
                for event in frame.entry.events:
                    self._hear_event(event)

    def _hear_view(self, view: RoomView) -> None:
        self._seat = view.seat if view.HasField("seat") else None
        self._commitment = view.commitment
        self._check_seed(view.result.seed)
        if view.HasField("doudizhu"):
            self._own, self._public = set(), set()
            self._hear_game(view.doudizhu)

    def _hear_game(self, view: DouDizhuView) -> None:
        table = view.table
        self._landlord = table.landlord if table.HasField("landlord") else None
        if self._landlord is not None:
            self._public.update(table.bottom)
        elif table.bottom:
            self._leak("bottom cards before the landlord is known")
        deal_cards = [card for entry in table.history for card in entry.cards]
        self._public.update(deal_cards)
        for seat, hand in enumerate(view.hands):
            is_shown = table.shown and seat == self._landlord
            if seat == self._seat:
                self._own.update(hand.cards)
            elif table.phase == OVER or is_shown:
                self._public.update(hand.cards)
            else:
                self._check(hand.cards, f"a view's hand of seat {seat}")
        self._check(table.trick.cards, "a trick that nobody played")

    def _hear_event(self, event: Event) -> None:
        match event.WhichOneof("event"):
            case "ready_opened":
                self._commitment = event.ready_opened.commitment
            case "game_started":
                self._commitment = event.game_started.commitment
                self._own, self._public, self._landlord = set(), set(), None
            case "seat_changed":
                pass
            case "doudizhu":
                self._hear_move(event.doudizhu)

    def _hear_move(self, event: DouDizhuEvent) -> None:
        match event.WhichOneof("event"):
            case "dealt":
                self._own, self._public, self._landlord = set(), set(), None
                for seat, hand in enumerate(event.dealt.hands):
                    if seat == self._seat:
                        self._own.update(hand.cards)
                    else:
                        self._check(hand.cards, f"the dealt hand of seat {seat}")
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
            case "double_chosen" if event.double_chosen.seat != self._seat:
                self._leak("another seat's choice to double")
            case "offer_made" | "offer_refused" if self._seat in (None, self._landlord):
                self._leak("the peasants' offer to surrender")

    def _check(self, cards: Iterable[int], where: str) -> None:
        hidden = set(cards) - self._own - self._public
        if hidden:
            self._leak(f"{len(hidden)} cards in {where}")

    def _check_seed(self, seed: bytes) -> None:
        if seed and hashlib.sha256(seed).digest() == self._commitment:
            self._leak("the seed of a game that is not over")

    def _leak(self, what: str) -> None:
        self.leaks.append(what)

"""The look at what a player of Dou Dizhu was shown: it finds planted cards, and nothing else."""

from typing import Any

import pytest

from parlor.v1.doudizhu_pb2 import (
    DouDizhuCardsShown,
    DouDizhuConfig,
    DouDizhuDealt,
    DouDizhuDoubleChosen,
    DouDizhuEnded,
    DouDizhuEntry,
    DouDizhuHand,
    DouDizhuLandlordChosen,
    DouDizhuOfferMade,
    DouDizhuPhase,
    DouDizhuPlayed,
    DouDizhuTable,
    DouDizhuTrick,
    DouDizhuView,
)
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import Event, GameConfig, GameStarted
from tests.unit.cli import frames
from tests.unit.cli.frames import entry, leaks

CONFIG = GameConfig(doudizhu=DouDizhuConfig())
PLAYING = DouDizhuPhase.DOU_DIZHU_PHASE_PLAYING
OVER = DouDizhuPhase.DOU_DIZHU_PHASE_OVER
SAT = frames.view(CONFIG)


def hands(*cards: list[int]) -> list[DouDizhuHand]:
    return [DouDizhuHand(cards=hand) for hand in cards]


def seen(table: DouDizhuTable, *cards: list[int]) -> ServerFrame:
    return frames.view(CONFIG, doudizhu=DouDizhuView(seat=0, table=table, hands=hands(*cards)))


def happened(**event: Any) -> ServerFrame:
    return frames.happened("doudizhu", **event)


def dealt(*cards: list[int]) -> ServerFrame:
    return happened(dealt=DouDizhuDealt(hands=hands(*cards)))


FINE = {
    "own hand": [SAT, dealt([1, 2], [], [])],
    "plays are public from then on": [
        SAT,
        dealt([1], [], []),
        happened(played=DouDizhuPlayed(seat=1, cards=[9])),
        seen(
            DouDizhuTable(
                phase=PLAYING,
                history=[DouDizhuEntry(cards=[9])],
                trick=DouDizhuTrick(cards=[9]),
            ),
            [1],
            [],
            [],
        ),
    ],
    "bottom cards with the landlord": [
        seen(DouDizhuTable(phase=PLAYING, landlord=2, bottom=[7, 8]), [1], [], [])
    ],
    "a shown hand": [
        SAT,
        happened(cards_shown=DouDizhuCardsShown(seat=2, cards=[5])),
        seen(DouDizhuTable(phase=PLAYING, landlord=2, shown=True), [1], [], [5]),
    ],
    "all hands at the end": [
        SAT,
        happened(ended=DouDizhuEnded(hands=hands([1], [2], [3]))),
        seen(DouDizhuTable(phase=OVER), [1], [2], [3]),
    ],
    "one's own choice to double": [SAT, happened(double_chosen=DouDizhuDoubleChosen(seat=0))],
}

WRONG = {
    "another's hand in the deal": [SAT, dealt([1], [2], [])],
    "another's hand in a view": [seen(DouDizhuTable(phase=PLAYING), [1], [], [3])],
    "another's hand after the next deal": [
        SAT,
        happened(played=DouDizhuPlayed(seat=1, cards=[9])),
        dealt([1], [9], []),
    ],
    "a hand that was not shown": [
        seen(DouDizhuTable(phase=PLAYING, landlord=2, shown=True), [1], [4], [])
    ],
    "bottom cards before the landlord": [seen(DouDizhuTable(bottom=[7, 8]), [1], [], [])],
    "a trick that nobody played": [
        seen(DouDizhuTable(phase=PLAYING, trick=DouDizhuTrick(cards=[30])), [1], [], [])
    ],
    "another's choice to double": [SAT, happened(double_chosen=DouDizhuDoubleChosen(seat=1))],
    "the peasants' offer to the landlord": [
        SAT,
        happened(landlord_chosen=DouDizhuLandlordChosen(seat=0)),
        happened(offer_made=DouDizhuOfferMade(seat=1, mate=2)),
    ],
}


@pytest.mark.parametrize("received", FINE.values(), ids=FINE)
def test_what_a_seat_may_know_is_no_leak(received: list[ServerFrame]) -> None:
    assert leaks(*received) == 0


@pytest.mark.parametrize("received", WRONG.values(), ids=WRONG)
def test_what_a_seat_may_not_know_is_a_leak(received: list[ServerFrame]) -> None:
    assert leaks(*received) == 1


def test_a_new_game_makes_everything_secret_again() -> None:
    begun = entry(Event(game_started=GameStarted(game_no=2)))
    ended = happened(ended=DouDizhuEnded(hands=hands([1], [2], [3])))
    assert leaks(SAT, ended, begun, dealt([4], [3], [])) == 1

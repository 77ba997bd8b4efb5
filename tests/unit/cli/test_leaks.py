"""The look at what a player was shown: it finds what should not be there, and nothing else."""

import hashlib

import pytest

from parlor.cli.leaks import LeakCheck
from parlor.v1.doudizhu_pb2 import (
    DouDizhuCardsShown,
    DouDizhuDealt,
    DouDizhuDoubleChosen,
    DouDizhuEnded,
    DouDizhuEntry,
    DouDizhuEvent,
    DouDizhuHand,
    DouDizhuLandlordChosen,
    DouDizhuOfferMade,
    DouDizhuPhase,
    DouDizhuPlayed,
    DouDizhuTable,
    DouDizhuTrick,
    DouDizhuView,
)
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import Event, GameResult, GameStarted, RoomView

PLAYING = DouDizhuPhase.DOU_DIZHU_PHASE_PLAYING
OVER = DouDizhuPhase.DOU_DIZHU_PHASE_OVER
SEED = bytes(range(32))


def hands(*cards: list[int]) -> list[DouDizhuHand]:
    return [DouDizhuHand(cards=hand) for hand in cards]


def view(game: DouDizhuView | None = None, **fields: object) -> ServerFrame:
    return ServerFrame(view=RoomView(seat=0, doudizhu=game, **fields))  # type: ignore[arg-type]


def seen(table: DouDizhuTable, *cards: list[int]) -> ServerFrame:
    return view(DouDizhuView(seat=0, table=table, hands=hands(*cards)))


def happened(**event: object) -> ServerFrame:
    moved = Event(doudizhu=DouDizhuEvent(**event))  # type: ignore[arg-type]
    return ServerFrame(entry=Entry(seq=1, events=[moved]))


def dealt(*cards: list[int]) -> ServerFrame:
    return happened(dealt=DouDizhuDealt(hands=hands(*cards)))


def leaks(*frames: ServerFrame) -> int:
    check = LeakCheck()
    for frame in frames:
        check.hear(frame)
    return len(check.leaks)


FINE = {
    "own hand": [view(), dealt([1, 2], [], [])],
    "plays are public from then on": [
        view(),
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
        view(),
        happened(cards_shown=DouDizhuCardsShown(seat=2, cards=[5])),
        seen(DouDizhuTable(phase=PLAYING, landlord=2, shown=True), [1], [], [5]),
    ],
    "all hands at the end": [
        view(),
        happened(ended=DouDizhuEnded(hands=hands([1], [2], [3]))),
        seen(DouDizhuTable(phase=OVER), [1], [2], [3]),
    ],
    "one's own choice to double": [view(), happened(double_chosen=DouDizhuDoubleChosen(seat=0))],
    "the seed of the game before": [
        view(commitment=bytes(32), result=GameResult(game_no=1, seed=SEED))
    ],
}

WRONG = {
    "another's hand in the deal": [view(), dealt([1], [2], [])],
    "another's hand in a view": [seen(DouDizhuTable(phase=PLAYING), [1], [], [3])],
    "another's hand after the next deal": [
        view(),
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
    "another's choice to double": [view(), happened(double_chosen=DouDizhuDoubleChosen(seat=1))],
    "the peasants' offer to the landlord": [
        view(),
        happened(landlord_chosen=DouDizhuLandlordChosen(seat=0)),
        happened(offer_made=DouDizhuOfferMade(seat=1, mate=2)),
    ],
    "the seed of the running game": [
        view(
            commitment=hashlib.sha256(SEED).digest(),
            result=GameResult(game_no=1, seed=SEED),
        )
    ],
}


@pytest.mark.parametrize("frames", FINE.values(), ids=FINE)
def test_what_a_seat_may_know_is_no_leak(frames: list[ServerFrame]) -> None:
    assert leaks(*frames) == 0


@pytest.mark.parametrize("frames", WRONG.values(), ids=WRONG)
def test_what_a_seat_may_not_know_is_a_leak(frames: list[ServerFrame]) -> None:
    assert leaks(*frames) == 1


def test_a_new_game_makes_everything_secret_again() -> None:
    begun = ServerFrame(entry=Entry(events=[Event(game_started=GameStarted(game_no=2))]))
    ended = happened(ended=DouDizhuEnded(hands=hands([1], [2], [3])))
    assert leaks(view(), ended, begun, dealt([4], [3], [])) == 1

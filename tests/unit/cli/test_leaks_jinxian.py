"""The look at what a player of Jinxian Mahjong was shown: it finds planted tiles, and nothing else."""

from typing import Any

import pytest

from parlor.v1.jinxian_pb2 import (
    JinxianAnswer,
    JinxianAnswered,
    JinxianAsk,
    JinxianAsked,
    JinxianClaim,
    JinxianConfig,
    JinxianDeadline,
    JinxianDealt,
    JinxianDiscarded,
    JinxianDrawn,
    JinxianEvent,
    JinxianHand,
    JinxianMeld,
    JinxianMelded,
    JinxianMelds,
    JinxianMeldType,
    JinxianPhase,
    JinxianPrompt,
    JinxianQuestion,
    JinxianRoundEnded,
    JinxianRoundRecord,
    JinxianTable,
    JinxianView,
)
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import GameConfig
from tests.unit.cli import frames
from tests.unit.cli.frames import leaks

CLAIM = JinxianQuestion.JINXIAN_QUESTION_CLAIM
TURN = JinxianQuestion.JINXIAN_QUESTION_TURN
PONG = JinxianAnswer(claim=JinxianClaim.JINXIAN_CLAIM_PONG)
CONCEALED = JinxianMeldType.JINXIAN_MELD_TYPE_CONCEALED_KONG

HIDDEN = GameConfig(jinxian=JinxianConfig())
OPEN = GameConfig(jinxian=JinxianConfig(concealed_kong_hidden=False))

KONG = JinxianMeld(type=CONCEALED, tiles=[3, 3, 3, 3])
MASKED = JinxianMeld(type=CONCEALED)
SHOWN_PONG = JinxianMeld(
    type=JinxianMeldType.JINXIAN_MELD_TYPE_PONG, tiles=[3, 3, 3], taken=3, source=2
)


def sat(config: GameConfig = HIDDEN, seat: int | None = 0) -> ServerFrame:
    return frames.view(config, seat)


def happened(**event: Any) -> ServerFrame:
    return frames.happened("jinxian", **event)


def hands(*tiles: list[int]) -> list[JinxianHand]:
    return [JinxianHand(tiles=hand) for hand in tiles]


def dealt(*tiles: list[int], dealer: int = 0, drawn: int | None = None) -> ServerFrame:
    return happened(dealt=JinxianDealt(round=1, dealer=dealer, hands=hands(*tiles), drawn=drawn))


def asked(*seats: int, question: "JinxianQuestion.ValueType" = CLAIM) -> JinxianAsked:
    asks = [JinxianAsk(seat=seat, decision=4) for seat in seats]
    return JinxianAsked(question=question, asks=asks)


def answered(seat: int) -> ServerFrame:
    return happened(answered=JinxianAnswered(seat=seat, answer=PONG))


def melded(seat: int, meld: JinxianMeld) -> ServerFrame:
    return happened(melded=JinxianMelded(seat=seat, meld=meld, hidden=True))


def seen(
    table: JinxianTable, config: GameConfig = HIDDEN, seat: int | None = 0, **own: Any
) -> ServerFrame:
    return frames.view(config, seat, jinxian=JinxianView(seat=seat, table=table, **own))


def with_melds(*melds: JinxianMeld, **fields: Any) -> JinxianTable:
    """A table on which each seat has laid one."""
    return JinxianTable(round=2, melds=[JinxianMelds(melds=[meld]) for meld in melds], **fields)


NOTHING = JinxianTable(round=1)
SHOWN = hands([1], [2], [3], [4])
ROUND_2_OVER = [JinxianRoundRecord(number=1), JinxianRoundRecord(number=2)]

FINE = {
    "own tiles": [sat(), dealt([1, 2, 3], [], [], [], drawn=3)],
    "own draw": [sat(), happened(drawn=JinxianDrawn(seat=0, tile=5))],
    "a draw of which the kind is hidden": [sat(), happened(drawn=JinxianDrawn(seat=1))],
    "a discard": [sat(), happened(discarded=JinxianDiscarded(seat=1, tile=5))],
    "what one is asked": [sat(), happened(asked=asked(0))],
    "whose turn it is": [
        sat(),
        happened(asked=JinxianAsked(question=TURN, seats=[2])),
        seen(JinxianTable(deadline=JinxianDeadline(question=TURN, seats=[2]))),
    ],
    "one's own answer": [sat(), answered(0), seen(NOTHING, answer=PONG)],
    "one's own concealed kong": [sat(), melded(0, KONG), seen(with_melds(KONG))],
    "another's pong": [sat(), melded(1, SHOWN_PONG), seen(with_melds(MASKED, SHOWN_PONG))],
    "a concealed kong where the room shows it": [
        sat(OPEN),
        melded(1, KONG),
        seen(with_melds(MASKED, KONG), OPEN),
    ],
    "everything once the round is over": [
        sat(),
        happened(round_ended=JinxianRoundEnded(hands=SHOWN)),
        seen(with_melds(KONG, KONG, shown=SHOWN, history=ROUND_2_OVER)),
    ],
}

WRONG = {
    "another's hand in the deal": [sat(), dealt([1], [], [2], [])],
    "a hand for spectators": [sat(seat=None), dealt([1], [], [], [])],
    "the tile of another dealer": [sat(), dealt([1], [], [], [], dealer=1, drawn=2)],
    "another's draw": [sat(), happened(drawn=JinxianDrawn(seat=1, tile=0))],
    "a draw for spectators": [sat(seat=None), happened(drawn=JinxianDrawn(seat=1, tile=5))],
    "what another is asked": [sat(), happened(asked=asked(0, 1))],
    "who may claim": [sat(), happened(asked=JinxianAsked(question=CLAIM, seats=[1, 2]))],
    "who may claim, in a view": [
        seen(JinxianTable(deadline=JinxianDeadline(question=CLAIM, seats=[1])))
    ],
    "another's answer": [sat(), answered(2)],
    "an answer for spectators": [sat(seat=None), answered(2)],
    "another's concealed kong": [sat(), melded(1, KONG)],
    "another's concealed kong in a view": [seen(with_melds(MASKED, KONG))],
    "a hand before the round is over": [
        seen(JinxianTable(round=2, shown=hands([], [7]), history=ROUND_2_OVER[:1]))
    ],
    "a hand of the void round of a dissolved game": [
        seen(JinxianTable(round=1, shown=hands([], [7]), phase=JinxianPhase.JINXIAN_PHASE_GAME_END))
    ],
    "a hand in a spectator's view": [seen(NOTHING, seat=None, hand=[1])],
    "a question in a spectator's view": [seen(NOTHING, seat=None, prompt=JinxianPrompt())],
    "an answer in a spectator's view": [seen(NOTHING, seat=None, answer=PONG)],
    "another's draw as one's own": [seen(NOTHING, hand=[1, 2], drawn=5)],
}


@pytest.mark.parametrize("received", FINE.values(), ids=FINE)
def test_what_a_seat_may_know_is_no_leak(received: list[ServerFrame]) -> None:
    assert leaks(*received) == 0


@pytest.mark.parametrize("received", WRONG.values(), ids=WRONG)
def test_what_a_seat_may_not_know_is_a_leak(received: list[ServerFrame]) -> None:
    assert leaks(*received) == 1


def test_an_event_that_is_not_known_to_be_public_is_a_leak() -> None:
    assert leaks(sat(), frames.happened("jinxian")) == 1
    for field in JinxianEvent.DESCRIPTOR.oneofs_by_name["event"].fields:
        assert leaks(sat(), happened(**{field.name: getattr(JinxianEvent(), field.name)})) == 0

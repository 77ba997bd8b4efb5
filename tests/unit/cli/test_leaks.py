"""What a room must not tell, whichever game is played in it."""

import hashlib

import pytest

from parlor.v1.doudizhu_pb2 import DouDizhuConfig
from parlor.v1.play_pb2 import ServerFrame
from parlor.v1.room_pb2 import Event, GameConfig, GameResult, GameStarted, ReadyOpened, RoomOptions
from tests.unit.cli.frames import entry, leaks, view

CONFIG = GameConfig(doudizhu=DouDizhuConfig())
SEED = bytes(range(32))
COMMITMENT = hashlib.sha256(SEED).digest()
RESULT = GameResult(game_no=1, seed=SEED)
PRIVATE = RoomOptions(private=True)

FINE = {
    "the seed of the game before": [view(CONFIG, commitment=bytes(32), result=RESULT)],
    "the code of one's own room": [view(CONFIG, options=PRIVATE, code="123456")],
    "the code of an open room": [view(CONFIG, None, code="123456")],
    "a private room without its code": [view(CONFIG, None, options=PRIVATE)],
}

WRONG = {
    "the seed of the running game": [view(CONFIG, commitment=COMMITMENT, result=RESULT)],
    "a private room's code": [view(CONFIG, None, options=PRIVATE, code="123456")],
    "a step of others": [view(CONFIG), entry()],
}


@pytest.mark.parametrize("frames", FINE.values(), ids=FINE)
def test_what_anybody_may_know_is_no_leak(frames: list[ServerFrame]) -> None:
    assert leaks(*frames) == 0


@pytest.mark.parametrize("frames", WRONG.values(), ids=WRONG)
def test_what_nobody_may_know_is_a_leak(frames: list[ServerFrame]) -> None:
    assert leaks(*frames) == 1


@pytest.mark.parametrize(
    "promise",
    [
        Event(ready_opened=ReadyOpened(commitment=COMMITMENT)),
        Event(game_started=GameStarted(game_no=2, commitment=COMMITMENT)),
    ],
)
def test_a_view_is_judged_by_its_own_commitment(promise: Event) -> None:
    assert leaks(view(CONFIG), entry(promise), view(CONFIG, result=RESULT)) == 0

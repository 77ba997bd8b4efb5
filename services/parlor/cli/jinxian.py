"""Jinxian Mahjong for simulated players."""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Final

from google.protobuf.duration_pb2 import Duration

from parlor.cli.history import History
from parlor.rules.jinxian.actions import (
    Action,
    Chow,
    Continue,
    Discard,
    Kong,
    Pass,
    Pong,
    Win,
)
from parlor.rules.jinxian.events import (
    Answered,
    Claim,
    Continued,
    Discarded,
    Event,
    KongDeclared,
    Melded,
    RoundEnded,
)
from parlor.rules.jinxian.hands import WinBy
from parlor.rules.jinxian.legal import legal_actions
from parlor.rules.jinxian.melds import MeldType
from parlor.rules.jinxian.view import View
from parlor.v1.jinxian_pb2 import JinxianConfig, JinxianJingSettlement, JinxianJingVariant
from parlor.v1.room_pb2 import GameConfig

_LIMITS_MS: Final = {
    "turn_ms": 3_000,
    "claim_ms": 1_000,
    "show_ms": 0,
    "settle_ms": 1_000,
    "autoplay_ms": 200,
}
_ROUNDS: Final = 4

_RULES: Final[dict[str, dict[str, Any]]] = {
    "fast": {"fast": True},
    "standard": {},
    "extras": {
        "fast": True,
        "kong_score": True,
        "chaozhuang": True,
        "jing_settlement": JinxianJingSettlement.JINXIAN_JING_SETTLEMENT_ALL_PLAYERS,
        "jing_variant": JinxianJingVariant.JINXIAN_JING_VARIANT_SHANG_XIA,
    },
}


class JinxianTable:
    """`parlor.cli.simulated.SimulatedGame` for Jinxian Mahjong."""

    rule_sets: tuple[str, ...] = tuple(_RULES)
    timeout_in = 80

    def config(self, rule_set: str, **limits: int) -> GameConfig:
        rounds = limits.pop("rounds", _ROUNDS)
        turn, claim, show, settle, autoplay = (
            _duration(limits.get(name, shortest)) for name, shortest in _LIMITS_MS.items()
        )
        return GameConfig(
            jinxian=JinxianConfig(
                **_RULES[rule_set],
                total_rounds=rounds,
                # Nothing in the game would tell a win that the clock took from one that was asked for.
                auto_win=False,
                turn_limit=turn,
                fast_turn_limit=turn,
                claim_limit=claim,
                fast_claim_limit=claim,
                show_pause=show,
                settle_limit=settle,
                autoplay_delay=autoplay,
            )
        )

    def decision(self, view: View) -> int:
        return view.prompt.decision if view.prompt is not None else 0

    def choose(self, view: View, chance: random.Random) -> Action:
        """A kind of answer, then one of it: among fourteen discards a win would never come."""
        answers = [a for a in legal_actions(view) if a.decision == self.decision(view)]
        kind = chance.choice(sorted({type(answer).__name__ for answer in answers}))
        return chance.choice([answer for answer in answers if type(answer).__name__ == kind])

    def mark(self, action: Action) -> str:
        match action:
            case Discard():
                return f"discard {action.tile}"
            case Kong():
                return f"kong {action.tile}"
            case Win():
                return "win"
            case Chow():
                return _chow(action.tiles)
            case Pong():
                return "pong"
            case Pass():
                return "pass"
            case Continue():
                return "continue"
            case _:
                raise ValueError(f"no answer to the table: {action}")

    def record(self, view: View, seat: int, history: History) -> Counter[str] | None:
        """From the steps: the table keeps the discards of the last round alone, and does not say
        which of them the clock took.
        """
        return Counter(marks(history.events, seat)) if history.is_whole else None


def marks(events: Sequence[Event], seat: int) -> Iterator[str]:
    """What the seat did by itself, in order, as it observes it."""
    offered = -1
    for event in events:
        match event:
            case Discarded():
                offered = event.tile
                if event.seat == seat and not event.auto:
                    yield f"discard {event.tile}"
            case KongDeclared():
                offered = event.tile
                if event.seat == seat:
                    yield f"kong {event.tile}"
            case Melded() if event.seat == seat and event.meld.type is MeldType.CONCEALED_KONG:
                yield f"kong {event.meld.kinds[0]}"
            case Answered() if event.seat == seat and not event.auto:
                yield _claimed(event, offered)
            case RoundEnded() if event.record.winner == seat:
                if event.record.by is WinBy.SELF_DRAW:
                    yield "win"
            case Continued() if event.seat == seat:
                yield "continue"


def _claimed(event: Answered, offered: int) -> str:
    match event.answer.claim:
        case Claim.KONG:
            return f"kong {offered}"
        case Claim.CHOW:
            return _chow(event.answer.chow or ())
        case Claim.WIN | Claim.PONG | Claim.PASS as claim:
            return str(claim.value).lower()


def _chow(tiles: Sequence[int]) -> str:
    return f"chow {sorted(tiles)}"


def _duration(ms: int) -> Duration:
    duration = Duration()
    duration.FromMilliseconds(ms)
    return duration

"""Dou Dizhu for simulated players."""

import random
from collections import Counter
from typing import Final

from google.protobuf.duration_pb2 import Duration

from parlor.cli.history import History
from parlor.rules.doudizhu.actions import Action, Bid, Call, Double, Pass, Play, Rob
from parlor.rules.doudizhu.events import DoubleChosen
from parlor.rules.doudizhu.legal import legal_actions
from parlor.rules.doudizhu.table import Act, Entry
from parlor.rules.doudizhu.view import View
from parlor.v1.doudizhu_pb2 import DouDizhuConfig, DouDizhuRuleSet
from parlor.v1.room_pb2 import GameConfig

_TURN_MS: Final = 1_000
_AUTOPLAY_MS: Final = 200

_ANSWERS: Final = frozenset({Act.BID, Act.CALL, Act.ROB, Act.PLAY, Act.PASS})


class DouDizhuTable:
    """`parlor.cli.simulated.SimulatedGame` for Dou Dizhu."""

    rule_sets: tuple[str, ...] = ("standard", "classic")
    timeout_in = 20

    def config(self, rule_set: str, **limits: int) -> GameConfig:
        turn = Duration(nanos=0)
        turn.FromMilliseconds(limits.get("turn_ms", _TURN_MS))
        autoplay = Duration()
        autoplay.FromMilliseconds(limits.get("autoplay_ms", _AUTOPLAY_MS))
        return GameConfig(
            doudizhu=DouDizhuConfig(
                rule_set=DouDizhuRuleSet.Value(f"DOU_DIZHU_RULE_SET_{rule_set.upper()}"),
                bid_limit=turn,
                double_limit=turn,
                play_limit=turn,
                consent_limit=turn,
                autoplay_delay=autoplay,
            )
        )

    def decision(self, view: View) -> int:
        return view.prompt.decision if view.prompt is not None else 0

    def choose(self, view: View, chance: random.Random) -> Action:
        decision = self.decision(view)
        return chance.choice([a for a in legal_actions(view) if a.decision == decision])

    def mark(self, action: Action) -> str:
        match action:
            case Bid():
                return _mark(Act.BID, action.bid)
            case Call():
                return _mark(Act.CALL, int(action.call))
            case Rob():
                return _mark(Act.ROB, int(action.rob))
            case Play():
                return _mark(Act.PLAY, 0, action.cards)
            case Pass():
                return _mark(Act.PASS, 0)
            case Double():
                return _doubled(action.double)
            case _:
                raise ValueError(f"no answer to the table: {action}")

    def record(self, view: View, seat: int, history: History) -> Counter[str] | None:
        """From the view, which holds the whole deal; a choice to double stands in the steps alone."""
        marks = Counter(_marked(entry) for entry in view.table.history if _is_own(entry, seat))
        if not view.config.doubling:
            return marks
        if not history.is_whole:
            return None
        chosen = (event for event in history.events if isinstance(event, DoubleChosen))
        marks.update(_doubled(event.double) for event in chosen if not event.auto)
        return marks


def _is_own(entry: Entry, seat: int) -> bool:
    return entry.seat == seat and not entry.auto and entry.act in _ANSWERS


def _doubled(double: bool) -> str:
    return f"DOUBLE {double}"


def _marked(entry: Entry) -> str:
    return _mark(entry.act, entry.number, entry.cards)


def _mark(act: Act, number: int, cards: tuple[int, ...] = ()) -> str:
    return f"{act.value} {number} {sorted(cards)}"

"""How a seat of Jinxian Mahjong is best played, from its own view alone: a bot's policy and an engine's
advice, by the distance to a win.

It wins when it can, discards what leaves it closest to a win with the most useful tiles unseen, and
claims a tile where that brings it closer. It keeps its jing.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

from parlor.rules.game import Seat
from parlor.rules.jinxian.actions import Action, Chow, Continue, Discard, Kong, Pass, Pong, Win
from parlor.rules.jinxian.distance import DiscardChoice, closest_discards, distance
from parlor.rules.jinxian.jing import Jing
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.table import Question, Table
from parlor.rules.jinxian.tiles import COPIES, in_order, without
from parlor.rules.jinxian.view import Prompt, View

READY = 1
"""The least distance after a claim: a hand that it completes has still to discard."""


Item = TypeVar("Item")


class Taste(Protocol):
    """What varies a decision that is a matter of taste; a `random.Random` is one."""

    def choice(self, seq: Sequence[Item]) -> Item:
        """One of the items."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What a seat sees of its own chances."""

    hand: tuple[int, ...]
    melds: tuple[Meld, ...]
    jing: Jing
    options: ScoringOptions
    seen: tuple[int, ...]
    """Kinds in sight besides the hand and the melds: the river and the melds of the others."""

    def having_laid(self, meld: Meld, from_hand: Iterable[int]) -> "Sight":
        """The chances once these tiles of the hand lie in the meld."""
        hand = without(self.hand, from_hand)
        return replace(self, hand=hand, melds=(*self.melds, meld))

    def distance(self) -> int:
        """Tiles missing for a win."""
        return distance(self.hand, self.melds, jing=self.jing, options=self.options)

    def discards(self) -> tuple[DiscardChoice, ...]:
        """The discards that leave the hand closest to a win."""
        return closest_discards(
            self.hand, self.melds, jing=self.jing, options=self.options, seen=self.seen
        )


def decide(seen: View, taste: Taste) -> Action | None:
    """The answer to what the view's seat is asked; None where it is asked nothing.

    The same view and the same taste give the same answer.
    """
    prompt = seen.prompt
    if seen.seat is None or prompt is None:
        return None
    if prompt.question is Question.CONTINUE:
        return Continue(decision=prompt.decision)
    if prompt.options.win:
        return Win(decision=prompt.decision)
    sight = sight_of(seen, Seat(seen.seat))
    if prompt.question is Question.CLAIM:
        return _claim(sight, seen.table, prompt)
    return _kong(sight, prompt) or _discard(sight, prompt, taste)


def sight_of(seen: View, seat: Seat) -> Sight:
    """What the view's seat sees, in a round that runs."""
    table = seen.table
    assert table.jing is not None, "turned before the first question"
    others = (meld for other, melds in enumerate(table.melds) if other != seat for meld in melds)
    river = (discard.tile for discard in table.river if not discard.claimed)
    return Sight(
        hand=seen.hand,
        melds=table.melds[seat],
        jing=table.jing,
        options=seen.config.scoring,
        seen=(*river, *(kind for meld in others for kind in meld.kinds)),
    )


def _discard(sight: Sight, prompt: Prompt, taste: Taste) -> Discard:
    """One of the discards that are best, jing last."""
    choices = sight.discards()
    best = [one.kind for one in choices if one.left == choices[0].left]
    plain = [kind for kind in best if kind not in sight.jing]
    return Discard(decision=prompt.decision, tile=taste.choice(plain or best))


def _kong(sight: Sight, prompt: Prompt) -> Kong | None:
    """The first kong that leaves the hand as close to a win as its best discard would."""
    for kind in prompt.options.kongs:
        held = sight.hand.count(kind)
        if held == COPIES:
            meld = Meld(type=MeldType.CONCEALED_KONG, kinds=(kind,) * COPIES)
            after = sight.having_laid(meld, meld.kinds)
        else:
            after = replace(sight, hand=without(sight.hand, [kind]))
        if after.distance() <= sight.discards()[0].distance:
            return Kong(decision=prompt.decision, tile=kind)
    return None


def _claim(sight: Sight, table: Table, prompt: Prompt) -> Action:
    """The claim after which the hand stands best, if it is closer to a win than before."""
    number, tile = prompt.decision, table.river[-1].tile
    before = sight.distance()
    # A kong is followed by a draw, so that it costs nothing to be no closer.
    for kind in prompt.options.kongs:
        meld = Meld(type=MeldType.KONG, kinds=(kind,) * COPIES)
        if sight.having_laid(meld, (kind,) * 3).distance() <= before:
            return Kong(decision=number, tile=kind)
    closer = [
        (after.discards()[0], action)
        for action, after in _claims(sight, tile, prompt)
        if max(READY, after.distance()) < before
    ]
    if not closer:
        return Pass(decision=number)
    return min(closer, key=lambda one: (one[0].distance, -one[0].left))[1]


def _claims(sight: Sight, tile: int, prompt: Prompt) -> Iterator[tuple[Action, Sight]]:
    """Each pong and chow with what it leaves, of which one tile has still to be discarded."""
    if prompt.options.pong:
        pong = Meld(type=MeldType.PONG, kinds=(tile,) * 3)
        yield Pong(decision=prompt.decision), sight.having_laid(pong, (tile, tile))
    for pair in prompt.options.chows:
        chow = Meld(type=MeldType.CHOW, kinds=in_order((*pair, tile)))
        yield Chow(decision=prompt.decision, tiles=pair), sight.having_laid(chow, pair)

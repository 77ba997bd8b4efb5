"""Hands in notation, and hands at random of which many win or nearly win."""

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from parlor.rules.jinxian.hands import Hand
from parlor.rules.jinxian.jing import Jing, jing_of
from parlor.rules.jinxian.melds import Meld, MeldType
from parlor.rules.jinxian.tiles import counts, in_order, kind, kinds
from tests.unit.rules_jinxian.oracle import CHOWS, HONOUR_CHOWS

_MELDS = {
    "chow": MeldType.CHOW,
    "pong": MeldType.PONG,
    "kong": MeldType.KONG,
    "added": MeldType.ADDED_KONG,
    "concealed": MeldType.CONCEALED_KONG,
}


def meld(text: str) -> Meld:
    """A meld such as `pong 555m`."""
    word, tiles = text.split()
    return Meld(type=_MELDS[word], kinds=in_order(kinds(tiles)))


def hand(text: str, *melds: str) -> Hand:
    """A hand such as `123m45p` with melds such as `pong 555m`."""
    return Hand(concealed=in_order(kinds(text)), melds=tuple(map(meld, melds)))


def jing(code: str) -> Jing:
    """The jing when this kind is turned."""
    return jing_of(kind(code))


@dataclass(frozen=True, slots=True, kw_only=True)
class Dealt:
    """A hand at random, with the tile that may complete it."""

    hand: Hand
    tile: int
    jing: Jing
    drawn: bool

    @property
    def wilds(self) -> list[int]:
        """The jing that may stand for anything."""
        drawn = [self.tile] if self.drawn else []
        return [kind for kind in (*self.hand.concealed, *drawn) if kind in self.jing]

    @property
    def bound(self) -> tuple[int, ...]:
        """The other tiles."""
        held = [kind for kind in self.hand.concealed if kind not in self.jing]
        return tuple(held if self.drawn and self.tile in self.jing else [*held, self.tile])


def dealt(seed: int, number: int) -> Iterator[Dealt]:
    """Hands with 0 to 8 jing, made from winning ones by swapping tiles for jing and for others."""
    chance = Random(seed)
    while number:
        turned = jing_of(chance.randrange(34))
        melds, tiles = _made(chance)
        wanted = chance.randrange(min(9, len(tiles) + 1))
        free = [at for at, kind in enumerate(tiles) if kind not in turned]
        held = len(tiles) - len(free)
        for at in chance.sample(free, min(len(free), max(0, wanted - held))):
            tiles[at] = chance.choice(turned.kinds)
        for _ in range(chance.choice((0, 0, 1, 2))):
            tiles[chance.randrange(len(tiles))] = chance.randrange(34)
        if max(counts([*tiles, *(kind for one in melds for kind in one.kinds)])) > 4:
            continue
        chance.shuffle(tiles)
        concealed = in_order(tiles[1:])
        yield Dealt(
            hand=Hand(concealed=concealed, melds=melds),
            tile=tiles[0],
            jing=turned,
            drawn=chance.random() < 0.7,
        )
        number -= 1


def _made(chance: Random) -> tuple[tuple[Meld, ...], list[int]]:
    """Melds and concealed tiles of a winning hand, or of none at all."""
    shape = chance.choice(("sets", "sets", "sets", "triplets", "pairs", "scattered", "any"))
    if shape == "any":
        return (), [tile // 4 for tile in chance.sample(range(136), 14)]
    if shape == "pairs":
        return (), [kind for kind in chance.choices(range(34), k=7) for _ in range(2)]
    if shape == "scattered":
        return (), _scattered(chance)
    triplets = [(kind, kind, kind) for kind in range(34)]
    choices = triplets if shape == "triplets" else triplets + CHOWS * 3 + HONOUR_CHOWS * 2
    sets = chance.choices(choices, k=4)
    laid = chance.choice((0, 0, 1, 2, 3, 4))
    pair = chance.randrange(34)
    melds = tuple(
        Meld(type=MeldType.PONG if one[0] == one[1] else MeldType.CHOW, kinds=tuple(one))
        for one in sets[:laid]
    )
    return melds, [*(kind for one in sets[laid:] for kind in one), pair, pair]


def _scattered(chance: Random) -> list[int]:
    suits = [(0, 3, 6), (0, 4, 7), (1, 4, 7), (0, 3, 8), (2, 5, 8), (2, 6), (1, 8)]
    ranks = [
        suit * 9 + rank for suit, ranks in enumerate(chance.choices(suits, k=3)) for rank in ranks
    ]
    honours = chance.sample(range(27, 34), 7)
    tiles = ranks[: chance.choice((7, 8, 9))]
    # Too few suit tiles for fourteen kinds: one honour twice is nearly one.
    return (tiles + honours + honours)[:14]

"""Jinxian Mahjong (进贤麻将): the wild-tile mahjong of Jinxian county, Jiangxi.

`RULES.md` is the rule book of the flow of a game, `WINNING.md` that of hands and scores.

Notation: `123m55z` = 1m 2m 3m 5z 5z; `m` characters, `p` dots, `s` bamboo, `z` honours 1..7 = East
South West North red green white. A kind is `suit * 9 + rank - 1`, honours 27..33 (`tiles.py`).
Seats 0, 1, 2, 3 play in this order; a round (局) is one deal, a game all rounds of a room.

From the inside out: `tiles`, `jing`, `melds`, `hands`, `sets`, `patterns`, `scoring`, `payments`
(what hands are and are worth); `wall`, `table`, `events`, `chronicle` (the public side and how it
follows events); `state`, `view` (a seat's side); `deadlines`, `wins`, `settling`, `turns`, `kongs`,
`claims`, `responding`, `playing`, `rounds` (the rules proper); `autoplay`, `clocks`; `apply`,
`legal`, `game`. `distance` helps those who think about a hand.
"""

from parlor.rules.jinxian.config import Config
from parlor.rules.jinxian.game import JINXIAN, Jinxian
from parlor.rules.jinxian.legal import legal_actions
from parlor.rules.jinxian.options import ScoringOptions
from parlor.rules.jinxian.state import State
from parlor.rules.jinxian.view import View

__all__ = [
    "JINXIAN",
    "Config",
    "Jinxian",
    "ScoringOptions",
    "State",
    "View",
    "legal_actions",
]

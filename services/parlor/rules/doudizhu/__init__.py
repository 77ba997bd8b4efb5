"""Dou Dizhu (斗地主): two rule sets of the three-handed shedding game. `RULES.md` is the rule book.

Notation: a rank is one letter of `3456789TJQKA2BR`, `B` and `R` the small and the big joker; a card
is its index 0..53 (`cards.py`). A combination is read as a shape, a value and a length
(`combos.py`). Seats 0, 1, 2 play in this order.

From the inside out: `cards`, `combos`, `readings` (what a set can be played as) and `plays` (what a
hand holds); `table`, `events`, `chronicle` (the public side and how it follows events); `state` and
`view` (a seat's side); `dealing`, `bidding`, `doubling`, `playing`, `surrender`, `scoring` (the
rules proper); `autoplay`, `clocks`; `apply`, `legal`, `game`.
"""

from parlor.rules.doudizhu.config import Config
from parlor.rules.doudizhu.game import DOUDIZHU, DouDizhu
from parlor.rules.doudizhu.legal import legal_actions, legal_plays
from parlor.rules.doudizhu.state import State
from parlor.rules.doudizhu.view import View

__all__ = [
    "DOUDIZHU",
    "Config",
    "DouDizhu",
    "State",
    "View",
    "legal_actions",
    "legal_plays",
]

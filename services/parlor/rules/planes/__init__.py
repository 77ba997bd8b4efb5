"""Plane Battle (打飞机): two seats hide three planes each and shoot in turns. `RULES.md` is the rule book.

Notation: `x` is the row 0..9 from the top and `y` the column 0..9 from the left; a plane is named by
its head and the direction of its nose, and a set of cells is an int of 100 bits (`board.py`). In a
grid `o` is a miss, `x` a hit, `#` the hit that brought a plane down, a digit a plane (`grids.py`).

From the inside out: `board`, `actions`, `fleets` (the geometry); `table`, `events`, `chronicle` (the
public side and how it follows events); `state` and `view` (a seat's side); `placing`, `turns`,
`attacks`, `ending` (the rules proper); `clocks`; `apply`, `legal`, `game`.
"""

from parlor.rules.planes.config import Config
from parlor.rules.planes.game import PLANES, Planes
from parlor.rules.planes.legal import legal_actions
from parlor.rules.planes.state import State
from parlor.rules.planes.view import View, before_start

__all__ = ["PLANES", "Config", "Planes", "State", "View", "before_start", "legal_actions"]

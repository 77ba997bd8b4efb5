"""How far apart in rating people may be who are put at one table: a curve over the time waited."""

import math
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Window:
    """Points `(waited ms, width)` of a curve that never falls; straight between them.

    Before the first point its width holds, after the last point the last one; a width of `inf`
    means anybody.

    >>> window = Window(((0, 100.0), (10_000, 300.0), (30_000, math.inf)))
    >>> window.width(5_000), window.width(29_999), window.width(30_000)
    (200.0, 300.0, inf)
    """

    points: tuple[tuple[int, float], ...]

    def __post_init__(self) -> None:
        """Raises ValueError for what is no such curve."""
        if not self.points:
            raise ValueError("a window has at least one point")
        for (early, narrow), (late, wide) in pairwise(self.points):
            if late <= early or wide < narrow:
                raise ValueError("a window's points rise in time and never fall in width")
        if self.points[0][0] < 0 or not self.points[0][1] >= 0:
            raise ValueError("a window's points are not negative")

    def width(self, waited_ms: int) -> float:
        """The width after this wait."""
        before_ms, width = self.points[0]
        for point_ms, point in self.points:
            if waited_ms < point_ms:
                if math.isinf(point):
                    # A step: nothing lies halfway to anybody.
                    return width
                part = max(waited_ms - before_ms, 0) / (point_ms - before_ms or 1)
                return width + part * (point - width)
            before_ms, width = point_ms, point
        return width

    def widens_ms(self, waited_ms: int) -> int | None:
        """The wait at which it widens next, or has widened to the end of a slope that it is on; None
        where it stays as it is.
        """
        width = self.width(waited_ms)
        return next((ms for ms, wide in self.points if ms > waited_ms and wide > width), None)

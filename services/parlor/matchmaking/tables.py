"""What the tickets of a pool are matched for: the operator's settings, of all pools and of some."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from parlor.matchmaking.pools import Pool, seats_of
from parlor.matchmaking.queue import Table
from parlor.matchmaking.window import Window

_NEVER = "never"


@dataclass(frozen=True, slots=True)
class Tables:
    """The settings, by the prefix of a pool's name; the empty prefix has the defaults."""

    windows: Mapping[str, Window]
    fills: Mapping[str, int | None]

    @classmethod
    def parsed(
        cls, window: Sequence[str], fill_after_ms: int | None, pools: Sequence[str]
    ) -> "Tables":
        """The settings as an operator writes them; raises ValueError naming the one at fault."""
        windows: dict[str, Window] = {"": _window(window)}
        fills: dict[str, int | None] = {"": fill_after_ms}
        for setting in pools:
            name, _, value = setting.partition("=")
            prefix, _, what = name.rpartition(".")
            match what:
                case "window" if prefix:
                    windows[prefix] = _window(value.split())
                case "fill_after_ms" if prefix:
                    fills[prefix] = None if value == _NEVER else _milliseconds(value)
                case _:
                    raise ValueError(f"{setting!r}: expected <prefix>.window= or .fill_after_ms=")
        return cls(windows, fills)

    def table(self, pool: Pool, *, bots: bool) -> Table:
        """The pool's table; without `bots` nobody fills it."""
        return Table(
            seats=seats_of(pool),
            window=self.windows[_longest(pool.name, self.windows)],
            fill_after_ms=self.fills[_longest(pool.name, self.fills)] if bots else None,
        )


def _longest(name: str, prefixes: Mapping[str, object]) -> str:
    return max(filter(name.startswith, prefixes), key=len)


def _window(points: Sequence[str]) -> Window:
    """The curve through these points.

    >>> _window(["0:100", "5000:inf"]).width(5_000)
    inf
    """
    pairs = [point.partition(":") for point in points]
    return Window(tuple((_milliseconds(ms), float(width)) for ms, _, width in pairs))


def _milliseconds(text: str) -> int:
    ms = int(text)
    if ms < 0:
        raise ValueError(f"{text!r}: expected milliseconds of at least 0")
    return ms

"""Which modules of the browser client a page needs at once, and which only when it asks for them."""

import posixpath
import re
from collections.abc import Iterable, Mapping
from typing import Final

_IMPORT: Final = re.compile(r'^(?:import|export)\b[^;"]*"(\.[^"]+)";', re.MULTILINE)
"""What is loaded with a module: `import … from "./a.js";`, over several lines too."""
_LATER: Final = re.compile(r'\bimport\("(\.[^"]+)"\)')
"""What a module may load while it runs."""


class Modules:
    """The modules by who names them."""

    def __init__(self, sources: Mapping[str, str], start: str) -> None:
        """`sources` by path, the first module at `start`; raises KeyError where one names what is not there."""
        self._named = {path: _found(_IMPORT, path, source) for path, source in sources.items()}
        self.at_once = self._closure([start])
        """What the page needs to start, sorted."""
        entries = sorted({late for path in sources for late in _found(_LATER, path, sources[path])})
        self.later: Mapping[str, list[str]] = {
            entry: [path for path in self._closure([entry]) if path not in set(self.at_once)]
            for entry in entries
        }
        """By what is asked for then: all that comes with it."""

    def _closure(self, entries: Iterable[str]) -> list[str]:
        reached: set[str] = set()
        ahead = list(entries)
        while ahead:
            path = ahead.pop()
            if path not in reached:
                reached.add(path)
                ahead += self._named[path]
        return sorted(reached)


def _found(pattern: re.Pattern[str], path: str, source: str) -> list[str]:
    folder = posixpath.dirname(path)
    return [posixpath.normpath(posixpath.join(folder, named)) for named in pattern.findall(source)]

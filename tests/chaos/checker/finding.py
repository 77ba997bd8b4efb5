"""What the checker can find."""

from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    """The promise that was broken."""

    LOST = "lost"
    """An acknowledged action that its log does not have."""
    DOUBLED = "doubled"
    """An action that was applied more often than it was asked for."""
    ORDER = "order"
    """Actions in another order than they were acknowledged in."""
    LOG = "log"
    """A log that does not rise, or that the rules refuse."""
    CLOCK = "clock"
    """A clock that acted before it was due, twice, or not at all."""
    SEQ = "seq"
    """A number that was left out, came again, or moved where nothing was to be seen."""
    REWOUND = "rewound"
    """A view that takes back what was seen."""
    LEAK = "leak"
    """Something that the seat may not know."""
    SCORE = "score"
    """A result that does not follow from the log."""
    STUCK = "stuck"
    """A room that stood still though nothing was broken any more."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One broken promise."""

    kind: Kind
    where: str
    """The room, its game, and the player where it is one's."""
    what: str

    def __str__(self) -> str:
        return f"{self.kind.value}: {self.where}: {self.what}"

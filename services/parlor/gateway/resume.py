"""What of a room's feed a follower has not been given. Pure: it decides, others read and send."""

import enum
from collections.abc import Sequence

from parlor.v1.feed_pb2 import FeedEntry, Head

Audience = int | None
"""A seat, or None for the spectators."""

Position = tuple[int, bytes]
"""Number and token of the last entry received; (0, b"") before the first."""


class Lost(enum.Enum):
    """Why a position cannot be continued from the feed; a view takes its place."""

    TOO_OLD = "too_old"
    """What came after it is not kept any more."""
    SEAT_CHANGED = "seat_changed"
    """It is another audience's: the player sat elsewhere, or seats changed since."""
    REWOUND = "rewound"
    """The store never gave it, or has lost it: it went back in time."""


def head_of(entry: FeedEntry, audience: Audience) -> Head:
    """Where the audience stands after the entry; before everything for a seat that does not exist."""
    if audience is None:
        return entry.spectators
    return entry.seats[audience] if audience < len(entry.seats) else Head()


def position_of(head: Head) -> Position:
    """A head as a position."""
    return head.seq, head.token


def delivery_to(entry: FeedEntry, audience: Audience) -> int | None:
    """Which of the entry's deliveries is the audience's, if any."""
    for index, delivery in enumerate(entry.deliveries):
        if delivery.spectators if audience is None else audience in delivery.seats:
            return index
    return None


def after(
    feed: Sequence[FeedEntry], position: Position, audience: Audience
) -> Sequence[FeedEntry] | Lost:
    """The entries of the feed, oldest first, behind `position`; `feed` has at least one entry.

    Entries that bring the audience nothing are among them.
    """
    for index in range(len(feed) - 1, -1, -1):
        if position_of(head_of(feed[index], audience)) == position:
            later = feed[index + 1 :]
            # Numbers are counted per audience: behind a change of seats they may be another's.
            return Lost.SEAT_CHANGED if any(entry.seating_changed for entry in later) else later
    if any(position in _positions(entry) for entry in feed):
        return Lost.SEAT_CHANGED
    return Lost.TOO_OLD if position[0] < head_of(feed[0], audience).seq else Lost.REWOUND


def _positions(entry: FeedEntry) -> list[Position]:
    return [position_of(head) for head in (*entry.seats, entry.spectators)]

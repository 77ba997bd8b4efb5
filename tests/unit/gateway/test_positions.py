"""What a follower is missing, decided from the feed alone."""

from collections.abc import Sequence

import pytest

from parlor.gateway.resume import Lost, after, delivery_to
from parlor.v1.feed_pb2 import Delivery, FeedEntry, Head


def _entry(
    token: str, *seats: tuple[int, str], watch: tuple[int, str], moved: bool = False
) -> FeedEntry:
    """An entry after which the seats and the spectators stand there."""
    return FeedEntry(
        token=token.encode(),
        seats=[Head(seq=seq, token=head.encode()) for seq, head in seats],
        spectators=Head(seq=watch[0], token=watch[1].encode()),
        seating_changed=moved,
    )


# Seat 0 sees a, b and d; seat 1 sees all; spectators see a and d.
FEED = [
    _entry("a", (1, "a"), (1, "a"), watch=(1, "a")),
    _entry("b", (2, "b"), (2, "b"), watch=(1, "a")),
    _entry("c", (2, "b"), (3, "c"), watch=(1, "a")),
    _entry("d", (3, "d"), (4, "d"), watch=(2, "d")),
]
MOVED = [*FEED, _entry("e", (4, "e"), (5, "e"), watch=(3, "e"), moved=True)]


@pytest.mark.parametrize(
    ("feed", "position", "audience", "expected"),
    [
        pytest.param(FEED, (1, b"a"), 0, "bcd", id="from the beginning"),
        pytest.param(FEED, (2, b"b"), 0, "d", id="an entry without a number is no gap"),
        pytest.param(FEED, (3, b"c"), 1, "d", id="another seat has other numbers"),
        pytest.param(FEED, (1, b"a"), None, "d", id="spectators"),
        pytest.param(FEED, (2, b"d"), None, "", id="nothing is missing"),
        pytest.param(MOVED, (4, b"e"), 0, "", id="after seats changed"),
        pytest.param(MOVED, (3, b"d"), 0, Lost.SEAT_CHANGED, id="seats changed since"),
        pytest.param(FEED, (3, b"c"), 0, Lost.SEAT_CHANGED, id="a position of another seat"),
        pytest.param(FEED, (0, b"z"), 0, Lost.TOO_OLD, id="before what is kept"),
        pytest.param(FEED, (4, b"e"), 0, Lost.REWOUND, id="ahead of the store"),
        pytest.param(FEED, (2, b"x"), 0, Lost.REWOUND, id="another life of the number"),
    ],
)
def test_what_is_missing_behind_a_position(
    feed: Sequence[FeedEntry],
    position: tuple[int, bytes],
    audience: int | None,
    expected: str | Lost,
) -> None:
    later = after(feed, position, audience)
    if isinstance(expected, Lost):
        assert later is expected
    else:
        assert not isinstance(later, Lost)
        assert b"".join(entry.token for entry in later).decode() == expected


def test_a_delivery_is_found_by_seat_or_for_spectators() -> None:
    entry = FeedEntry(
        deliveries=[Delivery(seats=[0, 2], seq=1), Delivery(seats=[1], spectators=True, seq=1)]
    )
    assert [delivery_to(entry, audience) for audience in (0, 1, 2, 3, None)] == [0, 1, 0, None, 1]

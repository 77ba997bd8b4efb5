"""Campaigns with several forms of Redis share the kills that are asked for."""

import pytest

from tests.chaos.__main__ import FORMS, share


@pytest.mark.parametrize(
    ("kills", "most", "made"),
    [
        pytest.param(1_000, [400, 400, 400], [334, 333, 333], id="each its part"),
        pytest.param(1_000, [100, 500, 500], [100, 450, 450], id="others make up for one"),
        pytest.param(2, [9, 9, 9], [1, 1, 1], id="fewer than campaigns"),
    ],
)
def test_all_campaigns_together_make_the_kills_that_are_asked_for(
    kills: int, most: list[int], made: list[int]
) -> None:
    """`most` is what each manages in its time."""
    done: list[int] = []
    for left, manages in zip(range(len(FORMS), 0, -1), most, strict=True):
        done.append(min(manages, share(kills, sum(done), left)))
    assert done == made


def test_no_number_is_shared_where_none_is_asked_for() -> None:
    assert share(0, 7, 2) == 0

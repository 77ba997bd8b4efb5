"""Nobody is lost, and nobody sits twice, while those who match are killed."""

import pytest

from tests.chaos.matching import run
from tests.stalls import BrokenPromise


@pytest.mark.slow
@pytest.mark.timeout(900)
async def test_everybody_who_asks_gets_one_seat_while_processes_die() -> None:
    outcome = await run(seconds=8, players=8, seed=7)
    if outcome.twice or outcome.lost > outcome.late:
        raise BrokenPromise("\n".join(outcome.notes))
    assert outcome.is_clean, outcome.notes
    assert sum(outcome.kills.values()) >= 2
    assert outcome.matched >= outcome.players

"""The walk through parties and private rooms goes through."""

import asyncio

import pytest

from parlor import cli
from tests.integration.play.support import deployment
from tests.integration.play.test_inviting_bots import bots


async def test_three_guests_meet_as_a_party_and_in_a_private_room(
    redis_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    async with deployment(redis_url, gateways=1) as (url,), bots(redis_url, [url]):
        with pytest.raises(SystemExit) as left:
            await asyncio.to_thread(cli.main, ["meet", "--url", url])
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert "Bob joins it: Ada, Bob" in said
    assert "all of them are led to s" in said
    assert "they play: Cyd, Bob, Ada" in said
    assert "Ada plays with 2 bots until Bob comes and takes seat 1" in said

"""Parties: people who find each other by a code and go to one table."""

import asyncio
from collections.abc import Sequence

import pytest

from parlor.matchmaking.config import MatchmakingConfig
from parlor.matchmaking.desk import Desk as TicketDesk
from parlor.matchmaking.engines import Engines
from parlor.matchmaking.parties import ALPHABET, MOST_MEMBERS, Parties
from parlor.matchmaking.places import Places
from parlor.matchmaking.store import QUEUED, PoolStore
from parlor.matchmaking.tickets import Member
from parlor.serving.channels import Channels
from parlor.serving.errors import ServiceError
from parlor.serving.invitations import Invitations
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1 import matchmaking_service_pb2 as pb
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.jinxian_pb2 import JinxianConfig
from parlor.v1.matchmaking_pb2 import PartyUpdate
from parlor.v1.planes_pb2 import PlanesConfig
from parlor.v1.room_pb2 import GameConfig
from tests.integration.matchmaking.support import (
    ASSIGNED,
    CANCELLED,
    WAITING,
    Desk,
    engine,
    matchmaking,
    refused,
    ticket_request,
)

KEYS = Keys()
JINXIAN = GameConfig(jinxian=JinxianConfig())
PLANES = GameConfig(planes=PlanesConfig())


async def test_a_party_sits_down_at_one_table_with_whoever_fits(
    redis_url: str, batch: Batch
) -> None:
    async with engine(redis_url, "jinxian"), matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob", "cyd")
        # Two who came before do not fit, one does.
        pair = await desk.gather("eve", "fay")
        await desk.create("eve", JINXIAN, party_code=pair)
        ticket = await desk.create("ada", JINXIAN, party_code=code)
        assert list(ticket.players) == ["ada", "bob", "cyd"]
        end = await desk.play("dan", JINXIAN)
        assert end.state == ASSIGNED
        assert (await desk.updates("bob", ticket.ticket_id))[-1].room_id == end.room_id
        players = Players(batch, KEYS)
        for name in ("ada", "bob", "cyd", "dan"):
            assert await players.place(name) == f"room:{end.room_id}"
        assert (await desk.get("fay")).state == WAITING


async def test_every_member_holds_the_ticket_and_may_give_it_back(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob")
        ticket = await desk.create("ada", party_code=code)
        assert (await desk.get("bob")).ticket_id == ticket.ticket_id
        assert (await desk.create("bob")).ticket_id == ticket.ticket_id
        assert (await desk.cancel("bob")).state == CANCELLED
        players = Players(batch, KEYS)
        assert [await players.place(name) for name in ("ada", "bob")] == ["", ""]


async def test_a_member_who_is_busy_keeps_the_party_out_of_the_queue(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob", "cyd")
        await Players(batch, KEYS).take("bob", "room:s1-doudizhu-abcdef")
        assert await refused(desk.create("ada", party_code=code)) == "PLAYER_BUSY"
        # Nobody is held, and nothing is in the queue.
        players = Players(batch, KEYS)
        assert [await players.place(name) for name in ("ada", "cyd")] == ["", ""]
        assert not await batch.call("KEYS", "*ticket:*")


@pytest.mark.parametrize(
    ("config", "leader", "code", "reason"),
    [
        pytest.param(PLANES, "ada", "theirs", "PARTY_TOO_LARGE", id="larger than the table"),
        pytest.param(JINXIAN, "bob", "theirs", "NOT_PARTY_LEADER", id="not the leader"),
        pytest.param(JINXIAN, "eve", "theirs", "PARTY_NOT_FOUND", id="not in it"),
        pytest.param(JINXIAN, "ada", "AAAAAA", "PARTY_NOT_FOUND", id="forged"),
        pytest.param(JINXIAN, "ada", "{x}\n00", "PARTY_NOT_FOUND", id="no code at all"),
    ],
)
async def test_what_no_party_may_do_is_refused_and_nothing_enters_the_queue(
    redis_url: str, batch: Batch, config: GameConfig, leader: str, code: str, reason: str
) -> None:
    async with matchmaking(redis_url) as desk:
        theirs = await desk.gather("ada", "bob", "cyd")
        code = theirs if code == "theirs" else code
        assert await refused(desk.create(leader, config, party_code=code)) == reason
    assert not await batch.call("KEYS", "*ticket:*")
    assert await Players(batch, KEYS).place(leader) == ""


async def test_a_player_is_in_one_party(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob")
        assert await desk.gather("ada") == code
        assert (await desk.join("bob", code.lower())).version == 2
        other = await desk.gather("cyd")
        assert await refused(desk.join("bob", other)) == "PLAYER_BUSY"
        assert await refused(desk.gather("bob")) == "PLAYER_BUSY"
        await desk.leave("bob")
        assert [m.player for m in (await desk.join("bob", other)).members] == ["cyd", "bob"]


async def test_a_party_takes_no_more_than_the_largest_table_twice(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather(*(f"p{n}" for n in range(MOST_MEMBERS)))
        assert await refused(desk.join("late", code)) == "PARTY_FULL"


async def test_all_who_join_at_once_are_in(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk, matchmaking(redis_url) as other:
        code = await desk.gather("ada")
        names = [f"p{n}" for n in range(MOST_MEMBERS - 1)]
        await asyncio.gather(
            *((desk, other)[n % 2].join(name, code) for n, name in enumerate(names))
        )
        assert {m.player for m in (await desk.join("p0", code)).members} == {"ada", *names}


async def test_the_leader_takes_others_out_and_the_next_one_leads(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob", "cyd")
        assert await refused(desk.leave("bob", "cyd")) == "NOT_PARTY_LEADER"
        assert await refused(desk.leave("ada", "eve")) == "PARTY_NOT_FOUND"
        assert [m.player for m in (await desk.leave("ada", "cyd")).members] == ["ada", "bob"]
        assert await refused(desk.leave("cyd")) == "PARTY_NOT_FOUND"
        assert [m.player for m in (await desk.leave("ada")).members] == ["bob"]
        await desk.create("bob", party_code=code)
        assert (await desk.leave("bob")).code == ""
        assert await refused(desk.join("dan", code)) == "PARTY_NOT_FOUND"


async def test_who_leaves_takes_the_waiting_ticket_back(redis_url: str, batch: Batch) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob")
        ticket = await desk.create("ada", party_code=code)
        await desk.leave("bob")
        assert (await desk.get("ada", ticket.ticket_id)).state == CANCELLED
        assert await Players(batch, KEYS).place("ada") == ""


async def test_a_repeat_tells_the_party_of_the_ticket_that_it_was_not_told_of(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob")
        ticket = await desk.create("ada", party_code=code)
        # As a replica leaves it that dies between the ticket and the party.
        await batch.call("HSET", KEYS.party(code), "ticket", "")
        assert (await desk.create("ada", party_code=code)).ticket_id == ticket.ticket_id
        assert (await desk.join("bob", code)).ticket_id == ticket.ticket_id


async def test_a_repeat_for_a_party_that_has_changed_gives_the_ticket_back(
    redis_url: str, batch: Batch
) -> None:
    async with matchmaking(redis_url) as desk:
        code = await desk.gather("ada", "bob")
        ticket = await desk.create("ada", party_code=code)
        await batch.call("HSET", KEYS.party(code), "ticket", "")
        await desk.join("cyd", code)
        assert await refused(desk.create("ada", party_code=code)) == "CONFLICT"
        assert (await desk.get("ada", ticket.ticket_id)).state == CANCELLED
        assert await Players(batch, KEYS).place("bob") == ""
        assert list((await desk.create("ada", party_code=code)).players) == ["ada", "bob", "cyd"]


async def test_a_leader_who_leaves_while_the_ticket_is_taken_leaves_nobody_on_it(
    redis_url: str, batch: Batch
) -> None:
    parties = Parties(batch, KEYS, keep_ms=60_000)

    class LeftMeanwhile:
        """Looking ratings up takes a moment, in which the leader goes."""

        async def of(self, players: Sequence[str], pool: str) -> float:
            await parties.leave("ada", "ada")
            return 25.0

        async def of_each(self, players: Sequence[tuple[str, str]]) -> list[float]:
            raise AssertionError("a party's rating is asked for")

    store, engines = PoolStore(batch, KEYS), Engines(batch, KEYS, open_ms=1, channels=Channels())
    desk = TicketDesk(
        store,
        Places(batch, KEYS, store, engines),
        parties,
        LeftMeanwhile(),
        MatchmakingConfig().tables(),
        Invitations(batch, KEYS),
        RedisClock(batch),
    )
    party = await parties.create(Member("ada", "Ada"))
    await parties.join(party.code, Member("bob", "Bob"))
    with pytest.raises(ServiceError) as refusal_of:
        await desk.create(ticket_request("ada", party_code=party.code))
    assert refusal_of.value.reason == ErrorReason.ERROR_REASON_PARTY_NOT_FOUND
    assert await batch.call("KEYS", KEYS.pools_pattern(QUEUED)) == []
    for name in ("ada", "bob"):
        assert await Players(batch, KEYS).place(name) == ""
    await engines.aclose()


async def test_a_party_is_followed_until_it_ends(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk, matchmaking(redis_url) as other:
        code = await desk.gather("ada", "bob")
        seen: asyncio.Queue[PartyUpdate] = asyncio.Queue()

        async def watch() -> None:
            async for response in other.stub.WatchParty(pb.WatchPartyRequest(player="bob")):
                seen.put_nowait(response.party)

        watching = asyncio.create_task(watch())
        async with asyncio.timeout(60):
            assert [m.player for m in (await seen.get()).members] == ["ada", "bob"]
            await desk.join("cyd", code)
            assert [m.player for m in (await seen.get()).members] == ["ada", "bob", "cyd"]
            ticket = await desk.create("ada", party_code=code)
            assert (await seen.get()).ticket_id == ticket.ticket_id
            await desk.leave("ada", "bob")
            assert (await seen.get()).code == ""
            await watching


def test_codes_are_of_letters_that_nobody_mistakes() -> None:
    assert len(set(ALPHABET)) == 32
    assert not set("01IO") & set(ALPHABET)


async def test_a_backend_brings_a_party_of_its_own(redis_url: str) -> None:
    async with matchmaking(redis_url) as desk:
        members = [{"player": "bob", "name": "Bob"}]
        ticket = await desk.create("ada", members=members, rating=12.0)
        assert list(ticket.players) == ["ada", "bob"]
        twice = [{"player": "dan"}, {"player": "dan"}]
        assert await refused(desk.create("cyd", members=twice)) == "MALFORMED"
        assert await refused(_both(desk)) == "MALFORMED"


async def _both(desk: Desk) -> None:
    code = await desk.gather("eve")
    await desk.create("eve", party_code=code, members=[{"player": "fay"}])

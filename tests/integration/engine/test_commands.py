"""What players ask of a room between and during games."""

import hashlib

import pytest

from parlor.rules.chance import mix
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.doudizhu_pb2 import DouDizhuAction
from parlor.v1.engine_service_pb2 import Player
from tests.integration.engine.support import (
    KEYS,
    Guest,
    Replica,
    awaited,
    feed,
    playing,
    seated,
    version,
)


async def test_a_game_begins_when_every_seat_is_ready(engine: Replica) -> None:
    ann, bob, cat = await seated(engine)
    await ann.accepted(ready=play_pb2.Ready(ready=True))
    await bob.accepted(ready=play_pb2.Ready(ready=True))
    await bob.accepted(ready=play_pb2.Ready(ready=False))
    await cat.accepted(ready=play_pb2.Ready(ready=True))
    assert (await ann.look()).status == room_pb2.ROOM_STATUS_OPEN
    await bob.accepted(ready=play_pb2.Ready(ready=True))
    view = await ann.look()
    assert view.status == room_pb2.ROOM_STATUS_PLAYING
    assert (view.game_no, len(view.doudizhu.hands[0].cards)) == (1, 17)


async def test_every_entry_raises_the_number_of_its_audience_by_one(engine: Replica) -> None:
    ann, *_ = await playing(engine)
    entries = await feed(engine, ann.room_id)
    for audience in (0, 1, 2, None):
        numbers = [
            delivery.seq
            for entry in entries
            for delivery in entry.deliveries
            if (audience in delivery.seats if audience is not None else delivery.spectators)
        ]
        assert numbers == list(range(1, len(numbers) + 1))
    assert (await ann.look()).seq == entries[-1].seats[0].seq


async def test_a_repeat_gets_the_first_answer_and_changes_nothing(redis_url: str) -> None:
    from tests.integration.engine.support import replica

    async with replica(redis_url) as one, replica(redis_url) as other:
        ann, *_ = await seated(one)
        ready = play_pb2.Ready(ready=True)
        first = await ann.command(request_id="r1", ready=ready)
        before = await version(one, ann.room_id)
        assert await ann.command(request_id="r1", ready=ready) == first
        # Another replica knows it from the record.
        assert await Guest("ann", ann.room_id, other).command(request_id="r1", ready=ready) == first
        assert await version(one, ann.room_id) == before


async def test_a_request_id_is_not_taken_for_other_content(engine: Replica) -> None:
    ann, *_ = await seated(engine)
    await ann.accepted(request_id="r1", ready=play_pb2.Ready(ready=True))
    assert (
        await ann.refused(request_id="r1", ready=play_pb2.Ready(ready=False)) == "REQUEST_ID_REUSED"
    )


async def test_sixteen_answers_are_remembered_per_player(engine: Replica) -> None:
    ann, bob, _ = await seated(engine)
    for number in range(17):
        await ann.accepted(request_id=f"r{number}", ready=play_pb2.Ready(ready=number % 2 == 0))
    await bob.accepted(request_id="r1", ready=play_pb2.Ready(ready=True))
    before = await version(engine, ann.room_id)
    await ann.accepted(request_id="r1", ready=play_pb2.Ready(ready=False))
    assert await version(engine, ann.room_id) == before
    await ann.accepted(request_id="r0", ready=play_pb2.Ready(ready=True))
    assert await version(engine, ann.room_id) == before + 1


async def test_the_host_swaps_and_kicks_and_nobody_else(engine: Replica) -> None:
    ann, bob, cat = await seated(engine)
    swap = play_pb2.SwapSeats(first=0, second=2)
    assert await bob.refused(swap_seats=swap) == "NOT_HOST"
    await ann.accepted(swap_seats=swap)
    view = await ann.look()
    assert ([seat.player for seat in view.seats], view.host) == (["cat", "bob", "ann"], 2)
    assert await ann.refused(kick=play_pb2.Kick(seat=2)) == "MALFORMED"
    await ann.accepted(kick=play_pb2.Kick(seat=0))
    assert await cat.refused(ready=play_pb2.Ready(ready=True)) == "NOT_SEATED"
    # The kicked player is free to sit down elsewhere.
    await engine.open(players=[Player(player="cat")])


async def test_the_host_role_passes_on_when_the_host_leaves(engine: Replica) -> None:
    ann, bob, _ = await seated(engine)
    await ann.accepted(leave=play_pb2.Leave())
    assert (await bob.look()).host == 1


async def test_leaving_a_running_game_frees_the_player_and_keeps_the_seat(engine: Replica) -> None:
    ann, bob, _ = await playing(engine)
    await ann.accepted(leave=play_pb2.Leave())
    view = await bob.look()
    assert (view.seats[0].player, view.seats[0].online) == ("ann", False)
    assert view.doudizhu.table.autoplay.seats[0]
    assert await ann.refused(dissolve=play_pb2.Dissolve(agree=True)) == "NOT_SEATED"
    await engine.open(players=[Player(player="ann")])
    entries = await feed(engine, ann.room_id)
    assert (entries[-1].seating_changed, list(entries[-1].seating)) == (True, ["", "bob", "cat"])


async def test_a_game_ends_by_the_vote_of_all_who_are_there(engine: Replica) -> None:
    ann, bob, cat = await playing(engine)
    agree = play_pb2.Dissolve(agree=True)
    await ann.accepted(dissolve=agree)
    await bob.accepted(dissolve=play_pb2.Dissolve(agree=False))
    assert not (await ann.look()).HasField("dissolve")
    for guest in (ann, bob, cat):
        await guest.accepted(dissolve=agree)
    view = await ann.look()
    assert (view.status, view.result.reason) == (room_pb2.ROOM_STATUS_FINISHED, "DISSOLVED")
    assert list(view.result.scores) == [0, 0, 0]


async def test_the_seed_is_revealed_with_the_result_and_was_committed_to(engine: Replica) -> None:
    guests = await playing(engine)
    committed = (await guests[0].look()).commitment
    for guest in guests:
        await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
    view = await guests[0].look()
    assert hashlib.sha256(view.result.seed).digest() == committed
    assert list(view.result.entropy) == [b"ann", b"bob", b"cat"]
    assert mix(view.result.entropy) != mix([b"", b"", b""])
    # The next game has another seed, committed to already.
    assert view.commitment not in (committed, b"")
    assert view.HasField("ready_time")


async def test_players_play_again_and_games_are_numbered(engine: Replica) -> None:
    guests = await playing(engine)
    for guest in guests:
        await guest.accepted(dissolve=play_pb2.Dissolve(agree=True))
    for guest in guests:
        await guest.accepted(ready=play_pb2.Ready(ready=True))
    assert (await guests[0].look()).game_no == 2
    logs = await engine.redis.keys(KEYS.log(guests[0].room_id, 1)[:-1] + "*")
    assert len(logs) == 2


async def test_what_is_said_is_numbered_and_moves_no_audience(engine: Replica) -> None:
    ann, bob, _ = await seated(engine)
    before = (await bob.look()).seq, await version(engine, ann.room_id)
    await ann.accepted(request_id="s1", say=play_pb2.Say(text="你好"))
    await ann.accepted(request_id="s1", say=play_pb2.Say(text="你好"))
    await bob.accepted(say=play_pb2.Say(text="<b>hi</b>"))
    view = await bob.look()
    assert [(line.number, line.player, line.text) for line in view.chat] == [
        (1, "ann", "你好"),
        (2, "bob", "<b>hi</b>"),
    ]
    assert (view.seq, await version(engine, ann.room_id)) == before


@pytest.mark.parametrize("text", ["", "x" * 121, "a\nb", "\x00"])
async def test_unsayable_text_is_refused(engine: Replica, text: str) -> None:
    ann, *_ = await seated(engine)
    assert await ann.refused(say=play_pb2.Say(text=text)) == "MALFORMED"


async def test_fifty_lines_of_chat_are_kept(engine: Replica) -> None:
    ann, *_ = await seated(engine)
    for number in range(53):
        await ann.accepted(say=play_pb2.Say(text=str(number)))
    chat = (await ann.look()).chat
    assert [line.number for line in chat] == list(range(4, 54))


async def test_an_answer_to_a_decision_that_is_over_is_refused(engine: Replica) -> None:
    guests = await playing(engine)
    guest, decision = await awaited(guests)
    assert (await guest.act(decision, bid=0)).HasField("accepted")
    refused = await guest.act(decision - 1, bid=0)
    assert refused.refused.reason == 102  # DECISION_OVER
    assert (await guest.act(decision, bid=3)).HasField("refused")


async def test_a_malformed_action_is_refused_with_the_path_of_its_field(engine: Replica) -> None:
    guest, decision = await awaited(await playing(engine))
    nothing = play_pb2.Action(decision=decision, doudizhu=DouDizhuAction())
    refused = (await guest.command(act=nothing)).refused
    assert refused.metadata["field"] == "command.act.doudizhu.action"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        pytest.param({}, "MALFORMED", id="nothing is asked"),
        pytest.param({"act": play_pb2.Action()}, "WRONG_STATUS", id="no game runs"),
        pytest.param({"dissolve": play_pb2.Dissolve(agree=True)}, "WRONG_STATUS", id="no vote"),
        pytest.param({"join": play_pb2.Join(seat=1)}, "", id="seated already"),
        pytest.param(
            {"ready": play_pb2.Ready(ready=True, entropy=bytes(33))}, "MALFORMED", id="entropy"
        ),
        pytest.param({"swap_seats": play_pb2.SwapSeats()}, "MALFORMED", id="one seat twice"),
        pytest.param({"kick": play_pb2.Kick(seat=9)}, "MALFORMED", id="no such seat"),
    ],
)
async def test_commands_out_of_place_are_refused_and_change_nothing(
    engine: Replica, command: dict[str, object], reason: str
) -> None:
    ann, *_ = await seated(engine)
    before = await ann.look()
    if reason:
        assert await ann.refused(**command) == reason
    else:
        await ann.accepted(**command)
    after = await ann.look()
    after.view_time.CopyFrom(before.view_time)
    assert after == before


async def test_strangers_and_unknown_rooms_get_their_own_reasons(engine: Replica) -> None:
    ann, *_ = await seated(engine)
    dan = Guest("dan", ann.room_id, engine)
    assert await dan.refused(ready=play_pb2.Ready(ready=True)) == "NOT_SEATED"
    assert await dan.refused(join=play_pb2.Join()) == "ROOM_FULL"
    assert await dan.refused(join=play_pb2.Join(seat=0)) == "SEAT_TAKEN"
    for unknown in ("s1-doudizhu-aaaaaaaa", "s1-planes-aaaaaaaa", "nowhere", ""):
        assert await Guest("dan", unknown, engine).refused(leave=play_pb2.Leave()) == (
            "ROOM_NOT_FOUND"
        )


async def test_a_refused_join_leaves_the_player_free(engine: Replica) -> None:
    ann, *_ = await seated(engine)
    await Guest("dan", ann.room_id, engine).refused(join=play_pb2.Join())
    await engine.open(players=[Player(player="dan")])


async def test_a_place_with_nothing_behind_it_is_taken_over(engine: Replica) -> None:
    """As a process leaves it that dies between the place and the seat."""
    await engine.redis.hset(
        KEYS.player("ann"), mapping={"place": "room:s1-doudizhu-aaaaaaaa", "since": 1}
    )
    await engine.open(players=[Player(player="ann")])


async def test_spectators_see_no_hand_and_may_be_kept_out(engine: Replica) -> None:
    guests = await playing(engine)
    dan = Guest("dan", guests[0].room_id, engine)
    answer = await engine.call("dan", look={"room_id": dan.room_id})
    assert answer.refused.reason == 42  # NO_SPECTATORS
    open_room = await engine.open(
        options=room_pb2.RoomOptions(spectators=True), players=[Player(player="eve")]
    )
    view = await Guest("dan", open_room, engine).look()
    assert not view.HasField("seat")

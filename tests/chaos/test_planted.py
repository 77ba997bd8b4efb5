"""Bugs planted in a running engine: each makes the checker fail, and the engine without them passes."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from parlor.engine import audiences, room_clocks, scripts, sealing, store, views
from parlor.engine import engine as served_views
from parlor.engine.formats import RELEASED
from parlor.engine.lanes import FAULTS, Lanes
from parlor.engine.record import Head
from parlor.engine.store import Commit, RoomStore, Stored
from parlor.rules.catalog import GAMES
from parlor.rules.doudizhu.events import Dealt
from parlor.rules.game import Audience, Seat
from parlor.serving.redis import Script
from parlor.serving.redis_clock import RedisClock
from tests.chaos.checker import Kind
from tests.chaos.recorded import Recording, engine_of, recording
from tests.conftest import Eventually
from tests.integration.engine.support import KEYS

Patch = pytest.MonkeyPatch


def without(script: Script, *changes: tuple[str, str]) -> Script:
    """The script with parts replaced, each of which it must have."""
    text = script.text
    for part, other in changes:
        assert part in text
        text = text.replace(part, other)
    return Script(text)


async def test_an_acknowledgement_before_the_commit(redis_url: str, monkeypatch: Patch) -> None:
    true_commit, moves = RoomStore.commit, 0

    async def commit(self: RoomStore, commit: Commit) -> Stored:
        nonlocal moves
        moves += commit.line is not None and commit.line.what == "act"
        if moves == 4:
            moves += 1
            record = RELEASED.encode(commit.room.record, 1)
            return Stored(commit.room, store._kept_after(commit, record))
        return await true_commit(self, commit)

    monkeypatch.setattr(RoomStore, "commit", commit)
    async with engine_of(redis_url) as engine:
        game = await recording(engine)
        await game.play(moves=10, lapse=-1)
        verdict = await game.judged()
    assert Kind.LOST in verdict.kinds


async def test_a_commit_without_its_version_check(redis_url: str, monkeypatch: Patch) -> None:
    """Two replicas hold the room; what one has committed, the other does not look for."""
    unchecked = without(
        scripts.COMMIT,
        ("held[1] ~= ARGV[2] or held[2] ~= ARGV[3]", "false"),
        (">= tonumber(ARGV[5])", "> tonumber(ARGV[5])"),
        ("'-0'", "'-*'"),
    )
    monkeypatch.setattr(scripts, "COMMIT", unchecked)
    async with engine_of(redis_url) as engine, engine_of(redis_url) as other:
        game = await recording(engine, bid_limit="30s")
        seat, view = await game.awaited()
        game.guests[seat].engine = other
        await game.guests[seat].look()
        await game.act(seat, view)
        await game.act(seat, view, through=other)
        verdict = await game.judged()
    assert Kind.LOG in verdict.kinds
    assert verdict.acknowledged == 2


async def test_an_event_taken_for_a_deadline(
    redis_url: str, monkeypatch: Patch, eventually: Eventually
) -> None:
    """Whoever hears of a timer runs the clock, and the commit does not ask Redis' time."""

    async def expire(self: Lanes, room_id: str, woken_by: str) -> None:
        async with self.entered(room_id) as lane:
            stored = await self.current(lane, room_id)
            due = room_clocks.earliest(self._host, stored.room)
            assert due is not None
            await self._clocks_run_out(lane, room_id, due.at, woken_by)

    monkeypatch.setattr(Lanes, "expire", expire)
    credulous = without(scripts.COMMIT, ("tonumber(held[3]) > now", "false"))
    monkeypatch.setattr(scripts, "COMMIT", credulous)
    async with engine_of(redis_url) as engine:
        game = await recording(engine, bid_limit="30s")
        log = KEYS.log(game.room_id, 1)
        before = await engine.redis.xlen(log)
        channel = f"__keyspace@0__:{KEYS.timer('doudizhu', game.room_id)}"

        async def acted() -> bool:
            await engine.redis.publish(channel, b"expired")
            return bool(await engine.redis.xlen(log) > before)

        await eventually(acted)
        await game.hear()
        verdict = await game.judged()
    assert Kind.CLOCK in verdict.kinds


async def test_a_clock_that_is_not_looked_at(redis_url: str, monkeypatch: Patch) -> None:
    """A command goes first though a clock was due before it."""
    true_now = RedisClock.now
    late_ms = 0
    monkeypatch.setattr(RedisClock, "now", lambda self: true_now(self) + late_ms)

    async def run_out(self: Lanes, lane: Any, room_id: str, now: int, woken_by: str) -> Stored:
        return await self.current(lane, room_id)

    async with engine_of(redis_url) as engine:
        game = await recording(engine)
        monkeypatch.setattr(Lanes, "_clocks_run_out", run_out)
        seat, view = await game.awaited()
        late_ms = 40
        await stall(game)
        await game.act(seat, view)
        verdict = await game.judged()
    assert Kind.CLOCK in verdict.kinds


async def test_a_clock_that_is_dated_when_it_is_noticed(redis_url: str, monkeypatch: Patch) -> None:
    true_earliest = room_clocks.earliest

    def earliest(served: Any, room: Any) -> Any:
        due = true_earliest(served, room)
        return replace(due, at=due.at + 25) if due is not None and due.clock == "game" else due

    monkeypatch.setattr(room_clocks, "earliest", earliest)
    async with engine_of(redis_url) as engine:
        game = await recording(engine)
        await game.play(moves=8)
        verdict = await game.judged()
    assert verdict.kinds == {Kind.CLOCK}
    assert all("dated 25 ms after" in finding.what for finding in verdict.findings)


async def stall(game: Recording) -> None:
    """Waits until the turn's timer is gone."""
    key = KEYS.timer("doudizhu", game.room_id)
    while await game.engine.redis.exists(key):
        pass


class Broken:
    """Dou Dizhu in which no move is possible, by a defect."""

    def __getattr__(self, name: str) -> Any:
        return getattr(GAMES["doudizhu"], name)

    def apply(self, state: Any, seat: Seat, action: Any, at: int) -> Any:
        raise ZeroDivisionError


async def test_a_room_that_is_closed_after_a_defect(redis_url: str) -> None:
    broken: Any = Broken()
    async with engine_of(redis_url, broken) as engine:
        game = await recording(engine, bid_limit="600s")
        seat, view = await game.awaited()
        for _ in range(FAULTS):
            await game.answer(seat, view)
        await game.hear()
        in_steps = await game.judged()
        for history in game.histories:
            history.happened = history.happened[:1]
        await game.come_back()
        in_a_view = await game.judged()
    assert in_steps.kinds == in_a_view.kinds == {Kind.STUCK}


class Leaky:
    """Dou Dizhu in which everybody is dealt everybody's cards."""

    def __getattr__(self, name: str) -> Any:
        return getattr(GAMES["doudizhu"], name)

    def observe(self, event: Any, audience: Audience) -> Any:
        if isinstance(event, Dealt):
            return event
        return GAMES["doudizhu"].observe(event, audience)


async def test_leaked_cards(redis_url: str) -> None:
    game: Any = Leaky()
    async with engine_of(redis_url, game) as engine:
        played = await recording(engine)
        verdict = await played.judged()
    assert verdict.kinds == {Kind.LEAK}


class Open:
    """Dou Dizhu in which spectators see what the first seat sees."""

    def __getattr__(self, name: str) -> Any:
        return getattr(GAMES["doudizhu"], name)

    def observe(self, event: Any, audience: Audience) -> Any:
        return GAMES["doudizhu"].observe(event, audience or Seat(0))

    def view(self, state: Any, audience: Audience) -> Any:
        return GAMES["doudizhu"].view(state, audience or Seat(0))


async def test_a_spectator_who_is_shown_a_seats_cards(redis_url: str) -> None:
    game: Any = Open()
    async with engine_of(redis_url, game) as engine:
        played = await recording(engine)
        in_steps = await played.judged()
        del played.histories[-1].happened[1:]
        await played.come_back()
        in_a_view = await played.judged()
    assert in_steps.kinds == in_a_view.kinds == {Kind.LEAK}


async def test_a_spectator_who_is_taken_for_a_seat(redis_url: str, monkeypatch: Patch) -> None:
    true_view: Callable[..., Any] = views.room_view

    def room_view(host: Any, room: Any, audience: Audience, **more: Any) -> Any:
        return true_view(host, room, audience or Seat(0), **more)

    async with engine_of(redis_url) as engine:
        game = await recording(engine)
        monkeypatch.setattr(served_views, "room_view", room_view)
        await game.come_back()
        verdict = await game.judged()
    assert Kind.LEAK in verdict.kinds


async def test_a_number_left_out_for_spectators(redis_url: str, monkeypatch: Patch) -> None:
    true_entry: Callable[..., Any] = audiences.feed_entry

    def feed_entry(served: Any, before: Any, record: Any, *rest: Any, **more: Any) -> Any:
        entry = true_entry(served, before, record, *rest, **more)
        if record.game_no and record.heads[-1].seq == 9:
            for delivery in entry.deliveries:
                delivery.spectators = False
        return entry

    monkeypatch.setattr(sealing, "feed_entry", feed_entry)
    async with engine_of(redis_url) as engine:
        game = await recording(engine)
        await game.play(moves=14, lapse=-1)
        verdict = await game.judged()
    assert verdict.kinds == {Kind.SEQ}
    assert {finding.where.split()[-1] for finding in verdict.findings} == {"dan"}


async def test_a_number_that_moves_on_a_hidden_answer(redis_url: str, monkeypatch: Patch) -> None:
    def moved_on(heads: tuple[Head, ...], contents: Any, token: bytes) -> tuple[Head, ...]:
        return tuple(Head(seq=head.seq + 1, token=token) for head in heads)

    monkeypatch.setattr(sealing, "moved_on", moved_on)
    async with engine_of(redis_url) as engine:
        game = await recording(engine)
        await game.play()
        verdict = await game.judged()
    assert Kind.SEQ in verdict.kinds


@pytest.mark.parametrize("lost", [3, 8])
async def test_an_entry_that_is_never_published(
    redis_url: str, monkeypatch: Patch, lost: int
) -> None:
    true_entry: Callable[..., Any] = audiences.feed_entry

    def feed_entry(served: Any, before: Any, record: Any, *rest: Any, **more: Any) -> Any:
        is_lost = record.game_no and record.heads[0].seq == lost + 6
        return None if is_lost else true_entry(served, before, record, *rest, **more)

    monkeypatch.setattr(sealing, "feed_entry", feed_entry)
    async with engine_of(redis_url) as engine:
        game = await recording(engine)
        await game.play(moves=14, lapse=-1)
        verdict = await game.judged()
    assert Kind.SEQ in verdict.kinds

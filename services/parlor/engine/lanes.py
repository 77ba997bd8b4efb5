"""The one queue of each room: load, advance what is due, step, commit, and again where that was lost."""

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

import structlog
from redis.exceptions import RedisError

from parlor.engine import commands, metrics, outages, room_clocks
from parlor.engine.host import Host
from parlor.engine.places import Places
from parlor.engine.proposal import Proposal, Propose, Settled
from parlor.engine.record import Room, Status
from parlor.engine.sealing import Sealed, sealed
from parlor.engine.step import Refused, Step
from parlor.engine.store import (
    Answered,
    Commit,
    Early,
    Kept,
    Lost,
    RoomGone,
    RoomStore,
    Skewed,
    Stored,
    Unattended,
)
from parlor.engine.writes import Unconfirmed
from parlor.serving import tracing
from parlor.serving.keys import is_room_id, kind_of, shard_of
from parlor.serving.redis import is_away
from parlor.serving.redis_clock import RedisClock
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.room_pb2 import CloseReason

_log = structlog.get_logger(__name__)

ATTEMPTS = 5
RELOAD_AFTER_S = 0.05
"""Pause before Redis is asked again, times the attempts so far."""
LOOK_AGAIN_S = 0.05
"""Pause before a shard is looked at again whose owner may be gone."""
FAULTS = 3
"""How often one step may fail before its room is closed."""

T = TypeVar("T")


class Defect(Exception):
    """A step raised what no rule raises; nothing was committed. Answered with INTERNAL."""


@dataclass(slots=True)
class Lane:
    """A room's queue and what is known of the room."""

    stored: Stored | None
    """None where Redis has to be asked."""
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    users: int = 0
    """How many hold it or wait for it."""


class Lanes:
    """The rooms that this replica has at hand. Any replica may have any room: the commit decides."""

    def __init__(
        self,
        host: Host,
        store: RoomStore,
        places: Places,
        clock: RedisClock,
        *,
        at_hand: int = 20_000,
    ) -> None:
        self._host = host
        self._store = store
        self._places = places
        self._clock = clock
        self._at_hand = at_hand
        self._lanes: dict[str, Lane] = {}
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._owned: frozenset[int] = frozenset()
        self._playing: set[str] = set()
        """Rooms whose game runs, as far as is known."""
        self._games = 0
        """Those of owned shards: of another's room nobody here would hear of the game's end."""
        self._faults: dict[str, tuple[int, str, int]] = {}
        """By room, the step that failed last: the version that it began from, what it was, how often."""
        self.closed: Callable[[Room], Awaitable[None]] | None = None
        """Called after a room and its keys are gone."""

    def __len__(self) -> int:
        return len(self._lanes) + len(self._kept)

    @asynccontextmanager
    async def entered(self, room_id: str) -> AsyncIterator[Lane]:
        """The room's lane, held alone, in the order of asking; raises RoomGone for another kind's room."""
        if not is_room_id(room_id) or kind_of(room_id) != self._host.game.kind:
            raise RoomGone(room_id)
        lane = self._lanes.get(room_id)
        if lane is None:
            kept = self._kept.pop(room_id, None)
            lane = self._lanes[room_id] = Lane(self._store.recall(kept) if kept else None)
        lane.users += 1
        try:
            async with lane.lock:
                yield lane
        finally:
            lane.users -= 1
            if not lane.users:
                del self._lanes[room_id]
                self._keep(room_id, lane.stored)

    async def current(self, lane: Lane, room_id: str) -> Stored:
        """The room as this replica knows it; raises RoomGone."""
        if lane.stored is None:
            lane.stored = await self._store.load(room_id)
        return lane.stored

    async def fresh(self, lane: Lane, room_id: str) -> Stored:
        """The room as Redis has it now; raises RoomGone."""
        if lane.stored is not None and not await self._store.is_current(lane.stored.room):
            lane.stored = None
        return await self.current(lane, room_id)

    async def change(self, room_id: str, what: str, propose: Propose[T], *, received: int) -> T:
        """Runs one step of a room to its commit and gives its result.

        `received` is when it was asked for, in ms of Redis time: every clock due by then goes
        first. Raises Refused, RoomGone or Defect; with STORE_UNAVAILABLE the step may or may not
        have been committed, with COMMIT_UNCONFIRMED it may or may not last.
        """
        reason = ErrorReason.ERROR_REASON_CONFLICT
        async with self.entered(room_id) as lane:
            for attempt in range(ATTEMPTS):
                try:
                    return await self._attempt(lane, room_id, what, propose, received)
                except Skewed:
                    # Dated anew: what waited for seconds on a busy replica has come late.
                    lane.stored = None
                    await self._clock.measure()
                    received = self._clock.now()
                except Lost:
                    lane.stored = None
                    reason = ErrorReason.ERROR_REASON_CONFLICT
                    metrics.CONFLICTS.labels(self._host.game.kind).inc()
                except Early:
                    # The estimate of Redis time ran ahead of it by a moment.
                    await asyncio.sleep(0.001)
                except RedisError as error:
                    if not is_away(error):
                        raise
                    # The answer was lost, not necessarily the commit: the reload shows which.
                    lane.stored = None
                    reason = ErrorReason.ERROR_REASON_STORE_UNAVAILABLE
                    metrics.UNSURE.labels(self._host.game.kind).inc()
                    await asyncio.sleep(RELOAD_AFTER_S * attempt)
        raise Refused(reason, "nothing is known of the outcome; send the request again")

    async def expire(self, room_id: str, woken_by: str) -> None:
        """Advances every clock of the room that is due by now; harmless when none is."""
        async with self.entered(room_id) as lane:
            try:
                await self._clocks_run_out(lane, room_id, self._clock.now(), woken_by)
            except (Lost, Early):
                # Another replica was there first, or Redis' clock says not yet: the sweep looks again.
                lane.stored = None

    async def _attempt(
        self, lane: Lane, room_id: str, what: str, propose: Propose[T], received: int
    ) -> T:
        known = lane.stored is not None
        try:
            stored = await self._clocks_run_out(lane, room_id, received, "command")
            at = max(received, stored.room.record.at)
            async with self._guard(lane, stored, what, at):
                proposal = await propose(stored, at)
        except Refused:
            # A refusal by a room that has moved on elsewhere would be wrong.
            if (
                known
                and lane.stored is not None
                and not await self._store.is_current(lane.stored.room)
            ):
                raise Lost("stale") from None
            raise
        if isinstance(proposal, Settled):
            if known and not proposal.certain and not await self._store.is_current(stored.room):
                raise Lost("stale")
            return proposal.result
        try:
            return await self._commit(lane, stored, proposal, what=what, at=at, check="command")
        except Unattended:
            await self._catch_up(lane, room_id)
            raise

    async def _clocks_run_out(self, lane: Lane, room_id: str, now: int, woken_by: str) -> Stored:
        """The room after every clock due by `now`, each its own transition dated at its own instant.

        Where the room is ahead of `now`, by then: what was received before its last step is dated
        like that step, and a clock that the step has made may be due already.
        """
        stored = await self.current(lane, room_id)
        while True:
            since = stored.room.record.at
            async with self._guard(lane, stored, "clocks", max(now, since)):
                due = room_clocks.earliest(self._host, stored.room)
            if due is None or due.at > max(now, since):
                return stored
            what, at = f"{due.clock}-clock", max(due.at, since)
            async with self._guard(lane, stored, what, at):
                step = room_clocks.run_out(self._host, stored.room, due)
            try:
                await self._commit(lane, stored, _own(step), what=what, at=at, check="clock")
            except Unattended:
                stored = await self._catch_up(lane, room_id, ran_out=due.at)
                continue
            lateness = max(0, self._clock.now() - due.at) / 1000
            metrics.CLOCK_LATENESS.labels(self._host.game.kind, woken_by).observe(lateness)
            stored = await self.current(lane, room_id)

    async def _catch_up(self, lane: Lane, room_id: str, *, ran_out: int = 0) -> Stored:
        """The room after the outages of its shard that it had missed.

        After a pause where nobody has looked after the shard since `ran_out`: its next beat, or the
        lack of one, will show whether that was in an outage.
        """
        seen = await self._store.look_at_shard(room_id)
        stored = await self.current(lane, room_id)
        missed = outages.missed(seen.outages, stored.room.record)
        if not missed:
            if seen.beat < ran_out:
                # An owner who is there has acted when this is over.
                await asyncio.sleep(LOOK_AGAIN_S)
                lane.stored = None
            return await self.current(lane, room_id)

        at = max(missed[-1].end, stored.room.record.at)
        async with self._guard(lane, stored, "outage", at):
            step = outages.taken_up(self._host, stored.room, missed, at)
        await self._commit(lane, stored, _own(step), what="outage", at=at, check="outage")
        return await self.current(lane, room_id)

    @asynccontextmanager
    async def _guard(self, lane: Lane, stored: Stored, what: str, at: int) -> AsyncIterator[None]:
        """Around what the game does: a defect in it is counted, and the third one closes the room."""
        try:
            yield
        except (Refused, Lost, RedisError):
            raise
        except Exception as error:
            record, kind = stored.room.record, self._host.game.kind
            metrics.FAULTS.labels(kind, type(error).__name__).inc()
            _log.exception("step_failed", room=record.room_id, version=record.version, step=what)
            version, step, times = self._faults.get(record.room_id, (0, "", 0))
            times = times + 1 if (version, step) == (record.version, what) else 1
            self._faults[record.room_id] = (record.version, what, times)
            if times >= FAULTS:
                await self._close_as_faulted(lane, stored, at, error)
            raise Defect(what) from error

    async def _close_as_faulted(
        self, lane: Lane, stored: Stored, at: int, error: Exception
    ) -> None:
        proposal = _own(commands.faulted(stored.room))
        seal = sealed(self._host, stored.room.record, proposal.step, at=at, op=proposal.op)
        await self._store_sealed(lane, stored, proposal, seal, (), check="fault")
        metrics.ROOMS_FAULTED.labels(self._host.game.kind).inc()
        _log.error("room_faulted", room=stored.room.record.room_id, exception=type(error).__name__)

    async def _commit(
        self, lane: Lane, stored: Stored, proposal: Proposal[T], *, what: str, at: int, check: str
    ) -> T:
        async with self._guard(lane, stored, what, at):
            seal = sealed(self._host, stored.room.record, proposal.step, at=at, op=proposal.op)
            result = proposal.result(seal.room)
            answered = proposal.answered(result) if proposal.answered else ()
        await self._store_sealed(lane, stored, proposal, seal, answered, check=check)
        return result

    async def _store_sealed(
        self,
        lane: Lane,
        stored: Stored,
        proposal: Proposal[Any],
        seal: Sealed,
        answered: tuple[Answered, ...],
        *,
        check: str,
    ) -> None:
        # Whatever ends the wait, only Redis knows from here on what the room is.
        lane.stored = None
        commit = Commit(
            check=check,
            before=stored,
            room=seal.room,
            due=seal.due,
            line=proposal.step.line,
            item=seal.item,
            player=proposal.player,
            answered=answered,
            finished=proposal.step.finished,
            closes=proposal.step.closes is not None,
        )
        record = seal.room.record
        try:
            with tracing.part(
                "commit", "client", room=record.room_id, check=check, version=record.version
            ):
                committed = await self._store.commit(commit)
        except Unconfirmed:
            # It is stored, and a repeat of its request will not come by here.
            await self._follow_up(stored.room, seal.room, proposal.step)
            raise
        metrics.COMMITS.labels(self._host.game.kind, check).inc()
        self._faults.pop(seal.room.record.room_id, None)
        if proposal.step.closes is None:
            lane.stored = committed
        await self._follow_up(stored.room, seal.room, proposal.step)

    async def _follow_up(self, before: Room, room: Room, step: Step) -> None:
        """What follows a commit; none of it is needed for the room to be right."""
        record, kind = room.record, self._host.game.kind
        await self._places.free(record.room_id, step.freed)
        if (
            record.result is not None
            and record.status is Status.FINISHED is not before.record.status
        ):
            metrics.GAMES_FINISHED.labels(kind, record.result.reason).inc()
            _log.info(
                "game_finished",
                room=record.room_id,
                game=record.game_no,
                version=record.version,
                reason=record.result.reason,
            )
        if step.closes is not None:
            reason = CloseReason.Name(step.closes).removeprefix("CLOSE_REASON_").lower()
            metrics.ROOMS_CLOSED.labels(kind, reason).inc()
            _log.info("room_closed", room=record.room_id, games=record.game_no, reason=reason)
            if self.closed is not None:
                await self.closed(room)

    def _keep(self, room_id: str, stored: Stored | None) -> None:
        """Keeps a room that nobody holds, and lets go of those not used for longest."""
        if stored is not None:
            self._kept[room_id] = stored.kept
            if len(self._kept) > self._at_hand:
                self._kept.popitem(last=False)
        self._note(room_id, stored is not None and stored.room.record.status is Status.PLAYING)
        self._publish()

    def let_go(self, owned: Collection[int]) -> None:
        """Forgets the rooms of shards that others look after now: what is known of them grows old."""
        for room_id in [room_id for room_id in self._kept if shard_of(room_id) not in owned]:
            del self._kept[room_id]
        self._owned = frozenset(owned)
        self._playing = {room_id for room_id in self._playing if shard_of(room_id) in owned}
        self._games = len(self._playing)
        self._publish()

    def _note(self, room_id: str, plays: bool) -> None:
        """Remembers whether the room's game runs."""
        if plays == (room_id in self._playing):
            return
        change = self._playing.add if plays else self._playing.discard
        change(room_id)
        if shard_of(room_id) in self._owned:
            self._games += 1 if plays else -1

    def _publish(self) -> None:
        kind = self._host.game.kind
        metrics.ROOMS.labels(kind).set(len(self))
        metrics.GAMES.labels(kind).set(self._games)


def _own(step: Step) -> Proposal[None]:
    """A step that nobody asked for."""
    return Proposal(step=step, op=uuid.uuid4().hex, result=lambda room: None)

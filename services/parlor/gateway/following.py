"""Bringing followers up to date and keeping them there.

Order is what makes it complete: subscribe, wait until Redis has confirmed, hold what arrives, ask
the engine for the seat (and a view where the client has none to go on from), read the feed, send
what is missing, then what was held above it. From then on a message that was lost shows as a gap in
the numbers, or, in a quiet room, when its feed is looked at once a second.
"""

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Final

import structlog
from redis.exceptions import RedisError

from parlor.gateway import metrics
from parlor.gateway.config import GatewayConfig
from parlor.gateway.followed import FollowedRoom, Follower, Recipient
from parlor.gateway.frames import refusal, rewound
from parlor.gateway.payload import Payload
from parlor.gateway.resume import Lost, Position, after
from parlor.gateway.routing import Router
from parlor.serving import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch, Subscriber
from parlor.v1.engine_service_pb2 import Look, Looked
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.feed_pb2 import FeedEntry, FeedItem

log = structlog.get_logger(__name__)

_ATTEMPTS: Final = 3


class Following:
    """All rooms that sessions here follow."""

    def __init__(
        self,
        batch: Batch,
        keys: Keys,
        config: GatewayConfig,
        router: Router,
        subscriber: Subscriber,
    ) -> None:
        self._batch = batch
        self._keys = keys
        self._config = config
        self._router = router
        self._subscriber = subscriber
        self._rooms: dict[str, FollowedRoom] = {}
        self._joining: dict[str, asyncio.Future[None]] = {}
        self._tasks: asyncio.TaskGroup | None = None
        subscriber.add_reconnect_listener(self._reconnected)

    async def run(self) -> None:
        """Looks after the rooms; repairs run as its tasks."""
        async with asyncio.TaskGroup() as tasks:
            self._tasks = tasks
            while True:
                await asyncio.sleep(self._config.heads_ms / 1000)
                try:
                    await self._leave_empty()
                    await self._look_at_quiet()
                except RedisError as error:
                    log.warning("feeds_unread", error=type(error).__name__)

    async def follow(self, recipient: Recipient, room_id: str, position: Position | None) -> None:
        """Follows the room for `recipient`, from `position` or else with a view; raises
        ServiceError or RedisError.
        """
        room = self._rooms.get(room_id)
        if room is None:
            room = self._rooms[room_id] = FollowedRoom(
                room_id,
                most_held=self._config.held,
                on_gap=self._gap,
                on_moved=self._moved,
                on_closed=self._closed,
            )
        if recipient not in room.followers:
            metrics.followers.inc()
        follower = room.followers[recipient] = Follower(recipient)
        metrics.rooms.set(len(self._rooms))
        try:
            await self._subscribed(room)
            await self._bring_up(room, follower, position)
        except BaseException:
            self._drop(room, follower)
            raise

    def unfollow(self, recipient: Recipient, room_id: str) -> None:
        """Ends it; a room that is not followed is no error."""
        room = self._rooms.get(room_id)
        follower = room.followers.get(recipient) if room is not None else None
        if room is not None and follower is not None:
            self._drop(room, follower)

    def room(self, room_id: str) -> FollowedRoom | None:
        """The room, if any session here follows it."""
        return self._rooms.get(room_id)

    async def read_feed(self, room_id: str) -> list[FeedEntry]:
        """The entries that are kept of the room, oldest first; empty where there is no such room."""
        stored = await self._batch.call("XRANGE", self._keys.feed(room_id), "-", "+")
        return [_entry(fields) for _, fields in stored]

    async def _subscribed(self, room: FollowedRoom) -> None:
        """Returns once the room's messages arrive; all followers of a room wait for the one
        confirmation.
        """
        joining = self._joining.get(room.room_id)
        if joining is None:
            joining = self._joining[room.room_id] = asyncio.get_running_loop().create_future()
            try:
                await self._subscriber.subscribe(self._keys.live(room.room_id), room.take)
                joining.set_result(None)
            except BaseException as error:
                self._joining.pop(room.room_id, None)
                joining.set_exception(_shareable(error))
                # Looked at, even where nobody else waits.
                joining.exception()
                raise
        await asyncio.shield(joining)

    async def _bring_up(
        self,
        room: FollowedRoom,
        follower: Follower,
        position: Position | None,
        lost: Lost | None = None,
    ) -> None:
        """Sends what the follower is missing behind `position`, or a view and what follows it."""
        for _ in range(_ATTEMPTS):
            looked = await self._look(room, follower, seat_only=position is not None)
            follower.audience = looked.seat if looked.HasField("seat") else None
            follower.position = (looked.seq, looked.token) if position is None else position
            feed = await self.read_feed(room.room_id)
            later = (
                after(feed, follower.position, follower.audience)
                if feed
                else _without_feed(position)
            )
            if not isinstance(later, Lost):
                break
            if position is not None:
                # What the client claimed says whether it goes back in time; a view that is
                # overtaken says nothing.
                position, lost = None, later
        else:
            log.warning("view_not_in_feed", room=room.room_id)
            later = ()
        if room.followers.get(follower.recipient) is not follower:
            return
        follower.recipient.seated(room.room_id, follower.audience)
        if position is None:
            kind = "rewound" if lost is Lost.REWOUND else "view"
            frame = rewound(looked.frame) if lost is Lost.REWOUND else looked.frame
            follower.recipient.send(Payload(frame))
        else:
            kind = "missed"
        metrics.resumes.labels(kind).inc()
        room.send_all(follower, later)

    async def _look(self, room: FollowedRoom, follower: Follower, *, seat_only: bool) -> Looked:
        answer = await self._router.ask(
            room.room_id,
            follower.recipient.player,
            look=Look(room_id=room.room_id, seat_only=seat_only),
        )
        return answer.looked

    def _drop(self, room: FollowedRoom, follower: Follower) -> None:
        if room.followers.get(follower.recipient) is follower:
            del room.followers[follower.recipient]
            follower.recipient.unfollowed(room.room_id)
            metrics.followers.dec()

    async def _leave_empty(self) -> None:
        """Leaves the channels of rooms that nobody follows; not at once, for who left often comes
        back.
        """
        for room in [room for room in self._rooms.values() if not room.followers]:
            del self._rooms[room.room_id]
            self._joining.pop(room.room_id, None)
            await self._subscriber.unsubscribe(self._keys.live(room.room_id))
        metrics.rooms.set(len(self._rooms))

    async def _look_at_quiet(self) -> None:
        """Reads the last entry of every room in which nothing came since the last time, in one
        batch.
        """
        quiet: list[FollowedRoom] = []
        for room in self._rooms.values():
            if not room.heard and room.followers:
                quiet.append(room)
            room.heard = False
        # All are called before the first is waited for.
        calls = [
            self._batch.call("XREVRANGE", self._keys.feed(r.room_id), "+", "-", "COUNT", 1)
            for r in quiet
        ]
        stored = await asyncio.gather(*calls)
        for room, last in zip(quiet, stored, strict=True):
            if last:
                room.check(_entry(last[0][1]))
            elif room.followers:
                self._spawn(self._ask_whether_gone(room))

    async def _ask_whether_gone(self, room: FollowedRoom) -> None:
        """Ends the room for its followers when there is none: its last entry was lost and cannot be
        read again.
        """
        follower = next(iter(room.followers.values()), None)
        if follower is None:
            return
        try:
            await self._look(room, follower, seat_only=True)
        except ServiceError as error:
            if error.reason == ErrorReason.ERROR_REASON_ROOM_NOT_FOUND:
                self._end(room, error)

    def _end(self, room: FollowedRoom, error: ServiceError) -> None:
        for follower in tuple(room.followers.values()):
            self._tell_and_drop(room, follower, error)

    def _tell_and_drop(self, room: FollowedRoom, follower: Follower, error: ServiceError) -> None:
        told = ServiceError(
            error.reason, error.message, **{**error.metadata, "room_id": room.room_id}
        )
        follower.recipient.send(refusal(told))
        self._drop(room, follower)

    def _closed(self, room: FollowedRoom) -> None:
        for follower in tuple(room.followers.values()):
            self._drop(room, follower)

    def _moved(self, room: FollowedRoom, follower: Follower) -> None:
        """The player sits elsewhere now, or nowhere: another audience, so another view."""
        follower.held = []
        self._spawn(self._bring_up_again(room, follower, None))

    def _gap(self, room: FollowedRoom, cause: str) -> None:
        """Something is missing: reads the room again, once for all that is noticed meanwhile."""
        if room.repairing:
            room.repair_again = True
            return
        metrics.repairs.labels(cause).inc()
        room.repairing = True
        self._spawn(self._repair(room))

    async def _repair(self, room: FollowedRoom) -> None:
        try:
            for _ in range(_ATTEMPTS):
                room.repair_again = False
                self._catch_up(room, await self.read_feed(room.room_id))
                if not room.repair_again:
                    return
            # The feed does not agree with itself; a view does.
            for follower in room.followers.values():
                if follower.held is None:
                    self._moved(room, follower)
        except RedisError as error:
            # The next look at the feed finds the same gap.
            log.warning("repair_failed", room=room.room_id, error=type(error).__name__)
        finally:
            room.repairing = False

    def _catch_up(self, room: FollowedRoom, feed: Sequence[FeedEntry]) -> None:
        for follower in tuple(room.followers.values()):
            if follower.held is not None:
                follower.repair_after = True
                continue
            later = after(feed, follower.position, follower.audience) if feed else Lost.TOO_OLD
            if isinstance(later, Lost):
                follower.held = []
                self._spawn(self._bring_up_again(room, follower, later))
            else:
                room.send_all(follower, later)

    async def _bring_up_again(
        self, room: FollowedRoom, follower: Follower, lost: Lost | None
    ) -> None:
        try:
            await self._bring_up(room, follower, None, lost)
        except ServiceError as error:
            self._tell_and_drop(room, follower, error)
        except RedisError:
            self._tell_and_drop(
                room,
                follower,
                ServiceError(
                    ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, "the store did not answer"
                ),
            )

    def _reconnected(self) -> None:
        """Messages of all rooms may have been lost."""
        for room in self._rooms.values():
            self._gap(room, "reconnect")

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        if self._tasks is None:
            work.close()
        else:
            self._tasks.create_task(_guarded(work))


async def _guarded(work: Coroutine[Any, Any, None]) -> None:
    """One room's defect must not take the gateway from all others."""
    try:
        await work
    except Exception:
        log.exception("following_failed")


def _entry(fields: list[bytes]) -> FeedEntry:
    return FeedItem.FromString(fields[fields.index(b"e") + 1]).entry


def _without_feed(position: Position | None) -> Sequence[FeedEntry] | Lost:
    """What follows where nothing is kept: nothing behind a view; a position cannot be told from any
    other.
    """
    return () if position is None else Lost.TOO_OLD


def _shareable(error: BaseException) -> BaseException:
    """The error for others who waited for the same; one's own cancellation is not theirs."""
    if isinstance(error, Exception):
        return error
    return ServiceError(ErrorReason.ERROR_REASON_STORE_UNAVAILABLE, "the store did not answer")

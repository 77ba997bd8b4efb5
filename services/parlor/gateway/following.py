"""The rooms that sessions here follow, kept complete though Redis forgets messages.

Order is what makes it complete: subscribe, wait until Redis has confirmed, hold what arrives, bring
the follower up to date, go on with what was held. From then on a message that was lost shows as a
gap in the numbers, or, in a quiet room, when the end of its feed is looked at once a second.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Final, TypeVarTuple, Unpack

import structlog
from redis.exceptions import RedisError

from parlor.gateway import metrics
from parlor.gateway.bringing import Bringing
from parlor.gateway.config import GatewayConfig
from parlor.gateway.feeds import Feeds
from parlor.gateway.followed import FollowedRoom, Follower, Recipient
from parlor.gateway.frames import no_store, refusal
from parlor.gateway.resume import Lost, Position, after
from parlor.serving import ServiceError
from parlor.serving.failures import as_refusal
from parlor.serving.keys import Keys
from parlor.serving.redis import Subscriber
from parlor.serving.tasks import begun
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.feed_pb2 import FeedEntry

log = structlog.get_logger(__name__)

Ts = TypeVarTuple("Ts")

_ATTEMPTS: Final = 3


class Following:
    """All rooms that sessions here follow."""

    def __init__(
        self,
        keys: Keys,
        config: GatewayConfig,
        feeds: Feeds,
        bringing: Bringing,
        subscriber: Subscriber,
    ) -> None:
        self._keys = keys
        self._config = config
        self._feeds = feeds
        self._bringing = bringing
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
                await self._leave_empty()
                await self._look_at_quiet()

    async def follow(self, recipient: Recipient, room_id: str, position: Position | None) -> None:
        """Follows the room for `recipient`, from `position` or else with a view.

        Following what is followed begins again. Raises ServiceError or RedisError.
        """
        room = self._rooms.get(room_id)
        if room is None:
            room = self._rooms[room_id] = self._new(room_id)
        if recipient not in room.followers:
            metrics.followers.inc()
        follower = room.followers[recipient] = Follower(recipient)
        metrics.rooms.set(len(self._rooms))
        try:
            await self._subscribed(room)
            await self._bringing.bring_up(room, follower, position)
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

    def _new(self, room_id: str) -> FollowedRoom:
        return FollowedRoom(
            room_id,
            most_held=self._config.held,
            on_gap=self._gap,
            on_moved=self._moved,
            on_closed=self._closed,
        )

    async def _subscribed(self, room: FollowedRoom) -> None:
        """Returns once the room's messages arrive; all its followers wait for the one confirmation."""
        joining = self._joining.get(room.room_id)
        if joining is None:
            joining = self._joining[room.room_id] = asyncio.get_running_loop().create_future()
            try:
                await self._subscriber.subscribe(self._keys.live(room.room_id), room.take)
                joining.set_result(None)
            except BaseException as error:
                self._joining.pop(room.room_id, None)
                # One's own cancellation is not that of the others who wait.
                joining.set_exception(error if isinstance(error, Exception) else no_store())
                # Looked at, even where nobody else waits.
                joining.exception()
                raise
        await asyncio.shield(joining)

    async def _leave_empty(self) -> None:
        """Leaves rooms that nobody follows; not at once, for who left often comes back."""
        for room in [room for room in self._rooms.values() if not room.followers]:
            del self._rooms[room.room_id]
            self._joining.pop(room.room_id, None)
            await self._subscriber.unsubscribe(self._keys.live(room.room_id))
        metrics.rooms.set(len(self._rooms))

    async def _look_at_quiet(self) -> None:
        """Looks at the end of the feed of every room in which nothing came since the last time."""
        quiet = [room for room in self._rooms.values() if not room.heard and room.followers]
        for room in self._rooms.values():
            room.heard = False
        last = await self._feeds.last([room.room_id for room in quiet])
        unread = [entry for entry in last if isinstance(entry, RedisError)]
        if unread:
            log.warning("feeds_unread", rooms=len(unread), error=type(unread[0]).__name__)
        for room, entry in zip(quiet, last, strict=True):
            if isinstance(entry, RedisError):
                continue
            if entry is not None:
                room.check(entry)
            elif room.followers:
                self._spawn(self._ask_whether_gone, room)

    async def _ask_whether_gone(self, room: FollowedRoom) -> None:
        """Ends a room that is not there any more: its last entry was lost and cannot be read again."""
        recipient = next(iter(room.followers), None)
        if recipient is None:
            return
        try:
            await self._bringing.look(room.room_id, recipient.player, seat_only=True)
        except ServiceError as error:
            if error.reason == ErrorReason.ERROR_REASON_ROOM_NOT_FOUND:
                for follower in tuple(room.followers.values()):
                    self._refuse(room, follower, error)

    def _drop(self, room: FollowedRoom, follower: Follower) -> None:
        if room.followers.get(follower.recipient) is follower:
            del room.followers[follower.recipient]
            metrics.followers.dec()
            follower.recipient.unfollowed(room.room_id)

    def _refuse(self, room: FollowedRoom, follower: Follower, error: ServiceError) -> None:
        """Tells the client that the room is followed no more, and why."""
        metadata = {**error.metadata, "room_id": room.room_id}
        follower.recipient.send(refusal(ServiceError(error.reason, error.message, **metadata)))
        self._drop(room, follower)

    def _closed(self, room: FollowedRoom) -> None:
        for follower in tuple(room.followers.values()):
            # Who is being brought up has not been told, and will be refused.
            if not follower.is_held:
                self._drop(room, follower)

    def _moved(self, room: FollowedRoom, follower: Follower) -> None:
        """The player sits elsewhere now, or nowhere: another audience, so another view."""
        self._begin_again(room, follower, None)

    def _begin_again(self, room: FollowedRoom, follower: Follower, lost: Lost | None) -> None:
        follower.held = []
        self._spawn(self._brought_up, room, follower, lost)

    async def _brought_up(self, room: FollowedRoom, follower: Follower, lost: Lost | None) -> None:
        try:
            await self._bringing.bring_up(room, follower, None, lost)
        except Exception as error:
            self._refuse(room, follower, as_refusal(error, room=room.room_id))

    def _gap(self, room: FollowedRoom, cause: str) -> None:
        """Something is missing: reads the room again, once for all that is noticed meanwhile."""
        if room.repairing:
            room.repair_again = True
            return
        metrics.repairs.labels(cause).inc()
        room.repairing = True
        self._spawn(self._repair, room)

    async def _repair(self, room: FollowedRoom) -> None:
        try:
            for _ in range(_ATTEMPTS):
                room.repair_again = False
                before = {each.recipient: each.position for each in room.followers.values()}
                self._catch_up(room, await self._feeds.read(room.room_id), before)
                if not room.repair_again:
                    return
            # The feed does not agree with itself; a view does.
            for follower in room.followers.values():
                if not follower.is_held:
                    self._begin_again(room, follower, None)
        except RedisError as error:
            # The next look at the end of the feed finds the same gap.
            log.warning("repair_failed", room=room.room_id, error=type(error).__name__)
        finally:
            room.repairing = False

    def _catch_up(
        self,
        room: FollowedRoom,
        feed: Sequence[FeedEntry],
        before: Mapping[Recipient, Position],
    ) -> None:
        """Gives followers what they miss; `before` is where they stood when the feed was asked for."""
        for follower in tuple(room.followers.values()):
            if follower.is_held:
                follower.repair_after = True
                continue
            later = after(feed, follower.position, follower.audience) if feed else Lost.TOO_OLD
            if later is Lost.REWOUND and before.get(follower.recipient) != follower.position:
                # An entry came while the feed was read: the reading is old, not the store.
                room.repair_again = True
            elif isinstance(later, Lost):
                self._begin_again(room, follower, later)
            else:
                room.send_all(follower, later)

    def _reconnected(self) -> None:
        """Messages of all rooms may have been lost."""
        for room in self._rooms.values():
            self._gap(room, "reconnect")

    def _spawn(self, work: Callable[[Unpack[Ts]], Coroutine[Any, Any, None]], *args: *Ts) -> None:
        if self._tasks is not None:
            begun(self._tasks, _guarded(partial(work, *args)))


async def _guarded(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """One room's defect must not take the gateway from all others."""
    try:
        await work()
    except Exception:
        log.exception("following_failed")

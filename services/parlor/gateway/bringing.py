"""Bringing one follower up to date: what it has missed, or a view in place of it.

The room's messages arrive already, and are held. So whatever is committed after the engine was
asked is in the feed, or held, or both, and nothing is in neither.
"""

from collections.abc import Sequence
from typing import Final

import structlog

from parlor.gateway import metrics
from parlor.gateway.feeds import Feeds
from parlor.gateway.followed import FollowedRoom, Follower
from parlor.gateway.frames import rewound
from parlor.gateway.payload import Payload
from parlor.gateway.resume import Lost, Position, after
from parlor.gateway.routing import Router
from parlor.v1.engine_service_pb2 import Look, Looked, Player
from parlor.v1.feed_pb2 import FeedEntry

log = structlog.get_logger(__name__)

_ATTEMPTS: Final = 3
_NEWEST: Final = 16
"""Entries that are read first. What follows a view or a short absence is among them, and who asks for
views in a loop would hold everybody up if all were read for each.
"""


class Bringing:
    """Asks the engines and reads the feeds on the followers' behalf."""

    def __init__(self, router: Router, feeds: Feeds) -> None:
        self._router = router
        self._feeds = feeds

    async def bring_up(
        self,
        room: FollowedRoom,
        follower: Follower,
        position: Position | None,
        lost: Lost | None = None,
    ) -> None:
        """Sends what the follower is missing behind `position` and the chat, else a view, and what
        was held above it.

        `lost` says why the follower cannot go on from where it stood. Raises ServiceError or
        RedisError.
        """
        for _ in range(_ATTEMPTS):
            looked = await self.look(
                room.room_id, follower.recipient.player, seat_only=position is not None
            )
            follower.audience = looked.seat if looked.HasField("seat") else None
            follower.position = (looked.seq, looked.token) if position is None else position
            later = await self._later(room.room_id, follower, has_view=position is None)
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
            _send_view(follower, looked, lost)
        else:
            metrics.resumes.labels("missed").inc()
            # Clients know a line by its number: what they have heard is not heard again.
            for line in looked.chat:
                follower.recipient.send(Payload(line))
        room.send_all(follower, later)

    async def look(self, room_id: str, player: Player, *, seat_only: bool) -> Looked:
        """Where the player sits in the room, and the view from there."""
        answer = await self._router.ask(
            room_id, player, look=Look(room_id=room_id, seat_only=seat_only)
        )
        return answer.looked

    async def _later(
        self, room_id: str, follower: Follower, *, has_view: bool
    ) -> Sequence[FeedEntry] | Lost:
        feed = await self._feeds.read(room_id, most=_NEWEST)
        if not feed:
            # Nothing follows a view where nothing is kept; a position cannot be told from any other.
            return () if has_view else Lost.TOO_OLD
        later = after(feed, follower.position, follower.audience)
        if isinstance(later, Lost) and len(feed) == _NEWEST:
            # Where it is gone meanwhile, its last word is on the way.
            feed = await self._feeds.read(room_id) or feed
            later = after(feed, follower.position, follower.audience)
        return later


def _send_view(follower: Follower, looked: Looked, lost: Lost | None) -> None:
    goes_back = lost is Lost.REWOUND
    follower.recipient.send(Payload(rewound(looked.frame) if goes_back else looked.frame))
    metrics.resumes.labels("rewound" if goes_back else "view").inc()

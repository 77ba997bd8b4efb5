"""The settings of an engine."""

from dataclasses import dataclass
from typing import Literal

from parlor.engine.host import RoomLimits
from parlor.serving import BadConfig, Common


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineConfig(Common):
    """What one engine replica runs with; `PARLOR_ENGINE_<NAME>`."""

    shards: int = 64
    """Shards of the deployment. The same for every replica, for ever: a room's id names its shard."""
    most_rooms: int = 20_000
    """Rooms that a replica keeps in memory. It opens no more above that, and lets go of those unused for longest when
    others bring it more."""
    durability: Literal["local", "replicated", "relaxed"] = "local"
    """What an acknowledgement means. `local`: the primary has written the step to its file (`appendfsync always`).
    `replicated`: every replica that is present has it too, one at least. `relaxed`: as `local`, on a Redis with
    `appendfsync everysec`, whose death may cost the last second."""
    confirm_ms: int = 400
    """How long replicas may take to confirm a step under `replicated`; the sender is told COMMIT_UNCONFIRMED then. A
    step may wait for twice that, which gateways should bear before they ask another engine."""
    confirmations: int = 1
    """How many replicas have to confirm a step under `replicated` at least, beside all that the primary has heard from
    within two seconds. With as many as there are, nothing is acknowledged while one of them is away."""
    credits: int = 1024
    """Unanswered requests that one stream of a gateway may have."""
    connect_ms: int = 20_000
    """How long matched players have to be ready before their seats are emptied."""
    vote_ms: int = 60_000
    """How long a vote on ending a game runs."""
    open_idle_ms: int = 600_000
    """How long an open room without people lives."""
    still_ms: int = 1_800_000
    """How long a room waits for its first game while nobody sits down or stands up, in games that bound the wait
    (Jinxian)."""
    finished_idle_ms: int = 3_600_000
    """How long a room with a finished game and without people lives."""
    unarchived_ms: int = 86_400_000
    """How long an ended game and its log wait in Redis for the archive, which thereby may be away for as long. 0: there
    is no archive; nothing waits, and logs go with their rooms."""
    advisers: int = 1
    """Processes that answer the heavy questions of the rules API, started with the first one. 0: such questions are
    refused, and the gateway asks another replica."""
    advice_ms: int = 4_000
    """How long a heavy question may take, its waiting for others included, whatever the caller's deadline. The start of
    the processes, for which the first one waits, comes before."""
    unbounded: bool = False
    """Whether everybody may choose limits outside the players' bounds; for tests and tournaments."""

    def __post_init__(self) -> None:
        # To Redis, a WAIT for none is over at once: `replicated` would be `local` under another name.
        if self.confirmations < 1:
            raise BadConfig("PARLOR_ENGINE_CONFIRMATIONS: expected at least 1")

    @property
    def room_limits(self) -> RoomLimits:
        """The limits of rooms."""
        return RoomLimits(
            connect_ms=self.connect_ms,
            vote_ms=self.vote_ms,
            open_idle_ms=self.open_idle_ms,
            still_ms=self.still_ms,
            finished_idle_ms=self.finished_idle_ms,
        )

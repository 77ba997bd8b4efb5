"""What all sessions and calls of one gateway share."""

import time
from dataclasses import dataclass
from typing import Final

from parlor.gateway.addresses import Proxies
from parlor.gateway.archive import Archive
from parlor.gateway.config import GatewayConfig
from parlor.gateway.following import Following
from parlor.gateway.limits import FleetLimit, Rate
from parlor.gateway.matchmaking import Matchmaking
from parlor.gateway.newest import Newest
from parlor.gateway.notices import Notices
from parlor.gateway.penalties import Penalties
from parlor.gateway.presence import Presences
from parlor.gateway.routing import Router
from parlor.gateway.sessions import Sessions
from parlor.gateway.strangers import Strangers
from parlor.gateway.tokens import Identity, Tokens
from parlor.serving import ServiceError
from parlor.serving.keys import Keys
from parlor.serving.players import Players
from parlor.serving.redis import Batch
from parlor.serving.redis_clock import RedisClock
from parlor.v1.engine_service_pb2 import EngineServiceOpenRoomRequest, Player
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import RoomOpened
from parlor.v1.room_pb2 import GameConfig, RoomOptions

_BLOCK: Final = 20
_ADDRESS_BLOCK: Final = 200


class Limits:
    """What is limited on all gateways together."""

    def __init__(self, batch: Batch, keys: Keys, config: GatewayConfig) -> None:
        self.requests = FleetLimit(
            batch,
            keys,
            "player",
            Rate(config.player_requests_per_s, config.player_requests_burst),
            block=_BLOCK,
        )
        self.address_requests = FleetLimit(
            batch,
            keys,
            "address-requests",
            Rate(config.address_requests_per_s, config.address_requests_burst),
            block=_ADDRESS_BLOCK,
        )
        self.arrivals = FleetLimit(
            batch,
            keys,
            "address",
            Rate(config.address_arrivals_per_s, config.address_arrivals_burst),
            block=_BLOCK,
        )
        # Rare, and few: a block would be most of what there is.
        self.codes = FleetLimit(
            batch, keys, "codes", Rate(config.codes_per_min / 60, config.codes_per_min)
        )
        self.address_codes = FleetLimit(
            batch,
            keys,
            "address-codes",
            Rate(config.address_codes_per_min / 60, config.address_codes_per_min),
        )
        self.opens = FleetLimit(
            batch, keys, "opens", Rate(config.opens_per_min / 60, config.opens_per_min)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The parts of a running gateway, and what several ways in do alike."""

    config: GatewayConfig
    batch: Batch
    keys: Keys
    clock: RedisClock
    tokens: Tokens
    limits: Limits
    players: Players
    router: Router
    following: Following
    presences: Presences
    newest: Newest
    matchmaking: Matchmaking
    archive: Archive
    sessions: Sessions
    strangers: Strangers
    penalties: Penalties
    notices: Notices
    proxies: Proxies

    async def login(self, name: str, *, bot: bool, address: str) -> tuple[str, str]:
        """A guest's token and player id."""
        await self.limits.arrivals.spend(address)
        return self.tokens.guest(name, bot=bot, now_s=time.time())

    async def spend_request(self, player: str, address: str) -> None:
        """Counts a call beside any session; raises TOO_FAST where there were too many."""
        await self.limits.requests.spend(player)
        await self.limits.address_requests.spend(address)

    async def spend_code(self, player: str, address: str) -> None:
        """Counts a try at a code; raises TOO_FAST where there were too many."""
        await self.limits.codes.spend(player)
        await self.limits.address_codes.spend(address)

    async def room_of_code(self, code: str, *, player: str, address: str) -> str:
        """The room that six digits open; raises CODE_NOT_FOUND."""
        await self.spend_code(player, address)
        room_id = await self.batch.call("GET", self.keys.code(code))
        if room_id is None:
            raise ServiceError(
                ErrorReason.ERROR_REASON_CODE_NOT_FOUND, "no open room has this code"
            )
        return str(room_id.decode())

    async def open_room(
        self,
        who: Identity,
        kind: str,
        *,
        request_id: str,
        config: GameConfig,
        options: RoomOptions,
        players: tuple[Player, ...],
    ) -> RoomOpened:
        """Opens a room with these players seated."""
        if not who.is_backend:
            await self.limits.opens.spend(who.player)
        request = EngineServiceOpenRoomRequest(
            request_id=request_id,
            opener=who.player,
            config=config,
            options=options,
            players=players,
            unbounded=who.is_backend,
        )
        return await self.router.open_room(kind, request)


def player_of(who: Identity) -> Player:
    """A client as the engines know it."""
    return Player(player=who.player, name=who.name, bot=who.bot)

"""The gateway's settings, `PARLOR_GATEWAY_<NAME>`: times in ms, sizes in bytes."""

from dataclasses import dataclass

from parlor.gateway.addresses import Proxies
from parlor.gateway.token_keys import configured_key
from parlor.serving import BadConfig, Common, Secret


@dataclass(frozen=True, slots=True, kw_only=True)
class GatewayConfig(Common):
    """What a gateway may be told; the defaults run on a laptop."""

    # Who may come in.

    token_keys: Secret[tuple[str, ...]] = ()
    """Keys by which tokens are accepted, separated by commas, each `kid=ALGORITHM:KEY`: `EdDSA`
    with the path of a PEM file, `HS256` with the path of a file or `value:` and the secret itself
    (32 bytes or more). Keys rotate by having two at once. Empty: only guests.
    """
    token_issuer: str = ""
    """The `iss` that tokens must have; empty: any."""
    token_audience: str = ""
    """The `aud` that tokens must have; empty: tokens without one, or with any."""
    guests: bool | None = None
    """Whether `Login` gives tokens to guests. Unset: only while `token_keys` is empty, which is for
    development.
    """
    guest_token_ms: int = 86_400_000
    """How long a guest's token is good for."""
    origins: tuple[str, ...] = ()
    """Origins whose pages may open a WebSocket, such as `https://play.example`, besides the
    gateway's own; `*` for all. Clients that are no browsers send no origin and are not asked for
    one.
    """
    trusted_proxies: tuple[str, ...] = ()
    """Addresses and networks of the proxies in front, such as `10.1.2.3,192.168.0.0/16`, which say
    in `X-Forwarded-For` for whom they call. From anybody else the header is not believed.
    """

    # What a session may do.

    hello_ms: int = 5_000
    """How long a new connection may take to say hello."""
    heartbeat_ms: int = 5_000
    """How often a session beats."""
    silence_ms: int = 15_000
    """After how long without a word from the client its connection is given up."""
    frame_bytes: int = 16 * 1024
    """The largest frame that is taken."""
    outgoing_bytes: int = 256 * 1024
    """How much may wait for a client before it is cut as too slow."""
    socket_bytes: int = 64 * 1024
    """How much of that the kernel holds besides, per WebSocket; 0 leaves it to the kernel."""
    unanswered: int = 8
    """How many requests of a session may be unanswered."""
    follows: int = 8
    """How many rooms a session may follow."""
    malformed: int = 100
    """How many malformed frames a session may send before it is cut."""
    connections: int = 20_000
    """How many sessions the gateway takes."""

    # How often. `..._per_s` and `..._per_min` are what is given back, `..._burst` is what may be
    # spent at once.

    frames_per_s: int = 20
    """Frames of one connection."""
    frames_burst: int = 60
    """Frames of one connection at once."""
    player_requests_per_s: int = 20
    """Requests of one player on all gateways."""
    player_requests_burst: int = 80
    """Requests of one player at once."""
    address_requests_per_s: int = 2_000
    """Requests of one address on all gateways: many players may share it. Here and below, an IPv6
    address stands for the /64 that it is in.
    """
    address_requests_burst: int = 8_000
    """Requests of one address at once."""
    address_arrivals_per_s: int = 50
    """Connections and logins of one address on all gateways."""
    address_arrivals_burst: int = 500
    """Connections and logins of one address at once."""
    strangers: int = 50
    """Connections of one address, on this gateway, that have not said hello yet."""
    codes_per_min: int = 30
    """Codes that one player may try; a million codes stand against it."""
    address_codes_per_min: int = 300
    """Codes that one address may try: many players may share it."""
    opens_per_min: int = 30
    """Rooms that one player may open."""

    # Engines, matchmaking and the archive.

    engine_poll_ms: int = 500
    """How often the list of engine replicas is read."""
    engine_answer_ms: int = 1_000
    """How long one replica may take before the next is asked."""
    engine_total_ms: int = 5_000
    """How long a request may take on all replicas."""
    engine_queue: int = 4_096
    """How many requests may wait for one replica's credits."""
    matchmaking: tuple[str, ...] = ()
    """Where matchmaking is: `dns:///host:port` for all its replicas, or their numeric
    `address:port`, by commas. Empty: there is none.
    """
    archive: tuple[str, ...] = ()
    """Where the archive is, as `matchmaking`."""

    # Presence and rooms.

    lease_ms: int = 10_000
    """How long a seat stays online without being renewed."""
    renew_ms: int = 3_000
    """How often that is done."""
    heads_ms: int = 1_000
    """How often rooms in which nothing was heard are looked at."""
    held: int = 512
    """How many entries are held for a follower that is being brought up to date before it starts
    again.
    """

    # The end.

    drain_ms: int = 25_000
    """How long the gateway may take to leave. Clients stay for that long where there is no other
    gateway to go to.
    """
    leave_ms: int = 10_000
    """Over how long a stopping gateway spreads the departure of its clients."""
    retry_after_ms: int = 2_000
    """How long clients that were refused, or sent away all at once, wait at most before they
    connect again; each a random part of it.
    """

    def __post_init__(self) -> None:
        try:
            Proxies(self.trusted_proxies)
        except ValueError as error:
            raise BadConfig(
                f"PARLOR_GATEWAY_TRUSTED_PROXIES: {error}: expected addresses and networks"
            ) from None
        kids = [configured_key(setting).kid for setting in self.token_keys]
        if len(set(kids)) < len(kids):
            raise BadConfig("PARLOR_GATEWAY_TOKEN_KEYS: a kid stands there twice")
        if self.heartbeat_ms <= 0 or self.silence_ms <= self.heartbeat_ms:
            raise BadConfig(
                "PARLOR_GATEWAY_SILENCE_MS: expected more than PARLOR_GATEWAY_HEARTBEAT_MS, above 0"
            )
        if self.renew_ms <= 0 or self.lease_ms <= self.renew_ms:
            raise BadConfig(
                "PARLOR_GATEWAY_LEASE_MS: expected more than PARLOR_GATEWAY_RENEW_MS, above 0"
            )
        if self.engine_poll_ms <= 0 or self.heads_ms <= 0:
            raise BadConfig(
                "PARLOR_GATEWAY_ENGINE_POLL_MS, PARLOR_GATEWAY_HEADS_MS: expected more than 0"
            )
        if self.engine_total_ms < self.engine_answer_ms:
            raise BadConfig(
                "PARLOR_GATEWAY_ENGINE_TOTAL_MS: expected at least PARLOR_GATEWAY_ENGINE_ANSWER_MS"
            )

    @property
    def takes_guests(self) -> bool:
        """Whether `Login` is open."""
        return not self.token_keys if self.guests is None else self.guests

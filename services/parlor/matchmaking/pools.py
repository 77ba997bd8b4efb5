"""The name of a pool: everybody in it asked for the same game with the same options.

`<kind>-<rule set>-<digest>`, with `-<region>-<stake>` before the digest where either is named. The
digest covers every option written out, so that leaving an option out and asking for its default
lead to the same pool.
"""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from parlor.rules.catalog import GAMES
from parlor.rules.game import InvalidConfig
from parlor.serving.errors import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.room_pb2 import GameConfig
from parlor.wire import Malformed
from parlor.wire.catalog import WIRE
from parlor.wire.options import misfit
from parlor.wire.unknown import has_unknown

_DIGEST_BYTES = 6
_LABEL = re.compile(r"[0-9a-z]{1,16}")
_ANY = "any"
_ONLY = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """A pool that a ticket can be taken in."""

    name: str
    config: bytes
    """The encoded `GameConfig`, every option written out."""


def pool_for(asked: GameConfig, region: str = "", stake: str = "") -> Pool:
    """The pool of a game and its options, a region and a stake.

    Raises UNKNOWN_POOL where there is no such game, INVALID_CONFIG where players may not choose an
    option so, and MALFORMED for what is no region or stake.
    """
    for field, label in (("region", region), ("stake", stake)):
        if label and not _LABEL.fullmatch(label):
            raise ServiceError(
                ErrorReason.ERROR_REASON_MALFORMED,
                "1 to 16 lower-case letters or digits",
                field=field,
            )
    return _pool(asked.SerializeToString(deterministic=True), region, stake)


# Many ask for the same: reading and writing out its options costs more than all the rest of a ticket.
@lru_cache(maxsize=1024)
def _pool(encoded_config: bytes, region: str, stake: str) -> Pool:
    asked = GameConfig.FromString(encoded_config)
    kind: str = asked.WhichOneof("game") or ""
    if kind not in WIRE:
        raise ServiceError(ErrorReason.ERROR_REASON_UNKNOWN_POOL, "a game that is not known here")
    if has_unknown(asked):
        raise ServiceError(
            ErrorReason.ERROR_REASON_INVALID_CONFIG, "an option is not known", field="config"
        )
    config = _checked(kind, getattr(asked, kind))
    written_out = GameConfig(**{kind: WIRE[kind].config_to(config)})
    encoded = written_out.SerializeToString(deterministic=True)
    digest = hashlib.blake2b(encoded, digest_size=_DIGEST_BYTES).hexdigest()
    labels = f"{region or _ANY}-{stake or _ANY}-" if region or stake else ""
    return Pool(name=f"{kind}-{_rule_set(kind, config)}-{labels}{digest}", config=encoded)


def kind_of_pool(pool: str) -> str:
    """The kind of game that a pool plays.

    >>> kind_of_pool("doudizhu-classic-a1b2c3")
    'doudizhu'
    """
    return pool.partition("-")[0]


def ladder_of_pool(pool: str) -> str:
    """The ladder on which the pool's games count.

    >>> ladder_of_pool("doudizhu-classic-a1b2c3"), ladder_of_pool("planes-default-a1b2c3")
    ('doudizhu-classic', 'planes')
    """
    kind, rule_set, *_ = pool.split("-")
    return kind if rule_set == _ONLY else f"{kind}-{rule_set}"


@lru_cache(maxsize=1024)
def seats_of(pool: Pool) -> int:
    """How many seats a table of the pool has."""
    config = GameConfig.FromString(pool.config)
    kind = config.WhichOneof("game") or ""
    return GAMES[kind].seats(WIRE[kind].config_from(getattr(config, kind)))


def _checked(kind: str, message: Any) -> Any:
    """The options as the rules know them, within what players may choose."""
    try:
        config = WIRE[kind].config_from(message)
        GAMES[kind].check_config(config)
        GAMES[kind].check_limits(config)
    except (InvalidConfig, Malformed) as error:
        field, problem = misfit(message, error)
        raise ServiceError(ErrorReason.ERROR_REASON_INVALID_CONFIG, problem, field=field) from None
    return config


def _rule_set(kind: str, config: Any) -> str:
    """The rule set's name where the game has several; the digest tells the rest apart."""
    return GAMES[kind].ladder(config).removeprefix(kind).removeprefix("-") or _ONLY

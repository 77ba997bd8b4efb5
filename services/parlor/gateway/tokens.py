"""Who a client is: what a JWT says, once its signature has been checked.

Claims: `sub` the player's id, `name` (else the id), `bot`, `scope` (words by spaces), `exp`. The
key is the one that the header's `kid` names, with the algorithm that belongs to that key: what the
header says of the algorithm decides nothing.
"""

import secrets
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import jwt

from parlor.gateway.config import GatewayConfig
from parlor.gateway.token_keys import TokenKey
from parlor.serving import ServiceError
from parlor.v1.error_reason_pb2 import ErrorReason

SCOPES: Final = frozenset({"play", "match", "rules", "open", "admin"})
GUEST_SCOPES: Final = frozenset({"play", "match", "rules"})
"""A browser may ask for hints."""
MOST_NAME: Final = 24
MOST_PLAYER: Final = 64
_MOST_TOKEN: Final = 4_096
_LEEWAY_S: Final = 5

# Control and format characters (which turn the direction of what follows), halves of surrogates,
# private and unassigned ones, line and paragraph separators.
_UNFIT: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A client as its token names it."""

    player: str
    name: str
    bot: bool
    scopes: frozenset[str]
    expires_s: float
    """Seconds since 1970."""

    @property
    def is_backend(self) -> bool:
        """Whether it is an operator's own program: it may open rooms for others."""
        return "open" in self.scopes

    def require(self, scope: str) -> None:
        """Raises SCOPE_MISSING unless the token has `scope`."""
        if scope not in self.scopes:
            raise ServiceError(
                ErrorReason.ERROR_REASON_SCOPE_MISSING,
                f"the token lacks the scope {scope}",
                scope=scope,
            )


class Tokens:
    """Verifies tokens, and gives them to guests where the operator takes guests."""

    def __init__(self, config: GatewayConfig, keys: Iterable[TokenKey]) -> None:
        self._config = config
        self._keys = {key.kid: key for key in keys}
        self._signer = next((key for key in self._keys.values() if key.signs is not None), None)

    def verify(self, token: str) -> Identity:
        """The client that `token` names; raises INVALID_TOKEN."""
        if not token or len(token) > _MOST_TOKEN:
            raise _invalid("the token is missing" if not token else "the token is too long")
        try:
            key = self._keys.get(jwt.get_unverified_header(token).get("kid", ""))
            if key is None:
                raise _invalid("the token is signed by nobody known")
            claims = jwt.decode(
                token,
                key.verifies,
                algorithms=[key.algorithm],
                leeway=_LEEWAY_S,
                issuer=None if key.guests_only else self._config.token_issuer or None,
                audience=None if key.guests_only else self._config.token_audience or None,
                options={
                    "require": ["exp", "sub"],
                    "verify_aud": bool(self._config.token_audience) and not key.guests_only,
                },
            )
        except jwt.ExpiredSignatureError:
            raise _invalid("the token has expired") from None
        except (jwt.PyJWTError, TypeError):
            # What exactly is wrong with a forgery is nobody's business.
            raise _invalid("the token is not valid") from None
        return _identity(claims, SCOPES if not key.guests_only else GUEST_SCOPES)

    def guest(self, name: str, *, bot: bool, now_s: float) -> tuple[str, str]:
        """A new guest's token and player id; raises SCOPE_MISSING where guests are not taken."""
        if not self._config.takes_guests or self._signer is None:
            raise ServiceError(
                ErrorReason.ERROR_REASON_SCOPE_MISSING, "this server takes no guests"
            )
        if not is_fit_name(name):
            raise ServiceError(
                ErrorReason.ERROR_REASON_MALFORMED,
                f"expected 1 to {MOST_NAME} printable characters",
                field="name",
            )
        player = f"guest-{secrets.token_hex(8)}"
        claims: dict[str, Any] = {
            "sub": player,
            "name": name,
            "bot": bot,
            "scope": " ".join(sorted(GUEST_SCOPES)),
            "iat": int(now_s),
            "exp": int(now_s + self._config.guest_token_ms / 1000),
        }
        if self._config.token_issuer:
            claims["iss"] = self._config.token_issuer
        if self._config.token_audience:
            claims["aud"] = self._config.token_audience
        key = self._signer
        assert key.signs is not None
        return jwt.encode(
            claims, key.signs, algorithm=key.algorithm, headers={"kid": key.kid}
        ), player


def is_fit_name(name: str) -> bool:
    """Whether others may be shown `name`.

    >>> is_fit_name("小明"), is_fit_name(" "), is_fit_name("a" * 25)
    (True, False, False)
    """
    return (
        0 < len(name) <= MOST_NAME
        and bool(name.strip())
        and not any(unicodedata.category(character) in _UNFIT for character in name)
    )


def is_fit_player(player: str) -> bool:
    """Whether `player` can be a player's id: visible ASCII without braces, which Redis Cluster
    reads in keys.

    >>> is_fit_player("auth0|4711"), is_fit_player("{s1}"), is_fit_player("a b")
    (True, False, False)
    """
    return 0 < len(player) <= MOST_PLAYER and all("!" <= c <= "~" and c not in "{}" for c in player)


def _identity(claims: Mapping[str, Any], known: frozenset[str]) -> Identity:
    player, scope, bot = claims["sub"], claims.get("scope", ""), claims.get("bot", False)
    if not is_fit_player(player):
        raise _invalid("`sub` cannot be a player's id")
    name = claims.get("name") or player[:MOST_NAME]
    if not isinstance(name, str) or not is_fit_name(name):
        raise _invalid(f"`name` must have 1 to {MOST_NAME} printable characters")
    if not isinstance(scope, str) or not isinstance(bot, bool):
        raise _invalid("`scope` must be a string and `bot` true or false")
    return Identity(
        player=player,
        name=name,
        bot=bot,
        scopes=known.intersection(scope.split()),
        expires_s=float(claims["exp"]),
    )


def _invalid(message: str) -> ServiceError:
    return ServiceError(ErrorReason.ERROR_REASON_INVALID_TOKEN, message)

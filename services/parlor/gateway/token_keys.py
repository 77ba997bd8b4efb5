"""The keys that sign tokens: from the settings, and the guests' own from Redis.

Gateways must take each other's guest tokens. Where no configured key can sign, they share a random
secret that the first of them puts into Redis: good for a laptop, and for guests, who may only play.
Whoever reads Redis can pose as a guest, and as nobody else: the key is good for the guests' scopes
alone.
"""

import re
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from parlor.serving import BadConfig
from parlor.serving.keys import Keys
from parlor.serving.redis import Batch

GUEST_KID: Final = "guest"
_LEAST_SECRET: Final = 32
_SETTING: Final = re.compile(r"([\w.-]{1,64})=(EdDSA|HS256):(.+)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenKey:
    """One key by its `kid`."""

    kid: str
    algorithm: str
    verifies: Ed25519PublicKey | bytes
    signs: Ed25519PrivateKey | bytes | None = None
    """None where only the public half is known."""
    guests_only: bool = False


def configured_key(setting: str) -> TokenKey:
    """The key of one `kid=ALGORITHM:KEY`; raises BadConfig, without quoting the key."""
    match = _SETTING.fullmatch(setting)
    if match is None:
        raise BadConfig(
            "PARLOR_GATEWAY_TOKEN_KEYS: expected kid=EdDSA:path or kid=HS256:path, by commas"
        )
    kid, algorithm, source = match.groups()
    if kid == GUEST_KID:
        raise BadConfig(f"PARLOR_GATEWAY_TOKEN_KEYS: the kid {GUEST_KID!r} is the gateways' own")
    if algorithm == "EdDSA":
        return _ed25519(kid, source)
    secret = _secret(kid, source)
    return TokenKey(kid=kid, algorithm=algorithm, verifies=secret, signs=secret)


async def guest_key(batch: Batch, keys: Keys) -> TokenKey:
    """The secret that all gateways of this Redis share for guests; made by the first that asks."""
    name = f"{keys.prefix}gateway:guest-key"
    await batch.call("SET", name, secrets.token_hex(_LEAST_SECRET), "NX")
    secret = bytes.fromhex((await batch.call("GET", name)).decode())
    return TokenKey(
        kid=GUEST_KID, algorithm="HS256", verifies=secret, signs=secret, guests_only=True
    )


def _secret(kid: str, source: str) -> bytes:
    is_inline = source.startswith("value:")
    secret = source.removeprefix("value:").encode() if is_inline else _read(kid, source).strip()
    if len(secret) < _LEAST_SECRET:
        raise BadConfig(
            f"PARLOR_GATEWAY_TOKEN_KEYS: the secret of {kid!r} is shorter than {_LEAST_SECRET} bytes"
        )
    return secret


def _ed25519(kid: str, path: str) -> TokenKey:
    pem = _read(kid, path)
    try:
        if b"PRIVATE KEY" in pem:
            private = load_pem_private_key(pem, password=None)
            if isinstance(private, Ed25519PrivateKey):
                return TokenKey(
                    kid=kid, algorithm="EdDSA", verifies=private.public_key(), signs=private
                )
        else:
            public = load_pem_public_key(pem)
            if isinstance(public, Ed25519PublicKey):
                return TokenKey(kid=kid, algorithm="EdDSA", verifies=public)
    except (ValueError, TypeError):
        pass
    raise BadConfig(f"PARLOR_GATEWAY_TOKEN_KEYS: {kid!r} is no Ed25519 key in PEM")


def _read(kid: str, path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise BadConfig(f"PARLOR_GATEWAY_TOKEN_KEYS: {kid!r}: {path}: {error.strerror}") from None

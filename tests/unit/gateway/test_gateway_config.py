"""Settings that cannot be used are named before anything starts."""

from pathlib import Path

import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import BadConfig, from_env

SECRET = "0123456789abcdef0123456789abcdef"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TOKEN_KEYS", "nonsense"),
        ("TOKEN_KEYS", "a=RS256:key.pem"),
        ("TOKEN_KEYS", "a=HS256:value:short"),
        ("TOKEN_KEYS", "a=HS256:/nowhere"),
        ("TOKEN_KEYS", f"guest=HS256:value:{SECRET}"),
        ("TOKEN_KEYS", f"a=HS256:value:{SECRET},a=HS256:value:{SECRET}"),
        ("HEARTBEAT_MS", "0"),
        ("SILENCE_MS", "5000"),
        ("LEASE_MS", "3000"),
        ("ENGINE_TOTAL_MS", "10"),
        ("HEADS_MS", "0"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str) -> None:
    with pytest.raises(BadConfig) as refused:
        from_env(GatewayConfig, "GATEWAY", {f"PARLOR_GATEWAY_{name}": value})
    assert f"PARLOR_GATEWAY_{name}" in str(refused.value)
    assert SECRET not in str(refused.value)


def test_a_file_that_is_no_key_is_no_key(tmp_path: Path) -> None:
    path = tmp_path / "key.pem"
    path.write_text("-----BEGIN PUBLIC KEY-----\nnothing\n-----END PUBLIC KEY-----")
    with pytest.raises(BadConfig):
        GatewayConfig(token_keys=(f"a=EdDSA:{path}",))


def test_guests_are_taken_while_there_are_no_keys_unless_that_is_said() -> None:
    keys = (f"a=HS256:value:{SECRET}",)
    assert GatewayConfig().takes_guests
    assert not GatewayConfig(guests=False).takes_guests
    assert not GatewayConfig(token_keys=keys).takes_guests
    assert GatewayConfig(token_keys=keys, guests=True).takes_guests

"""What a process reads from its environment, and what it refuses."""

from dataclasses import dataclass
from typing import Literal

import pytest

from parlor.serving import BadConfig, Common, from_env


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig(Common):
    """A service with a setting of every type."""

    sessions: int = 10
    ratio: float = 0.5
    open: bool = True
    origins: tuple[str, ...] = ("a",)
    mode: Literal["fast", "safe"] = "safe"
    guests: bool | None = True


def test_defaults_hold_where_nothing_is_set() -> None:
    assert from_env(GateConfig, "GATEWAY", {"PATH": "/bin"}) == GateConfig()


def test_every_type_is_read() -> None:
    config = from_env(
        GateConfig,
        "GATEWAY",
        {
            "PARLOR_GATEWAY_SESSIONS": "3",
            "PARLOR_GATEWAY_RATIO": "0.25",
            "PARLOR_GATEWAY_OPEN": "no",
            "PARLOR_GATEWAY_ORIGINS": "https://a.example, https://b.example",
            "PARLOR_GATEWAY_MODE": "fast",
            "PARLOR_GATEWAY_GUESTS": "",
        },
    )
    assert config == GateConfig(
        sessions=3,
        ratio=0.25,
        open=False,
        origins=("https://a.example", "https://b.example"),
        mode="fast",
        guests=None,
    )


def test_a_common_setting_can_be_overridden_for_one_service() -> None:
    env = {"PARLOR_DRAIN_MS": "1", "PARLOR_GATEWAY_DRAIN_MS": "2"}
    assert from_env(GateConfig, "GATEWAY", env).drain_ms == 2
    assert from_env(Common, "ENGINE", env).drain_ms == 1


def test_an_own_setting_without_its_section_is_unknown() -> None:
    with pytest.raises(BadConfig, match="PARLOR_SESSIONS"):
        from_env(GateConfig, "GATEWAY", {"PARLOR_SESSIONS": "3"})


@pytest.mark.parametrize("name", ["PARLOR_GATEWAY_SESIONS", "PARLOR_REDISURL", "PARLOR_GATEWAY"])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(BadConfig, match=rf"{name}: no such setting; .*PARLOR_REDIS_URL"):
        from_env(GateConfig, "GATEWAY", {name: "1"})


def test_settings_of_other_services_are_left_alone() -> None:
    env = {"PARLOR_ENGINE_ANYTHING": "x", "PARLOR_EVERYTHING_PORT": "y"}
    assert from_env(GateConfig, "GATEWAY", env) == GateConfig()


@pytest.mark.parametrize(
    ("name", "value", "form"),
    [
        ("PARLOR_GATEWAY_SESSIONS", "many", "a whole number"),
        ("PARLOR_GATEWAY_SESSIONS", "-1", "at least 0"),
        ("PARLOR_GATEWAY_RATIO", "half", "a number"),
        ("PARLOR_GATEWAY_OPEN", "perhaps", "true or false"),
        ("PARLOR_GATEWAY_MODE", "slow", "fast, safe"),
        ("PARLOR_LOG_LEVEL", "loud", "debug, info"),
    ],
)
def test_a_bad_value_names_the_variable_and_the_accepted_form(
    name: str, value: str, form: str
) -> None:
    with pytest.raises(BadConfig, match=rf"{name}='{value}': expected .*{form}"):
        from_env(GateConfig, "GATEWAY", {name: value})

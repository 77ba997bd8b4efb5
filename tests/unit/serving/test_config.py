"""What a process reads from its environment, and what it refuses."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from parlor.serving import BadConfig, Common, Secret, from_env
from parlor.serving.config import UnknownSetting


@dataclass(frozen=True, slots=True, kw_only=True)
class GateConfig(Common):
    """A service with a setting of every type."""

    sessions: int = 10
    ratio: float = 0.5
    open: bool = True
    origins: tuple[str, ...] = ("a",)
    mode: Literal["fast", "safe"] = "safe"
    guests: bool | None = True
    password: Secret[str] = ""
    keys: Secret[tuple[str, ...]] = ()


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


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("PARLOR_GATEWAY_SESIONS", "PARLOR_GATEWAY_SESSIONS"),
        ("PARLOR_REDISURL", "PARLOR_REDIS_URL"),
        ("PARLOR_GATEWAY_PASSWORD_FIEL", "PARLOR_GATEWAY_PASSWORD_FILE"),
        ("PARLOR_GATWAY_LOG_LEVEL", "PARLOR_GATEWAY_LOG_LEVEL"),
    ],
)
def test_an_unknown_name_is_refused_with_the_one_that_it_resembles(name: str, nearest: str) -> None:
    with pytest.raises(UnknownSetting, match=rf"{name}: .* did you mean {nearest}\?") as refused:
        from_env(GateConfig, "GATEWAY", {name: "1"})
    assert (refused.value.name, refused.value.nearest) == (name, nearest)


@pytest.mark.parametrize("name", ["PARLOR_SOMETHING", "PARLOR_GATEWAY_SESSIONS_FILE"])
def test_a_name_that_resembles_none_is_refused_too(name: str) -> None:
    with pytest.raises(UnknownSetting, match=rf"{name}: no such setting"):
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


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret"
    path.write_text("one,two\n")
    return path


def test_a_secret_may_stand_in_a_file(secret: Path) -> None:
    env = {
        "PARLOR_GATEWAY_PASSWORD_FILE": str(secret),
        "PARLOR_GATEWAY_KEYS_FILE": str(secret),
        "PARLOR_REDIS_URL_FILE": str(secret),
    }
    config = from_env(GateConfig, "GATEWAY", env)
    assert (config.password, config.keys, config.redis_url) == (
        "one,two",
        ("one", "two"),
        "one,two",
    )


def test_a_secret_of_one_service_overrides_the_common_one(secret: Path) -> None:
    env = {"PARLOR_REDIS_URL": "common", "PARLOR_GATEWAY_REDIS_URL_FILE": str(secret)}
    assert from_env(GateConfig, "GATEWAY", env).redis_url == "one,two"
    env = {"PARLOR_GATEWAY_REDIS_URL": "own", "PARLOR_REDIS_URL_FILE": str(secret)}
    assert from_env(GateConfig, "GATEWAY", env).redis_url == "own"


def test_a_secret_given_twice_is_refused_without_being_shown(secret: Path) -> None:
    env = {
        "PARLOR_GATEWAY_PASSWORD": "hidden",
        "PARLOR_GATEWAY_PASSWORD_FILE": str(secret),
    }
    with pytest.raises(BadConfig, match="PARLOR_GATEWAY_PASSWORD_FILE: expected one") as refused:
        from_env(GateConfig, "GATEWAY", env)
    assert "hidden" not in str(refused.value)
    assert "one,two" not in str(refused.value)


def test_a_file_that_is_named_by_nothing_is_none() -> None:
    env = {"PARLOR_GATEWAY_PASSWORD": "given", "PARLOR_GATEWAY_PASSWORD_FILE": ""}
    assert from_env(GateConfig, "GATEWAY", env).password == "given"


@pytest.mark.parametrize("content", [None, b"\xff\xfe"], ids=["no file", "no text"])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "secret"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BadConfig, match=f"PARLOR_GATEWAY_PASSWORD_FILE='{path}'"):
        from_env(GateConfig, "GATEWAY", {"PARLOR_GATEWAY_PASSWORD_FILE": str(path)})

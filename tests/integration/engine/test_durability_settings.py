"""An engine says where Redis keeps less than its durability setting promises."""

from pathlib import Path

import pytest
from structlog.testing import capture_logs

from parlor.engine.durability import warn_of_files
from parlor.serving.redis import connect
from tests.integration.engine.support import replica
from tests.integration.redis_forms.support import server

ALWAYS, EVERY_SECOND = (
    ("appendonly yes", "appendfsync always"),
    ("appendonly yes", "appendfsync everysec"),
)


async def warnings(directory: Path, settings: tuple[str, ...], durability: str) -> list[str]:
    """What is needed, by each warning."""
    with server(directory, *settings) as redis, capture_logs() as logs:
        async with connect(redis.url) as client:
            await warn_of_files([client], durability)
    return [each["needed"] for each in logs if each["event"] == "durability_not_given"]


@pytest.mark.parametrize(
    ("settings", "durability"),
    [
        (ALWAYS, "local"),
        (ALWAYS, "replicated"),
        (ALWAYS, "relaxed"),
        (EVERY_SECOND, "relaxed"),
    ],
)
async def test_of_what_keeps_enough_nothing_is_said(
    tmp_path: Path, settings: tuple[str, ...], durability: str
) -> None:
    assert await warnings(tmp_path, settings, durability) == []


@pytest.mark.parametrize(
    ("settings", "durability", "needed"),
    [
        (EVERY_SECOND, "local", "always"),
        (EVERY_SECOND, "replicated", "always"),
        (("appendonly no",), "local", "always"),
        (("appendonly no",), "relaxed", "everysec"),
        (("appendonly yes", "appendfsync no"), "relaxed", "everysec"),
    ],
)
async def test_what_keeps_less_is_told(
    tmp_path: Path, settings: tuple[str, ...], durability: str, needed: str
) -> None:
    assert await warnings(tmp_path, settings, durability) == [
        f"appendonly yes, appendfsync {needed}"
    ]


async def test_a_server_that_does_not_tell_is_believed(tmp_path: Path) -> None:
    assert await warnings(tmp_path, ("appendonly no", "rename-command CONFIG ''"), "local") == []


async def test_an_engine_looks_when_it_starts(tmp_path: Path) -> None:
    with server(tmp_path, "appendonly no") as redis, capture_logs() as logs:
        async with replica(redis.url):
            pass
    (warning,) = (each for each in logs if each["event"] == "durability_not_given")
    assert (warning["log_level"], warning["appendonly"]) == ("warning", "no")

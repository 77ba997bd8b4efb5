"""Logs are JSON lines with fields, and hold nothing hidden."""

import json
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
import structlog

from parlor.serving import logs

Lines = list[dict[str, Any]]
Written = Callable[[], AbstractContextManager[Lines]]


@pytest.fixture
def written(capsys: pytest.CaptureFixture[str]) -> Written:
    """A context in which logs go where a process writes them; left, its list holds the lines."""

    @contextmanager
    def configured() -> Iterator[Lines]:
        root = logging.getLogger()
        # pytest hangs its own handlers on the root while a test runs.
        before, level = root.handlers[:], root.level
        as_before = structlog.get_config()
        lines: Lines = []
        logs.configure("engine", form="json")
        try:
            yield lines
        finally:
            root.handlers[:] = before
            root.setLevel(level)
            structlog.configure(**as_before)
            lines += [json.loads(line) for line in capsys.readouterr().err.splitlines()]

    return configured


def test_an_event_is_one_json_object(written: Written) -> None:
    with written() as lines:
        structlog.get_logger("a.module").info("room_opened", room="s1-a", seats=3)
    (line,) = lines
    assert line.pop("timestamp")
    assert line == {
        "event": "room_opened",
        "level": "info",
        "logger": "a.module",
        "room": "s1-a",
        "seats": 3,
        "service": "engine",
    }


def test_logs_of_libraries_are_json_too(written: Written) -> None:
    with written() as lines:
        logging.getLogger("aiohttp").warning("late by %d ms", 3, extra={"token": "t"})
    (line,) = lines
    assert (line["event"], line["logger"], line["token"]) == (
        "late by 3 ms",
        "aiohttp",
        "[redacted]",
    )


@pytest.mark.parametrize("key", ["hand", "seed", "token", "cards", "secret", "player_hand", "SEED"])
def test_hidden_fields_are_blanked_at_any_depth(written: Written, key: str) -> None:
    with written() as lines:
        structlog.get_logger("a").info("dealt", **{key: "345"}, inner=[{key: "678"}])
    (line,) = lines
    assert line[key] == "[redacted]"
    assert line["inner"] == [{key: "[redacted]"}]


@pytest.mark.parametrize("get_logger", [structlog.get_logger, logging.getLogger])
def test_an_exception_tells_its_kind_and_place_but_not_what_it_quotes(
    written: Written, get_logger: Callable[[str], Any]
) -> None:
    try:
        try:
            raise KeyError("queen of hearts")
        except KeyError as error:
            raise ValueError("no queen of hearts") from error
    except ValueError:
        with written() as lines:
            get_logger("a").exception("step_failed")
    (line,) = lines
    trace = str(line["exception"])
    assert "KeyError" in trace
    assert "ValueError" in trace
    assert "test_logs.py" in trace
    assert "queen" not in json.dumps(line)

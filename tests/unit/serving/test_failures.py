"""What is told of errors, and what is not."""

from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import ResponseError

from parlor.serving import ServiceError
from parlor.serving.errors import reason_name
from parlor.serving.failures import as_refusal
from parlor.v1.error_reason_pb2 import ErrorReason


@pytest.fixture
def logged() -> Iterator[list[Any]]:
    with structlog.testing.capture_logs() as lines:
        yield lines


def test_a_refusal_is_told_as_it_is_and_logged_by_nobody(logged: list[Any]) -> None:
    refusal = ServiceError(ErrorReason.ERROR_REASON_ROOM_FULL, "four are enough")
    assert as_refusal(refusal) is refusal
    assert logged == []


@pytest.mark.parametrize(
    ("error", "reason", "event"),
    [
        pytest.param(
            RedisConnectionError("10.0.0.7 refused"), "STORE_UNAVAILABLE", "store_unavailable"
        ),
        pytest.param(ResponseError("MISCONF disk full"), "STORE_UNAVAILABLE", "store_unavailable"),
        pytest.param(ResponseError("WRONGTYPE of key 7"), "INTERNAL", "request_failed"),
        pytest.param(KeyError("the card 7"), "INTERNAL", "request_failed"),
        pytest.param(TimeoutError("7"), "INTERNAL", "request_failed"),
    ],
)
def test_nothing_of_an_errors_own_words_is_told(
    logged: list[Any], error: Exception, reason: str, event: str
) -> None:
    refusal = as_refusal(error, room="s1-a")
    assert reason_name(refusal.reason) == reason
    assert "7" not in refusal.message
    assert refusal.metadata == {}
    (line,) = logged
    assert (line["event"], line["room"]) == (event, "s1-a")


def test_a_defect_is_logged_with_its_place(logged: list[Any]) -> None:
    error = KeyError("card")
    as_refusal(error)
    (line,) = logged
    assert line["exc_info"] is error

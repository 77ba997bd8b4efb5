"""Reasons, their codes, and their way over the wire and back."""

import re
from pathlib import Path

import grpc
import pytest
from grpc.aio import Metadata

from parlor.serving.errors import (
    CODES,
    ServiceError,
    from_rpc_error,
    reason_name,
    reason_named,
    to_status,
)
from parlor.v1.error_reason_pb2 import ErrorReason

PROTO = Path(__file__).parents[3] / "protos" / "parlor" / "v1" / "error_reason.proto"


def documented() -> dict[str, str]:
    """Reason to the code that its comment ends with."""
    text = PROTO.read_text()
    found = {}
    for comment, name in re.findall(r"((?:  //.*\n)+)  ERROR_REASON_(\w+) = \d+;", text):
        if name != "UNSPECIFIED":
            sentences = " ".join(line.strip("/ ") for line in comment.splitlines()).split()
            found[name] = sentences[-1].rstrip(".")
    return found


def test_every_reason_has_the_code_that_its_comment_ends_with() -> None:
    assert {reason_name(reason): code.name for reason, code in CODES.items()} == {
        **documented(),
        "UNSPECIFIED": "INTERNAL",
    }


def test_the_table_is_total() -> None:
    assert set(CODES) == set(ErrorReason.values())


def test_an_unknown_name_is_unspecified() -> None:
    assert reason_named("OF_A_LATER_RELEASE") == ErrorReason.ERROR_REASON_UNSPECIFIED


def refused(code: grpc.StatusCode, *metadata: tuple[str, bytes]) -> grpc.aio.AioRpcError:
    return grpc.aio.AioRpcError(code, Metadata(), Metadata(*metadata), details="said")


def test_a_refusal_survives_the_wire() -> None:
    status = to_status(ServiceError(ErrorReason.ERROR_REASON_TOO_FAST, "slow", retry_after_ms="5"))
    error = from_rpc_error(
        refused(
            grpc.StatusCode.RESOURCE_EXHAUSTED,
            ("grpc-status-details-bin", status.SerializeToString()),
        )
    )
    assert error.reason == ErrorReason.ERROR_REASON_TOO_FAST
    assert error.message == "slow"
    assert error.metadata == {"retry_after_ms": "5"}


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (grpc.StatusCode.UNAVAILABLE, "NO_ENGINE"),
        (grpc.StatusCode.CANCELLED, "NO_ENGINE"),
        (grpc.StatusCode.UNKNOWN, "NO_ENGINE"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "TIMEOUT"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_LARGE"),
        (grpc.StatusCode.UNIMPLEMENTED, "INTERNAL"),
    ],
)
def test_a_status_of_grpc_itself_gets_its_nearest_reason(code: grpc.StatusCode, name: str) -> None:
    assert reason_name(from_rpc_error(refused(code)).reason) == name

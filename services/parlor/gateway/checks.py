"""What a client's frame must look like before anything is done about it.

Only what the gateway itself relies on is checked here, and raised as ServiceError; options, seats
and actions are the engine's.
"""

import re
from typing import Final

from parlor.gateway.json_scalars import Malformed
from parlor.serving import ServiceError
from parlor.serving.keys import is_room_id, kind_of
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import ClientFrame, Command, Hello, Watch
from parlor.v1.room_pb2 import GameConfig

PROTOCOL: Final = 1
MOST_POSITIONS: Final = 8
_MOST_CLIENT: Final = 64
_MOST_REQUEST_ID: Final = 64
_CODE: Final = re.compile(r"[0-9]{6}")

KINDS: Final = frozenset(
    field.name for field in GameConfig.DESCRIPTOR.oneofs_by_name["game"].fields
)
"""The kinds of game there are; the kind of a room stands in its id."""


def malformed(message: str, field: str = "") -> ServiceError:
    """The refusal of what has not the right shape; `field` where one is to blame."""
    if field:
        return ServiceError(ErrorReason.ERROR_REASON_MALFORMED, message, field=field)
    return ServiceError(ErrorReason.ERROR_REASON_MALFORMED, message)


def from_malformed(error: Malformed) -> ServiceError:
    """The refusal of a text or of bytes that could not be read."""
    return malformed(error.problem, error.path)


def check_size(size: int, most: int) -> None:
    """Raises TOO_LARGE for a frame of more than `most` bytes."""
    if size > most:
        raise ServiceError(
            ErrorReason.ERROR_REASON_TOO_LARGE, f"a frame has at most {most} bytes", most=str(most)
        )


def check_hello(frame: ClientFrame) -> Hello:
    """The hello that a first frame must be."""
    if frame.WhichOneof("frame") != "hello":
        raise ServiceError(ErrorReason.ERROR_REASON_HELLO_EXPECTED, "the first frame must be hello")
    hello = frame.hello
    if hello.protocol != PROTOCOL:
        raise ServiceError(
            ErrorReason.ERROR_REASON_UNSUPPORTED_PROTOCOL,
            f"this server speaks protocol {PROTOCOL}",
            protocol=str(PROTOCOL),
        )
    if len(hello.client) > _MOST_CLIENT:
        raise malformed(f"at most {_MOST_CLIENT} characters", "hello.client")
    if len(hello.positions) > MOST_POSITIONS:
        raise malformed(f"at most {MOST_POSITIONS} positions", "hello.positions")
    return hello


def check_request_id(request_id: str) -> None:
    """Raises MALFORMED unless it has 1 to 64 printable characters."""
    if not 0 < len(request_id) <= _MOST_REQUEST_ID or not request_id.isprintable():
        raise malformed(f"expected 1 to {_MOST_REQUEST_ID} printable characters", "request_id")


def check_room_id(room_id: str) -> None:
    """Raises ROOM_NOT_FOUND for what cannot be a room."""
    if not is_room_id(room_id) or kind_of(room_id) not in KINDS:
        raise ServiceError(ErrorReason.ERROR_REASON_ROOM_NOT_FOUND, "no such room")


def check_command(command: Command) -> None:
    """Checks the request id, that something is asked, and the room."""
    check_request_id(command.request_id)
    if command.WhichOneof("command") is None:
        raise malformed("nothing is asked", "command")
    check_room_id(command.room_id)


def check_watch(watch: Watch) -> None:
    """Checks that a room or a code is named, and that a position is the room's."""
    if bool(watch.room_id) == bool(watch.code):
        raise malformed("expected either a room or a code", "watch")
    if watch.room_id:
        check_room_id(watch.room_id)
    else:
        check_code(watch.code)
    if watch.HasField("position") and watch.position.seq < 0:
        raise malformed("expected a number of at least 0", "watch.position.seq")


def check_code(code: str) -> None:
    """Raises MALFORMED unless it has six digits."""
    if not _CODE.fullmatch(code):
        raise malformed("expected six digits", "code")


def check_config(config: GameConfig) -> str:
    """The kind of game that is asked for; raises MALFORMED where none is."""
    kind = config.WhichOneof("game")
    if kind is None:
        raise malformed("no game is named", "config")
    return kind

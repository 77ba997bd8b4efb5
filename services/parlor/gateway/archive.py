"""The way to the archive: one channel for all who ask about past games here."""

from collections.abc import Sequence
from typing import Any, Final

import grpc
from google.protobuf.message import Message

from parlor.serving import ServiceError
from parlor.serving.channels import Channels
from parlor.serving.errors import from_rpc_error
from parlor.v1 import admin_service_pb2, history_service_pb2
from parlor.v1.archive_service_pb2 import GetLogRequest, GetLogResponse
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import AskHistory, HistoryAnswer

HISTORY: Final = history_service_pb2.DESCRIPTOR.services_by_name["HistoryService"]
ADMIN: Final = admin_service_pb2.DESCRIPTOR.services_by_name["AdminService"]

_GET_LOG: Final = "/parlor.v1.ArchiveService/GetLog"

_PATHS: Final = {
    method.input_type.full_name: f"/{HISTORY.full_name}/{method.name}" for method in HISTORY.methods
}
"""By the request's type, the method that takes it."""


class Archive:
    """The archive's replicas, any of which answers; raises ServiceError."""

    def __init__(self, addresses: Sequence[str], timeout_ms: int, channels: Channels) -> None:
        self._timeout_ms = timeout_ms
        self._channel = channels.to_each(addresses) if addresses else None

    async def aclose(self) -> None:
        """Closes the channel."""
        if self._channel is not None:
            await self._channel.close()

    async def call(self, path: str, request: bytes, *, within_ms: float | None = None) -> bytes:
        """The encoded answer of the method at `path`; what the archive refuses is raised as it is."""
        if self._channel is None:
            raise ServiceError(ErrorReason.ERROR_REASON_NO_ENGINE, "there is no archive here")
        method: Any = self._channel.unary_unary(path)
        timeout_s = min(within_ms or self._timeout_ms, self._timeout_ms) / 1000
        try:
            answer: bytes = await method(request, timeout=timeout_s)
        except grpc.aio.AioRpcError as error:
            raise from_rpc_error(error) from None
        return answer

    async def log(self, room_id: str, game_no: int) -> GetLogResponse:
        """An archived game's log, for engines: what players may see of it, they say."""
        request = GetLogRequest(room_id=room_id, game_no=game_no)
        return GetLogResponse.FromString(await self.call(_GET_LOG, request.SerializeToString()))

    async def answer(self, asked: AskHistory) -> HistoryAnswer:
        """The answer to a session's question, which has to be set."""
        branch: str = asked.WhichOneof("question") or ""
        question: Message = getattr(asked, branch)
        path = _PATHS[question.DESCRIPTOR.full_name]
        answered = HistoryAnswer()
        # Set also where the answer says nothing.
        getattr(answered, branch).SetInParent()
        encoded = await self.call(path, question.SerializeToString())
        getattr(answered, branch).MergeFromString(encoded)
        return answered

"""What a client can be told instead of what it asked for."""

from collections.abc import Mapping

from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import Goodbye, GoodbyeReason, Refusal


class Refused(Exception):
    """A request that was refused and changed nothing."""

    def __init__(
        self, reason: "ErrorReason.ValueType", message: str, metadata: Mapping[str, str]
    ) -> None:
        self.reason = reason
        self.message = message
        self.metadata = dict(metadata)
        super().__init__(f"{self.name}: {message}" if message else self.name)

    @property
    def name(self) -> str:
        """The reason as gRPC and the documents write it, such as `NOT_YOUR_TURN`."""
        try:
            return ErrorReason.Name(self.reason).removeprefix("ERROR_REASON_")
        except ValueError:
            # A newer server knows more reasons.
            return f"REASON_{self.reason}"

    @classmethod
    def of(cls, refusal: Refusal) -> "Refused":
        """The refusal as an exception."""
        return cls(refusal.reason, refusal.message, refusal.metadata)


class SessionOver(Exception):
    """The session ended for good: the server said so, or the client was closed."""

    def __init__(self, goodbye: Goodbye | None = None) -> None:
        self.goodbye = goodbye or Goodbye()
        words = ["closed"]
        if goodbye is not None:
            words = [GoodbyeReason.Name(goodbye.reason).removeprefix("GOODBYE_REASON_")]
        if self.goodbye.HasField("refusal"):
            words.append(str(Refused.of(self.goodbye.refusal)))
        super().__init__("the session is over: " + ", ".join(words))

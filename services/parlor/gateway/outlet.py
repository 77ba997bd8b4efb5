"""What carries a session: frames in one after the other, payloads out without waiting."""

from typing import Protocol

from parlor.gateway.payload import Payload
from parlor.serving import ServiceError
from parlor.v1.play_pb2 import ClientFrame, GoodbyeReason

Frame = ClientFrame | ServiceError
"""What came from the client: a frame, or why it is none."""


class Outlet(Protocol):
    """The way out to a client."""

    @property
    def transport(self) -> str:
        """What carries the session, for the metrics."""

    @property
    def waiting(self) -> int:
        """How many bytes the client has not taken yet, apart from what the network's buffers hold."""

    @property
    def taken(self) -> int:
        """How many bytes it has taken so far; what is seen too low at times is never too high."""

    @property
    def is_gone(self) -> bool:
        """Whether nothing reaches the client any more."""

    def send(self, payload: Payload) -> bool:
        """Takes it, at once; False when too much is waiting already, and then nothing is taken."""

    def farewell(self, payload: Payload) -> None:
        """Takes the last that is sent, even where too much is waiting."""

    def ping(self) -> None:
        """Makes the client's own software answer, where the transport has something for that."""

    async def close(self, goodbye: "GoodbyeReason.ValueType | None") -> None:
        """Closes the connection within a bound, after what is waiting where that gets through."""

"""A channel whose certificates may be replaced while it is open.

A channel of gRPC keeps for ever what it was opened with, and would come back from a broken
connection with a certificate that has expired. This one opens another for the calls after a
renewal; calls that run go on where they are.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import grpc

from parlor.serving.tls import Certificates, Tls


class RenewedChannel(grpc.aio.Channel):
    """A channel over TLS."""

    def __init__(
        self,
        target: str,
        tls: Tls,
        *,
        options: Sequence[tuple[str, Any]],
        interceptors: Sequence[grpc.aio.ClientInterceptor],
    ) -> None:
        self._target = target
        self._tls = tls
        named = (("grpc.ssl_target_name_override", tls.name),) if tls.name else ()
        self._options = (*options, *named)
        self._interceptors = interceptors
        self._certificates = tls.latest()
        self._channel = self._opened(self._certificates)
        self._before: grpc.aio.Channel | None = None
        """The one before the last renewal: calls may still run there, and `close` ends them. A stream
        on one before that goes on until its reader ends it.
        """

    def unary_unary(self, *method: Any, **codec: Any) -> Any:
        """As of every channel."""
        return self._through(lambda channel: channel.unary_unary(*method, **codec))

    def unary_stream(self, *method: Any, **codec: Any) -> Any:
        """As of every channel."""
        return self._through(lambda channel: channel.unary_stream(*method, **codec))

    def stream_unary(self, *method: Any, **codec: Any) -> Any:
        """As of every channel."""
        return self._through(lambda channel: channel.stream_unary(*method, **codec))

    def stream_stream(self, *method: Any, **codec: Any) -> Any:
        """As of every channel."""
        return self._through(lambda channel: channel.stream_stream(*method, **codec))

    def get_state(self, try_to_connect: bool = False) -> grpc.ChannelConnectivity:
        """As of every channel."""
        return self._newest().get_state(try_to_connect)

    async def wait_for_state_change(self, last_observed_state: grpc.ChannelConnectivity) -> None:
        """As of every channel."""
        await self._newest().wait_for_state_change(last_observed_state)

    async def channel_ready(self) -> None:
        """As of every channel."""
        await self._newest().channel_ready()

    async def close(self, grace: float | None = None) -> None:
        """As of every channel."""
        if self._before is not None:
            await self._before.close(grace)
        await self._channel.close(grace)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _through(self, method: Callable[[grpc.aio.Channel], Any]) -> Any:
        """A method that is called on what is the newest channel then."""

        def called(*call: Any, **options: Any) -> Any:
            return method(self._newest())(*call, **options)

        return called

    def _newest(self) -> grpc.aio.Channel:
        certificates = self._tls.latest()
        if certificates is not self._certificates:
            self._certificates = certificates
            # gRPC closes a channel that nobody holds.
            self._before = self._channel
            self._channel = self._opened(certificates)
        return self._channel

    def _opened(self, certificates: Certificates) -> grpc.aio.Channel:
        return grpc.aio.secure_channel(
            self._target,
            grpc.ssl_channel_credentials(
                certificates.authority, certificates.key, certificates.chain
            ),
            options=self._options,
            interceptors=self._interceptors,
        )

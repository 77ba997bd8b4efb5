"""A way to a gateway on which answers are lost."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit


class Lossy:
    """A TCP proxy. While it is `deaf`, what the gateway says arrives nowhere."""

    def __init__(self, url: str) -> None:
        self._target = urlsplit(url)
        self._writers: set[asyncio.StreamWriter] = set()
        self.deaf = False

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """The URL of the proxy."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        async with server:
            try:
                yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            finally:
                self.cut()

    def cut(self) -> None:
        """Ends every connection, and hears again."""
        self.deaf = False
        for writer in self._writers:
            writer.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        up_reader, up_writer = await asyncio.open_connection(
            self._target.hostname, self._target.port
        )
        both = {writer, up_writer}
        self._writers |= both
        upward = asyncio.create_task(self._pump(reader, up_writer, answers=False))
        try:
            await self._pump(up_reader, writer, answers=True)
        finally:
            upward.cancel()
            self._writers -= both
            for each in both:
                each.close()

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, answers: bool
    ) -> None:
        try:
            while data := await reader.read(65_536):
                if not (answers and self.deaf):
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass

"""The one client of Parlor: an asyncio session that resumes by itself.

    async with Client(["http://127.0.0.1:8080"], guest="Ada") as client:
        opened = await client.open_room(config)
        room = await client.watch(opened.room_id)
        await room.ready(entropy=os.urandom(32))
        async for change in room.changes():
            print(room.view.status, room.game_view)

A whole bot is in `docs/examples/bot.py`. Requests are answered once and rooms miss nothing, whatever
becomes of connections and gateways.

`link.py` is one connection and `client.py` the session across connections, with its `requests.py`,
`rooms.py`, `ticket.py` and `past.py`. `room.py` is one followed room, `folding.py` and `games.py` what its
events make of its view.
"""

from parlor.client.client import Client
from parlor.client.errors import Refused, SessionOver
from parlor.client.login import Guest, login
from parlor.client.room import Change, Counts, Room

__all__ = ["Change", "Client", "Counts", "Guest", "Refused", "Room", "SessionOver", "login"]

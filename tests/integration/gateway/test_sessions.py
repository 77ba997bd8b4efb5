"""What a client of any transport can rely on."""

import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.v1 import play_pb2
from tests.integration.gateway.support import Clients, GrpcLine, JsonLine, ProtoLine, table, toggled

LINES = [JsonLine, ProtoLine, GrpcLine]


@pytest.mark.parametrize("line", LINES)
async def test_a_client_opens_a_room_and_sees_what_it_does_there(
    door: App[GatewayConfig], clients: Clients, line: object
) -> None:
    ann = await clients.connect(door, "Ann", line=line)
    room = await ann.open_room()
    view = (await ann.next("view")).view
    assert (view.room_id, view.seat, view.code) == (room.room_id, 0, room.code)
    accepted = await ann.accepted(room.room_id, ready=play_pb2.Ready(ready=True))
    while ann.position(room.room_id).seq < accepted.seq:
        await ann.next("entry")
    assert ann.entries()[-1].events[0].seat_changed.content.ready


async def test_clients_of_all_transports_see_the_same(
    door: App[GatewayConfig], clients: Clients
) -> None:
    room_id, guests = await table(door, clients, *LINES)
    last = await toggled(guests[0], room_id, 3)
    for guest in guests:
        await guest.reach(room_id, last)
    tails = [guest.entries()[-3:] for guest in guests]
    assert tails[0] == tails[1] == tails[2]

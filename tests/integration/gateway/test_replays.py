"""Replays for programs: the parts of an ended game, in order."""

from typing import Any

import grpc
import pytest

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from parlor.serving.errors import from_rpc_error, reason_name
from parlor.v1.play_pb2 import Dissolve, Ready
from parlor.v1.play_service_pb2 import GetReplayRequest
from parlor.v1.replay_pb2 import ReplayPart
from tests.integration.gateway.support import Client, Clients, bearer, table


async def test_a_program_gets_the_parts_of_an_ended_game_and_none_of_a_running_one(
    door: App[GatewayConfig], clients: Clients
) -> None:
    room_id, guests = await table(door, clients)
    for guest in guests:
        await guest.accepted(room_id, ready=Ready(ready=True))
    assert await _refusal(door, clients, guests[0], room_id) == "WRONG_STATUS"
    # Two more of the three: nobody has to be asked who has proposed.
    for guest in guests:
        await guest.accepted(room_id, dissolve=Dissolve(agree=True))
    start, *steps, result = await _parts(door, clients, guests[0], room_id)
    assert [seat.name for seat in start.start.seats] == ["A", "B", "C"]
    assert all(part.WhichOneof("part") == "steps" for part in steps)
    assert result.result.reason == "DISSOLVED"
    assert result.result.game_no == 1


async def _parts(
    door: App[GatewayConfig], clients: Clients, who: Client, room_id: str
) -> list[ReplayPart]:
    request = GetReplayRequest(room_id=room_id, game_no=1)
    stream: Any = clients.stub(door).GetReplay(request, metadata=bearer(who.token))
    return [response.part async for response in stream]


async def _refusal(door: App[GatewayConfig], clients: Clients, who: Client, room_id: str) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await _parts(door, clients, who, room_id)
    return reason_name(from_rpc_error(error.value).reason)

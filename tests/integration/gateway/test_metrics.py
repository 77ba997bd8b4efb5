"""What an operator sees."""

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

from parlor.gateway.config import GatewayConfig
from parlor.serving import App
from tests.integration.gateway.support import Clients, GrpcLine, JsonLine, ProtoLine, table, toggled

COUNTED = {
    "parlor_gateway_connections",
    "parlor_gateway_frames_received_total",
    "parlor_gateway_frames_sent_total",
    "parlor_gateway_received_bytes_total",
    "parlor_gateway_sent_bytes_total",
    "parlor_gateway_outgoing_peak_bytes",
    "parlor_gateway_rooms",
    "parlor_gateway_followers",
    "parlor_gateway_entries_total",
    "parlor_gateway_recipients_total",
    "parlor_gateway_resumes_total",
    "parlor_gateway_relay_seconds_count",
    "parlor_gateway_engines",
    "parlor_gateway_leases",
}


async def test_the_numbers_of_a_game_are_there(door: App[GatewayConfig], clients: Clients) -> None:
    room_id, (ann, *_) = await table(door, clients, JsonLine, ProtoLine, GrpcLine)
    await ann.reach(room_id, await toggled(ann, room_id, 2))
    async with (
        aiohttp.ClientSession() as http,
        http.get(f"http://{door.http_address}/metrics") as response,
    ):
        families = text_string_to_metric_families(await response.text())
        values = {sample.name: sample.value for family in families for sample in family.samples}
    assert {name for name in COUNTED if not values.get(name)} == set()

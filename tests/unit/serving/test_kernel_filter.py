"""Addresses whose packets the kernel drops."""

import socket
import sys
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest

from parlor.serving.kernel_filter import KernelFilter, program
from tests.conftest import Eventually

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has such filters")

SHUT = ("192.0.2.7", "2001:db8::", "203.0.113.9", "2001:db8:0:1::")
SAME = ("192.0.2.7", "2001:db8::7", "203.0.113.9", "2001:db8:0:1:a:b:c:d")
"""Of the same customers."""
OTHERS = ("192.0.2.8", "2001:db9::", "2001:db8:0:2::7", "7.2.0.192", "::7", "::c000:207")


def takes(instructions: list[tuple[int, int, int, int]], packet: bytes) -> bool:
    """What the kernel would do: only the instructions that are used, with a packet from its IP header on."""
    at = held = 0
    while True:
        code, if_true, if_false, operand = instructions[at]
        at += 1
        match code:
            case 0x30 | 0x20:
                offset, width = operand - 0xFFF00000, 1 if code == 0x30 else 4
                held = int.from_bytes(packet[offset : offset + width])
            case 0x74:
                held >>= operand
            case 0x05:
                at += operand
            case 0x15:
                at += if_true if held == operand else if_false
            case 0x06:
                return operand != 0
            case _:
                raise AssertionError(code)


def packet(source: str) -> bytes:
    """An IP header."""
    address = ip_address(source)
    if isinstance(address, IPv4Address):
        return bytes([0x45, *bytes(11)]) + address.packed + bytes(4)
    return bytes([0x60, *bytes(7)]) + address.packed + bytes(16)


@pytest.mark.parametrize("count", range(len(SHUT) + 1))
def test_packets_of_shut_addresses_are_dropped_and_no_others(count: int) -> None:
    shut: list[IPv4Address | IPv6Address] = [ip_address(each) for each in SHUT[:count]]
    instructions = program(shut)
    taken = [each for each in (*SHUT, *OTHERS) if takes(instructions, packet(each))]
    assert taken == [*SHUT[count:], *OTHERS]
    assert [takes(instructions, packet(each)) for each in SAME] == [False] * count + [True] * (
        len(SAME) - count
    )


@pytest.fixture(params=["127.0.0.1", "::"])
def listening(request: pytest.FixtureRequest) -> Iterator[socket.socket]:
    """A listening socket, of the older kind and for both."""
    host: str = request.param
    both = host == "::"
    family = socket.AF_INET6 if both else socket.AF_INET
    try:
        made = socket.create_server((host, 0), family=family, dualstack_ipv6=both)
    except OSError as error:
        pytest.skip(f"no {host} here: {error}")
    with made:
        yield made


@pytest.fixture
def call(listening: socket.socket) -> Iterator[Callable[[str], socket.socket]]:
    """Begins a connection from an address of this machine."""
    made: list[socket.socket] = []

    def begin(source: str) -> socket.socket:
        one = socket.socket(socket.AF_INET)
        made.append(one)
        one.bind((source, 0))
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", listening.getsockname()[1]))
        return one

    yield begin
    for one in made:
        one.close()


def is_connected(one: socket.socket) -> bool:
    try:
        one.getpeername()
    except OSError:
        return False
    return True


@linux_only
async def test_a_shut_address_waits_and_gets_in_by_itself(
    listening: socket.socket, call: Callable[[str], socket.socket], eventually: Eventually
) -> None:
    shut = KernelFilter(listening)
    name = "127.0.0.9" if listening.family == socket.AF_INET else "::ffff:127.0.0.9"
    shut.shut(name, 1.5)
    mallory = call("127.0.0.9")
    ann = call("127.0.0.8")
    await eventually(lambda: is_connected(ann))
    assert not is_connected(mallory)
    # TCP repeats what was dropped.
    await eventually(lambda: is_connected(mallory))

"""Addresses whose connections the kernel doesn't make: a filter on the listening socket drops their packets.

A connection that is accepted to be closed costs the process some fifty microseconds, and its client
tries at once again. One whose packets are dropped costs nothing, and its client waits: TCP repeats
them after a second, and later ever more seldom, so that whoever comes by right gets in by that.

The filter is a program of classic BPF (socket(7), SO_ATTACH_FILTER), which needs no privilege. Where
there is none, as outside of Linux, nothing is dropped.
"""

import asyncio
import ctypes
import socket
import struct
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

MOST: Final = 128
"""Addresses that are dropped at a time; the kernel bounds a filter's size."""

_ATTACH: Final = getattr(socket, "SO_ATTACH_FILTER", 26)
_DETACH: Final = getattr(socket, "SO_DETACH_FILTER", 27)

# Instructions: the numbers are those of linux/bpf_common.h and linux/filter.h.
_LOAD_BYTE, _LOAD_WORD, _SHIFT_RIGHT, _JUMP, _JUMP_IF_EQUAL, _RETURN = (
    0x30,
    0x20,
    0x74,
    0x05,
    0x15,
    0x06,
)
_IP_HEADER: Final = 0xFFF00000
"""Where loads find the IP header, whatever comes before it (SKF_NET_OFF)."""
_ALL, _NOTHING = 0xFFFFFFFF, 0

_Instruction = tuple[int, int, int, int]
"""Code, jump if true, jump if false, operand."""


class KernelFilter:
    """The filter of one listening socket."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._shut: dict[IPv4Address | IPv6Address, asyncio.TimerHandle] = {}

    def shut(self, peer: str, seconds: float) -> None:
        """Drops what comes from `peer` for so long; nothing where it is dropped already."""
        address = _plain(peer)
        if address in self._shut or len(self._shut) >= MOST:
            return
        again = asyncio.get_running_loop().call_later(seconds, self._open, address)
        self._shut[address] = again
        self._apply()

    def close(self) -> None:
        """Forgets all."""
        for again in self._shut.values():
            again.cancel()
        self._shut.clear()

    def _open(self, address: IPv4Address | IPv6Address) -> None:
        del self._shut[address]
        self._apply()

    def _apply(self) -> None:
        _set(self._listening, program(self._shut) if self._shut else None)


def program(shut: Iterable[IPv4Address | IPv6Address]) -> list[_Instruction]:
    """What drops packets from these addresses and takes all others; of IPv6, from their networks of 64
    bits, which are one customer's.
    """
    fours = [int(each) for each in shut if isinstance(each, IPv4Address)]
    sixes = [each.packed for each in shut if isinstance(each, IPv6Address)]
    first: list[_Instruction] = [(_LOAD_WORD, 0, 0, _IP_HEADER + 12)]
    for address in fours:
        first += [(_JUMP_IF_EQUAL, 0, 1, address), (_RETURN, 0, 0, _NOTHING)]
    first.append((_RETURN, 0, 0, _ALL))
    second: list[_Instruction] = []
    for packed in sixes:
        for number, word in enumerate(struct.unpack("!2I", packed[:8])):
            second.append((_LOAD_WORD, 0, 0, _IP_HEADER + 8 + 4 * number))
            # Past what is left of this network.
            second.append((_JUMP_IF_EQUAL, 0, 3 - 2 * number, word))
        second.append((_RETURN, 0, 0, _NOTHING))
    second.append((_RETURN, 0, 0, _ALL))
    return [
        (_LOAD_BYTE, 0, 0, _IP_HEADER),
        (_SHIFT_RIGHT, 0, 0, 4),
        (_JUMP_IF_EQUAL, 0, 1, 6),
        (_JUMP, 0, 0, len(first)),
        *first,
        *second,
    ]


def _set(one: socket.socket, instructions: list[_Instruction] | None) -> None:
    """Gives a socket a filter, or none. What the kernel refuses is left as it is."""
    try:
        if instructions is None:
            one.setsockopt(socket.SOL_SOCKET, _DETACH, 0)
            return
        code = ctypes.create_string_buffer(
            b"".join(struct.pack("HBBI", *each) for each in instructions)
        )
        head = struct.pack("HP", len(instructions), ctypes.addressof(code))
        one.setsockopt(socket.SOL_SOCKET, _ATTACH, head)
    except OSError:
        # No filter, or no room for it: those who come are closed then.
        pass


def _plain(peer: str) -> IPv4Address | IPv6Address:
    """The address in packets; of IPv6, the first one of its customer's network."""
    address = ip_address(peer.partition("%")[0])
    if isinstance(address, IPv4Address):
        return address
    # A socket for both kinds gives the older kind another name; its packets have none of it.
    return address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64)

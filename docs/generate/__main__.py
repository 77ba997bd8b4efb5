"""Writes the pages of docs/ that come from the code: `python -m docs.generate`, behind `make docs`."""

from pathlib import Path
from typing import Final

from docs.generate import api, configuration

DOCS: Final = Path(__file__).parents[1]
PAGES: Final = {"api.md": api.page, "configuration.md": configuration.page}


def stale() -> list[str]:
    """The pages that are not what the code says."""
    return [
        name
        for name, page in PAGES.items()
        if not (DOCS / name).exists() or (DOCS / name).read_text() != page()
    ]


def main() -> None:
    """Writes every page."""
    for name, page in PAGES.items():
        (DOCS / name).write_text(page())


if __name__ == "__main__":
    main()

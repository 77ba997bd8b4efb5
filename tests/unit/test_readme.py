"""The READMEs name evidence that is there, and both the same."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.zh-CN.md")


def evidence(readme: str) -> list[tuple[str, str]]:
    """The end of each named file, and the test in it; empty where all of it is meant."""
    text = (ROOT / readme).read_text()
    return re.findall(r"`(?:tests|…)/([\w/]+\.py)(?:::(\w+))?`", text)


@pytest.mark.parametrize("readme", READMES)
def test_every_named_test_exists(readme: str) -> None:
    named = evidence(readme)
    assert len(named) > 15
    for file, test in named:
        paths = [path for path in (ROOT / "tests").rglob("*.py") if str(path).endswith("/" + file)]
        assert len(paths) == 1, file
        assert f"def {test}(" in paths[0].read_text() if test else True, test


@pytest.mark.parametrize("readme", READMES)
def test_every_linked_file_exists(readme: str) -> None:
    links = re.findall(r"\]\(((?!http)[^)#]+)\)", (ROOT / readme).read_text())
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_both_languages_name_the_same_evidence() -> None:
    assert evidence(READMES[0]) == evidence(READMES[1])

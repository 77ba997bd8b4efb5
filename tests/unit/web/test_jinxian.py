"""The Jinxian table of the browser client, as far as it needs no page."""

import json
from pathlib import Path

import pytest

from tests.unit.web.jinxian_frames import frames
from tests.unit.web.node import node

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Where the tests find the games."""
    path = tmp_path_factory.mktemp("jinxian") / "frames.json"
    path.write_text(json.dumps(frames()))
    return {"JINXIAN_FRAMES": str(path)}


@pytest.mark.parametrize("name", ["fold", "table"])
def test_the_table_follows_the_engine(name: str, env: dict[str, str]) -> None:
    node("--test", "--test-reporter=dot", str(HERE / f"jinxian_{name}.test.mjs"), env=env)

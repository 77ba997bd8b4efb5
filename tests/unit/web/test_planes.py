"""The Plane Battle table of the browser client, as far as it needs no page."""

import json
from pathlib import Path

from tests.unit.web.node import node
from tests.unit.web.planes_frames import document

HERE = Path(__file__).parent


def test_the_table_follows_the_engine(tmp_path: Path) -> None:
    frames = tmp_path / "frames.json"
    frames.write_text(json.dumps(document()))
    file = str(HERE / "planes.test.mjs")
    node("--test", "--test-reporter=dot", file, env={"PLANES_FRAMES": str(frames)})

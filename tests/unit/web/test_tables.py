"""The tables of the browser client, as far as they need no page: they fold what the engine folds."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.unit.web import doudizhu_frames, jinxian_frames, planes_frames
from tests.unit.web.node import node

HERE = Path(__file__).parent

FRAMES: dict[str, Callable[[], Any]] = {
    "doudizhu": cache(doudizhu_frames.frames),
    "jinxian": cache(jinxian_frames.frames),
    "planes": cache(planes_frames.document),
}


@pytest.mark.parametrize(
    "name", ["doudizhu_fold", "doudizhu_table", "jinxian_fold", "jinxian_table", "planes"]
)
def test_the_table_follows_the_engine(name: str, tmp_path: Path) -> None:
    kind = name.partition("_")[0]
    frames = tmp_path / "frames.json"
    frames.write_text(json.dumps(FRAMES[kind]()))
    env = {f"{kind.upper()}_FRAMES": str(frames)}
    node("--test", "--test-reporter=dot", str(HERE / f"{name}.test.mjs"), env=env)

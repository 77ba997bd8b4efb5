"""Writes the transcripts anew: `python -m tests.golden.record`, then read the difference."""

from tests.golden import doudizhu, jinxian, planes
from tests.golden.transcript import Scenario, transcript


def scenarios() -> list[Scenario]:
    """Every game of every kind that is written down."""
    return [*doudizhu.scenarios(), *jinxian.scenarios(), *planes.scenarios()]


if __name__ == "__main__":
    for scenario in scenarios():
        scenario.path.write_text(transcript(scenario))
        print(scenario.path, scenario.path.stat().st_size)

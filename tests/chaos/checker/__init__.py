"""Whether the histories and the logs keep what Parlor promises. Works on plain data alone.

`execution.py` runs every log again, `actions.py` compares it with what was acknowledged, `sights.py`
with what each audience saw, `stays.py` looks for rooms that stand still.
"""

from tests.chaos.checker.checker import Verdict, check
from tests.chaos.checker.finding import Finding, Kind

__all__ = ["Finding", "Kind", "Verdict", "check"]

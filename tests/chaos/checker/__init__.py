"""Whether the histories and the logs keep what Parlor promises. Works on plain data alone.

`execution.py` runs every log again, `actions.py` compares it with what was acknowledged, `sights.py`
with what each audience saw, `seats.py` with what was said of rooms and seats; `stays.py` looks for what stands still.

That a clock acts exactly once is proved for those of games, which have a line in the log. A room's own clocks have none
(for getting ready, for a vote, for a seat, for a room that is unused): of these only what they show is checked.
"""

from tests.chaos.checker.checker import Verdict, check
from tests.chaos.checker.finding import Finding, Kind

__all__ = ["Finding", "Kind", "Verdict", "check"]

"""Whom gateways cut off, by their logs: a counter that is scraped ends with its process, which campaigns kill."""

import json
from collections import Counter
from pathlib import Path


def cuts(directory: Path) -> Counter[str]:
    """The goodbyes of all gateways of a deployment, such as `too_slow`, `silent` and `replaced`."""
    counts: Counter[str] = Counter()
    for log in directory.glob("gateway-*.log"):
        for line in log.read_text(errors="replace").splitlines():
            if '"session_closed"' not in line:
                continue
            try:
                goodbye = json.loads(line)["goodbye"]
            except ValueError:
                # Killed in the middle of a line.
                continue
            if goodbye is not None:
                counts[goodbye.removeprefix("GOODBYE_REASON_").lower()] += 1
    return counts

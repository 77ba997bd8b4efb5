"""How a law is checked."""

from hypothesis import Phase, settings

law = settings(
    max_examples=20,
    derandomize=True,
    deadline=None,
    database=None,
    # A smaller seed is no simpler game, so there is nothing to shrink.
    phases=(Phase.explicit, Phase.generate),
)
"""The same games every time, so that a failure is the change's and not the day's."""

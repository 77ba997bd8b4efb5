"""Why all of Parlor is not there."""


class NotStarted(RuntimeError):
    """Something did not become ready; the message says what, and how its log ends."""

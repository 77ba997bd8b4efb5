"""The names that settings share: their prefix and the section of each process."""

PREFIX = "PARLOR_"

SECTIONS = frozenset({"ENGINE", "GATEWAY", "MATCHMAKING", "BOTS", "ARCHIVE", "EVERYTHING", "CLI"})
"""One per process; a setting of one process begins with `PARLOR_` and its section."""

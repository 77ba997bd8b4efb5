"""Hits per attack: exact where it decides, rounded where it is shown (RULES.md 6.2 and 7)."""


def accuracy(hits: int, attacks: int) -> int:
    """Hits per attack in hundredths of a percent, rounded half up; 0 without attacks.

    >>> accuracy(2, 3), accuracy(1, 16), accuracy(0, 0)
    (6667, 625, 0)
    """
    return (20_000 * hits + attacks) // (2 * attacks) if attacks else 0


def is_more_accurate(hits: int, attacks: int, other_hits: int, other_attacks: int) -> bool:
    """Whether the first fraction is the greater one; no attacks count as 0 of 1."""
    return hits * max(1, other_attacks) > other_hits * max(1, attacks)

"""What bots are called: each as nobody else at its table."""

from parlor.bots.crew import NAMES, another_name


def test_bots_of_one_table_take_names_that_are_free() -> None:
    taken: set[str] = set()
    for _ in NAMES:
        name = another_name(taken)
        assert name not in taken
        taken.add(name)
    assert taken == set(NAMES)
    assert another_name(taken) in NAMES

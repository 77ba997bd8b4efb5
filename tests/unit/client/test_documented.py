"""Everything of `parlor.client` that programs use says what it does."""

import inspect
from collections.abc import Iterator

import parlor.client
from parlor.client.past import Past


def public(owner: object) -> Iterator[tuple[str, object]]:
    """What a class itself declares for others."""
    for name, member in vars(owner).items():
        is_property = isinstance(member, property)
        if not name.startswith("_") and (inspect.isfunction(member) or is_property):
            yield name, member


def test_every_class_and_every_method_has_a_docstring() -> None:
    exported = [getattr(parlor.client, name) for name in parlor.client.__all__]
    for each in (*exported, Past):
        assert inspect.getdoc(each), each
        for name, member in public(each) if inspect.isclass(each) else ():
            assert inspect.getdoc(member), f"{each.__name__}.{name}"

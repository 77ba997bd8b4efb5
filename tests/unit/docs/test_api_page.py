"""docs/api.md: every name leads somewhere, and nothing that others may call is missing."""

import re

from docs.generate import api, protos
from parlor.gateway.serve import SERVICES

PAGE = api.page()
CONTRACT = protos.read()


def test_every_link_leads_to_a_heading_of_the_page() -> None:
    headings = re.findall(r"^#+ (.+)$", PAGE, re.MULTILINE)
    anchors = [heading.lower().replace(" ", "-") for heading in headings]
    assert len(set(anchors)) == len(anchors)
    linked = set(re.findall(r"\]\(#([^)]+)\)", PAGE))
    assert linked
    assert linked - set(anchors) == set()


def test_every_public_service_and_all_that_it_speaks_of_is_there_and_nothing_internal() -> None:
    headings = set(re.findall(r"^### (\w+)$", PAGE, re.MULTILINE))
    assert {name.rpartition(".")[2] for name in SERVICES} <= headings
    assert {"ClientFrame", "Action", "PlanesView", "PastGameDetail", "TicketState"} <= headings
    assert headings & {"EngineService", "ArchiveService", "FeedItem", "FinishedGame"} == set()


def test_everything_that_is_declared_says_what_it_is() -> None:
    for name, declared in CONTRACT.declared():
        assert CONTRACT.comments[name], name
        for part in ("field", "value", "method"):
            for each in getattr(declared, part, ()):
                assert CONTRACT.comments[f"{name}.{each.name}"], (name, each.name)


def test_maps_lists_and_branches_are_told_apart() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+?) \|", PAGE, re.MULTILINE))
    assert rows["metadata"] == "map of `string` to `string`"
    assert rows["positions"] == "list of [`Position`](#position)"
    assert rows["openRoom"] == "[`OpenRoom`](#openroom), one of `frame`"
    assert re.search(r"^\| `seat` \| `int32`, optional \|", PAGE, re.MULTILINE)

"""The command's options, before anything is started."""

import pytest

from parlor.cli import main
from parlor.cli.simulated import GAMES


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the command says when it ends with 2."""
    with pytest.raises(SystemExit) as end:
        main(["play", *arguments])
    assert end.value.code == 2
    return capsys.readouterr().err


@pytest.mark.parametrize("kind", GAMES)
def test_a_rule_set_of_another_game_is_refused_with_those_there_are(
    capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    said = refused(capsys, "--game", kind, "--rule-set", "nonsense")
    assert f"{kind} has no rule set 'nonsense'" in said
    assert all(rules in said for rules in GAMES[kind].rule_sets)


def test_a_game_that_there_is_not_is_refused_with_those_there_are(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = refused(capsys, "--game", "chess")
    assert all(kind in said for kind in GAMES)


@pytest.mark.parametrize("url", ["127.0.0.1:8080", "ftp://example.com", "http://", "http://a:x"])
def test_what_is_no_url_of_a_gateway_is_refused_before_anybody_tries_it(
    capsys: pytest.CaptureFixture[str], url: str
) -> None:
    assert f"expected http://HOST:PORT or https://HOST, not {url!r}" in refused(
        capsys, "--url", url
    )


def test_the_help_names_the_rule_sets_of_every_game(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["play", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert all(f"{kind}: {', '.join(game.rule_sets)}" in said for kind, game in GAMES.items())

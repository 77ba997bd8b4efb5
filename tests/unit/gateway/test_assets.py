"""The browser client's files: small, complete, and each release's apart from every other's."""

import gzip

import brotli
import pytest

from parlor.gateway.assets import Assets, client_files

FILES = {
    "index.html": b'<html><head><script type="module" src="/assets/@/main.js"></script></head></html>',
    "main.js": b'import "./ui/dom.js";\n' * 50,
    "ui/dom.js": b"export {};\n",
    "style.css": b"a{}",
    "notes.md": b"not for browsers",
}
FIRST_LOAD_BYTES = 150_000


async def test_the_whole_client_comes_with_the_first_load_and_is_small() -> None:
    assets = Assets(client_files())
    await assets.press()
    every = [assets.page, *assets.files.values()]
    assert sum(len(asset.compressed(lambda _: True)[1]) for asset in every) <= FIRST_LOAD_BYTES


def test_the_page_asks_for_every_module_at_its_address() -> None:
    assets = Assets(FILES)
    page = assets.page.body.decode()
    for module in ("main.js", "ui/dom.js"):
        assert f'<link rel="modulepreload" href="/assets/{assets.tree}/{module}">' in page
    assert f'src="/assets/{assets.tree}/main.js"' in page
    assert "@" not in page


def test_only_what_a_browser_can_use_is_served() -> None:
    assert sorted(Assets(FILES).files) == ["main.js", "style.css", "ui/dom.js"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(FILES | {"main.js": b"other"}, id="content"),
        pytest.param({**FILES, "a.js": b""}, id="a file more"),
        pytest.param(
            {("x.js" if path == "main.js" else path): body for path, body in FILES.items()},
            id="a name",
        ),
    ],
)
def test_another_tree_has_other_addresses(other: dict[str, bytes]) -> None:
    assert Assets(other).tree != Assets(FILES).tree
    assert Assets(dict(FILES)).tree == Assets(FILES).tree


def test_what_is_sent_is_the_file_in_whatever_coding_is_accepted() -> None:
    asset = Assets(FILES).files["main.js"]
    assert asset.compressed(lambda _: True)[0] == "gzip"
    asset.press()
    unpack = {"": bytes, "gzip": gzip.decompress, "br": brotli.decompress}
    for accepted, expected in (({"br", "gzip"}, "br"), ({"gzip"}, "gzip"), (set(), "")):
        coding, body = asset.compressed(accepted.__contains__)
        assert coding == expected
        assert unpack[coding](body) == asset.body


def test_what_does_not_get_smaller_is_sent_as_it_is() -> None:
    asset = Assets(FILES).files["style.css"]
    asset.press()
    assert asset.compressed(lambda _: True) == ("", asset.body)


def test_a_file_is_compressed_the_same_on_every_replica() -> None:
    first, second = (Assets(FILES).files["main.js"] for _ in range(2))
    assert first.compressed(lambda _: True) == second.compressed(lambda _: True)

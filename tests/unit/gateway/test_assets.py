"""The browser client's files: small, complete, and each release's apart from every other's."""

import gzip

import brotli
import pytest

from parlor.gateway.assets import Assets, client_files

FILES = {
    "index.html": b'<html><head><script type="module" src="/assets/@/main.js"></script></head></html>',
    "main.js": b'import "./ui/dom.js";\n' * 50 + b'const late = () => import("./games/late.js");\n',
    "games/late.js": b'import "../ui/dom.js";\nimport { a, b } from "./tile.js";\n',
    "games/tile.js": b"export const a = 1, b = 2;\n",
    "ui/dom.js": b"export {};\n",
    "style.css": b"a{}",
    "notes.md": b"not for browsers",
}
CLIENT_BYTES = 150_000


async def test_the_whole_client_is_small() -> None:
    """Of what a first load is, with headers and in a browser, the end-to-end tests keep account."""
    assets = Assets(client_files())
    await assets.press()
    every = [assets.page, *assets.files.values()]
    assert sum(len(asset.compressed(lambda _: True)[1]) for asset in every) <= CLIENT_BYTES


def test_the_page_asks_for_every_module_at_its_address() -> None:
    assets = Assets(FILES)
    page = assets.page.body.decode()
    now, _, later = page.partition('<template id="games/late.js">')
    for module in ("main.js", "ui/dom.js"):
        assert f'<link rel="modulepreload" href="/assets/{assets.tree}/{module}">' in now
    # What is needed already is not asked for again.
    asked = later.partition("</template>")[0].split()
    root = f"/assets/{assets.tree}"
    assert [each for each in asked if each.startswith("href")] == [
        f'href="{root}/games/late.js">',
        f'href="{root}/games/tile.js">',
    ]
    assert f'src="/assets/{assets.tree}/main.js"' in page
    assert "@" not in page


def test_only_what_a_browser_can_use_is_served() -> None:
    assert sorted(Assets(FILES).files) == [
        "games/late.js",
        "games/tile.js",
        "main.js",
        "style.css",
        "ui/dom.js",
    ]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(FILES | {"main.js": b"other;"}, id="content"),
        pytest.param({**FILES, "a.js": b""}, id="a file more"),
        pytest.param(
            {("x.css" if path == "style.css" else path): body for path, body in FILES.items()},
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

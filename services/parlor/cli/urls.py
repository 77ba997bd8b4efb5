"""A gateway's URL, as it is typed."""

import argparse
from urllib.parse import urlsplit


def gateway_url(text: str) -> str:
    """`text`, where it names a gateway.

    >>> gateway_url("http://127.0.0.1:8080")
    'http://127.0.0.1:8080'
    """
    try:
        parts = urlsplit(text)
        is_one = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_one = False
    if not is_one:
        raise argparse.ArgumentTypeError(f"expected http://HOST:PORT or https://HOST, not {text!r}")
    return text

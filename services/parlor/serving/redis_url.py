"""The forms in which a setting may say where Redis is."""

from typing import Any, Final
from urllib.parse import unquote, urlsplit

from redis.asyncio.connection import parse_url

from parlor.serving.config import BadConfig
from parlor.serving.sentinel import Address, Primary, PrimaryConnection

FORMS: Final = (
    "redis://[user:password@]host[:port][/db]",
    "rediss://[user:password@]host[:port][/db][?ssl_ca_certs=FILE]",
    "unix://[user:password@]/path[?db=N]",
    "redis+sentinel://[user:password@]host[:port][,host[:port]...]/service[/db]",
)

_SENTINEL: Final = "redis+sentinel"
_SENTINEL_PORT: Final = 26379


def connection_options(url: str) -> dict[str, Any]:
    """How redis-py opens a connection to what `url` names; raises BadConfig for any other form.

    User and password are those of Redis; sentinels are asked without.

    >>> options = connection_options("redis+sentinel://10.0.0.1:26379,10.0.0.2/tables/3")
    >>> options["db"], options["primary"].service, options["primary"].sentinels
    (3, 'tables', (('10.0.0.1', 26379), ('10.0.0.2', 26379)))
    """
    try:
        scheme = urlsplit(url).scheme
        if scheme == _SENTINEL:
            return _sentinel_options(url)
        if scheme in ("redis", "rediss"):
            # redis-py takes database 0 where it cannot read another.
            _db(urlsplit(url).path.strip("/"))
        return dict(parse_url(url))
    except ValueError:
        # What is wrong may be the password: the value is not repeated.
        raise BadConfig(f"PARLOR_REDIS_URL: expected one of {', '.join(FORMS)}") from None


def _sentinel_options(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    service, *rest = parts.path.strip("/").split("/")
    if not service or len(rest) > 1 or parts.query or parts.fragment:
        raise ValueError(parts.path)
    options: dict[str, Any] = {
        "connection_class": PrimaryConnection,
        "primary": Primary(unquote(service), tuple(_address(host) for host in hosts.split(","))),
        "db": _db("".join(rest)),
    }
    if user:
        options["username"] = unquote(user)
    if password:
        options["password"] = unquote(password)
    return options


def _address(text: str) -> Address:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(text)
    return parts.hostname, parts.port or _SENTINEL_PORT


def _db(text: str) -> int:
    if text and not text.isdecimal():
        raise ValueError(text)
    return int(text or 0)

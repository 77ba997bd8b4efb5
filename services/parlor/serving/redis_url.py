"""The forms in which a setting may say where Redis is."""

from pathlib import Path
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
    "redis+cluster://[user:password@]host[:port][,host[:port]...]",
    "rediss+cluster://[user:password@]host[:port][,host[:port]...][?ssl_ca_certs=FILE]",
)

_SENTINEL: Final = "redis+sentinel"
_SENTINEL_PORT: Final = 26379

_CLUSTER: Final = {"redis+cluster": "redis", "rediss+cluster": "rediss"}
"""To how one server of it is named."""
_CLUSTER_PORT: Final = 6379

_FILES: Final = frozenset({"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"})


def is_cluster(url: str) -> bool:
    """Whether `url` names a Redis Cluster.

    >>> is_cluster("redis+cluster://10.0.0.1"), is_cluster("redis://10.0.0.1")
    (True, False)
    """
    return url.partition("://")[0] in _CLUSTER


def cluster_options(url: str) -> tuple[tuple[Address, ...], dict[str, Any]]:
    """Some servers of the cluster that `url` names, and how redis-py opens a connection to any of
    its servers, host and port left out; raises BadConfig for any other form.

    >>> cluster_options("redis+cluster://ann:pw@10.0.0.1:7000,10.0.0.2")
    ((('10.0.0.1', 7000), ('10.0.0.2', 6379)), {'username': 'ann', 'password': 'pw'})
    """
    try:
        parts = urlsplit(url)
        login, at, hosts = parts.netloc.rpartition("@")
        if parts.path.strip("/") not in ("", "0") or parts.fragment:
            # A cluster has one database.
            raise ValueError(parts.path)
        seeds = tuple(_address(host, _CLUSTER_PORT) for host in hosts.split(","))
        # As for one server; its host is nobody's.
        one = f"{_CLUSTER[parts.scheme]}://{login}{at}any?{parts.query}"
        options = dict(parse_url(one))
        if options.pop("db", 0):
            raise ValueError(parts.query)
    except (ValueError, KeyError):
        raise _bad() from None
    del options["host"]
    return seeds, _with_files(options)


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
        options = dict(parse_url(url))
    except ValueError:
        raise _bad() from None
    return _with_files(options)


def _with_files(options: dict[str, Any]) -> dict[str, Any]:
    """The options; raises BadConfig where a file is missing, which would pass for a lost connection."""
    for name in _FILES & options.keys():
        if not Path(options[name]).is_file():
            raise BadConfig(f"PARLOR_REDIS_URL: {name} names no file")
    return options


def _sentinel_options(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    login, _, hosts = parts.netloc.rpartition("@")
    user, _, password = login.partition(":")
    service, *rest = parts.path.strip("/").split("/")
    if not service or len(rest) > 1 or parts.query or parts.fragment:
        raise ValueError(parts.path)
    options: dict[str, Any] = {
        "connection_class": PrimaryConnection,
        "primary": Primary(
            unquote(service), tuple(_address(host, _SENTINEL_PORT) for host in hosts.split(","))
        ),
        "db": _db("".join(rest)),
    }
    if user:
        options["username"] = unquote(user)
    if password:
        options["password"] = unquote(password)
    return options


def _address(text: str, port: int) -> Address:
    parts = urlsplit(f"//{text}")
    if not parts.hostname:
        raise ValueError(text)
    return parts.hostname, parts.port or port


def _bad() -> BadConfig:
    # What is wrong may be the password: the value is not repeated.
    return BadConfig(f"PARLOR_REDIS_URL: expected one of {', '.join(FORMS)}")


def _db(text: str) -> int:
    if text and not text.isdecimal():
        raise ValueError(text)
    return int(text or 0)

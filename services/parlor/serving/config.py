"""What a process reads from its environment: once, at the start, into one frozen dataclass.

A service's `Config` extends `Common`. `Common`'s fields come from `PARLOR_<NAME>`, which
`PARLOR_<SECTION>_<NAME>` overrides for one service; the service's own fields come from
`PARLOR_<SECTION>_<NAME>` only. A misspelt name would otherwise run with a default for years, so an
unknown `PARLOR_` name is refused. A secret may stand in a file that `<variable>_FILE` names, so that
it is in no environment.
"""

import dataclasses
import difflib
import os
import types
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypeAlias, TypeVar

from parlor.serving.names import PREFIX, SECTIONS

T = TypeVar("T")

_HIDDEN: Final = "nobody shall read it"
Secret: TypeAlias = Annotated[T, _HIDDEN]
"""The type of a setting that nobody shall read: `password: Secret[str]`."""

FILE: Final = "_FILE"
"""What the name of a variable ends with that names a file with the value of a secret."""

_LIKENESS: Final = 0.8


class BadConfig(ValueError):
    """A variable that cannot be read as what it sets, or that sets nothing; `run` prints it and
    exits with 2.
    """


class UnknownSetting(BadConfig):
    """A variable that sets nothing. `nearest` is the known one that it resembles most; empty where
    none does.
    """

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name = name
        self.nearest = next(iter(difflib.get_close_matches(name, known, 1, _LIKENESS)), "")
        meant = f"did you mean {self.nearest}? " if self.nearest else ""
        super().__init__(f"{name}: no such setting; {meant}docs/configuration.md has them all")


@dataclass(frozen=True, slots=True, kw_only=True)
class Common:
    """What every process needs; its defaults run on one laptop."""

    redis_url: Secret[str] = "redis://127.0.0.1:6379/0"
    """Where Redis is: `redis://host:port/db`, `rediss://host:port/db` (TLS; `?ssl_ca_certs=FILE` for
    an authority of one's own), `unix:///path?db=N`,
    `redis+sentinel://host:port,host:port/service/db`, which follows a failover, or
    `redis+cluster://host:port,host:port` (`rediss+cluster` with TLS), some servers of a Cluster; each
    with `user:password@` before the host, or the path.
    """
    redis_prefix: str = ""
    """Stands before every key and channel, so that several Parlors can share one Redis."""
    redis_timeout_ms: int = 2000
    """How long one command may take, connecting included."""
    grpc_host: str = "127.0.0.1"
    """Address to listen on for gRPC; `0.0.0.0` in a container."""
    grpc_port: int = 0
    """Port for gRPC; 0 takes a free one."""
    http_host: str = "127.0.0.1"
    """Address to listen on for HTTP: health, metrics, and what the service adds."""
    http_port: int = 0
    """Port for HTTP; 0 takes a free one."""
    advertise: str = ""
    """`host:port` by which other services reach this one's gRPC. Empty: where it listens, or the
    host's name where it listens on every address.
    """
    grpc_tls_certificate: str = ""
    """PEM file with this process's certificate and its chain, which it shows as a server and as a
    client. With it goes gRPC over TLS, to and from all services. Files are read again when they
    change. Empty: plain.
    """
    grpc_tls_key: str = ""
    """PEM file with the certificate's key."""
    grpc_tls_authority: str = ""
    """PEM file with the authorities of the other services' certificates."""
    grpc_tls_clients: Literal["required", "any"] = "required"
    """Whether whoever calls has to show a certificate of the authorities. `any` is for gateways,
    where a token says who calls.
    """
    grpc_tls_name: str = ""
    """The name that the certificates of services called have to be issued for, whatever their
    address is. Empty: the host of the address.
    """
    drain_ms: int = 10_000
    """How long the service may take to hand over what it holds when it is told to stop; twice that
    ends the process.
    """
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least level that is written."""
    log_format: Literal["auto", "json", "console"] = "auto"
    """JSON lines, or lines for people; `auto` chooses by whether stderr is a terminal."""
    tracing_endpoint: str = ""
    """Where traces go: an OTLP receiver over gRPC, such as `http://collector:4317`; `https://` with
    TLS. Empty: nothing is traced. Needs the extra `tracing`.
    """
    tracing_ratio: float = 0.01
    """Which share of the requests is traced, from 0 to 1. A backend's request that names a trace is
    traced if that one is.
    """


C = TypeVar("C", bound=Common)


def from_env(config_type: type[C], section: str, env: Mapping[str, str] = os.environ) -> C:
    """The service's config as `env` sets it; raises BadConfig naming the variable and the accepted
    form.

    `section` is the service's name, such as "GATEWAY". Names of other services' sections are left
    alone: services of one machine share an environment.

    >>> from_env(
    ...     Common, "GATEWAY", {"PARLOR_LOG_LEVEL": "debug", "PARLOR_GATEWAY_GRPC_PORT": "7000"}
    ... ).grpc_port
    7000
    """
    own_prefix = f"{PREFIX}{section}_"
    hints = typing.get_type_hints(config_type, include_extras=True)
    common = {field.name for field in dataclasses.fields(Common)}
    known: set[str] = set()
    values: dict[str, Any] = {}
    for field in dataclasses.fields(config_type):
        wanted = hints[field.name]
        names = [own_prefix + field.name.upper()]
        if field.name in common:
            names.append(PREFIX + field.name.upper())
        known.update(names)
        if is_secret(wanted):
            known.update(name + FILE for name in names)
        for name in names:
            text = _read_secret(name, env) if is_secret(wanted) else env.get(name)
            if text is not None:
                values[field.name] = _parsed(name, text, wanted)
                break
    for name in sorted(env):
        if name.startswith(PREFIX) and name not in known and not _is_for_another(name, section):
            raise UnknownSetting(name, known)
    return config_type(**values)


def is_secret(wanted: Any) -> bool:
    """Whether settings of this type are secrets."""
    return _HIDDEN in getattr(wanted, "__metadata__", ())


def _read_secret(name: str, env: Mapping[str, str]) -> str | None:
    """A secret's text, from its variable or the file that the other one names; None where neither
    is set.
    """
    # An empty name of a file is none, so that compose files can pass `${X:-}` through.
    path = env.get(name + FILE)
    if not path:
        return env.get(name)
    if name in env:
        raise BadConfig(f"{name}, {name + FILE}: expected one of them, not both")
    try:
        # Editors and `echo` end the last line, which belongs to no secret.
        return Path(path).read_text().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "no text"
        raise BadConfig(f"{name + FILE}={path!r}: {cause}") from None


def _is_for_another(name: str, section: str) -> bool:
    return any(name.startswith(f"{PREFIX}{other}_") for other in SECTIONS if other != section)


def _parsed(name: str, text: str, wanted: Any) -> Any:
    """`text` as a value of the type `wanted`."""
    origin = typing.get_origin(wanted)
    if origin is Annotated:
        return _parsed(name, text, typing.get_args(wanted)[0])
    if origin in (typing.Union, types.UnionType):
        # An optional setting is unset by an empty value, so that compose files can pass `${X:-}`
        # through.
        if text == "":
            return None
        (wanted,) = (arg for arg in typing.get_args(wanted) if arg is not types.NoneType)
        return _parsed(name, text, wanted)
    if origin is Literal:
        choices = typing.get_args(wanted)
        if text not in choices:
            raise BadConfig(f"{name}={text!r}: expected one of {', '.join(choices)}")
        return text
    if wanted == tuple[str, ...]:
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if wanted is str:
        return text
    if wanted is bool:
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise BadConfig(f"{name}={text!r}: expected true or false")
    if wanted is int or wanted is float:
        try:
            number = wanted(text)
        except ValueError:
            form = "a whole number" if wanted is int else "a number"
            raise BadConfig(f"{name}={text!r}: expected {form}") from None
        if number < 0:
            raise BadConfig(f"{name}={text!r}: expected a number of at least 0")
        return number
    raise TypeError(f"{name}: settings of type {wanted} cannot be read from the environment")

"""docs/configuration.md: every setting of every process, from the dataclasses that read them."""

import ast
import dataclasses
import inspect
import types
import typing
from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from parlor.archive.config import ArchiveConfig
from parlor.bots.config import BotsConfig
from parlor.engine.config import EngineConfig
from parlor.everything import EverythingConfig
from parlor.gateway.config import GatewayConfig
from parlor.matchmaking.config import MatchmakingConfig
from parlor.serving import Common
from parlor.serving.config import FILE, is_secret

CONFIGS: Final[Mapping[str, type[Common]]] = {
    "gateway": GatewayConfig,
    "engine": EngineConfig,
    "matchmaking": MatchmakingConfig,
    "archive": ArchiveConfig,
    "bots": BotsConfig,
    "everything": EverythingConfig,
}
"""By the module that is started: `parlor.<name>`."""

_HEAD: Final = f"""# Settings

<!-- Written by `make docs` from the code. -->

Every process reads its settings once, when it starts, from variables of its environment. It refuses to start where one
cannot be read or is unknown, with exit code 2 and a line that names it:
`PARLOR_REDISURL: no such setting; did you mean PARLOR_REDIS_URL?`. Variables of other services are left alone, so that
all may share one environment.

Names say the unit: `_MS` is milliseconds, `_BYTES` is bytes. A list is separated by commas. A *secret* may stand in a
file as well: the same name with `{FILE}` behind it names the file, whose last line end is not part of it. One of the
two may be set, not both. In a checkout, `python` is `.venv/bin/python`.

```sh
PARLOR_REDIS_URL_FILE=/run/secrets/redis-url python -m parlor.gateway
```
"""

_COMMON: Final = """## Every process

`PARLOR_GATEWAY_LOG_LEVEL` overrides `PARLOR_LOG_LEVEL` for gateways, `PARLOR_ENGINE_…` for engines, and so on.
"""

_ABOUT: Final[Mapping[str, str]] = {
    "gateway": "`python -m parlor.gateway`.",
    "engine": "`python -m parlor.engine KIND`, with `doudizhu`, `jinxian` or `planes`.",
    "matchmaking": "`python -m parlor.matchmaking`.",
    "archive": "`python -m parlor.archive`.",
    "bots": "`python -m parlor.bots`.",
    "everything": "`make up`, or `python -m parlor.everything`: all of the others on one machine. "
    "They read their own settings from the same environment.",
}


def page() -> str:
    """The whole page, in Markdown."""
    parts = [_HEAD, _COMMON + "\n" + table(Common, "PARLOR_")]
    for name, config in CONFIGS.items():
        title = f"## {name.capitalize()}\n\n{_ABOUT[name]}\n\n"
        parts.append(title + table(config, f"PARLOR_{name.upper()}_"))
    return "\n".join(parts)


def table(config: type[Common], prefix: str) -> str:
    """The settings that the class itself declares, in its order."""
    hints = typing.get_type_hints(config, include_extras=True)
    defaults = {field.name: field.default for field in dataclasses.fields(config)}
    rows = [
        f"| `{prefix}{name.upper()}` | {type_name(hints[name])} | {value_name(defaults[name])} "
        f"| {' '.join(meaning.split()).replace('|', chr(92) + '|')} |"
        for name, meaning in meanings(config)
    ]
    head = ["| Name | Type | Default | Meaning |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *rows]) + "\n"


def meanings(config: type[Common]) -> Iterator[tuple[str, str]]:
    """Each field that the class declares, with the docstring under it; raises where there is none."""
    (declared,) = ast.parse(inspect.getsource(config)).body
    assert isinstance(declared, ast.ClassDef)
    for field, below in zip(declared.body, [*declared.body[1:], None], strict=True):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            match below:
                case ast.Expr(value=ast.Constant(value=str(meaning))):
                    yield field.target.id, meaning
                case _:
                    raise ValueError(f"{config.__name__}.{field.target.id} has no docstring")


def type_name(wanted: Any) -> str:
    """A type as people call it."""
    if is_secret(wanted):
        return f"{type_name(typing.get_args(wanted)[0])}, secret"
    match typing.get_origin(wanted):
        case origin if origin is Literal:
            return " or ".join(f"`{choice}`" for choice in typing.get_args(wanted))
        case origin if origin in (typing.Union, types.UnionType):
            some = (each for each in typing.get_args(wanted) if each is not types.NoneType)
            return f"{', '.join(map(type_name, some))}, or empty"
    names = {str: "text", bool: "`true` or `false`", int: "whole number", float: "number"}
    return "list" if wanted == tuple[str, ...] else names[wanted]


def value_name(value: object) -> str:
    """A default as one would write it."""
    match value:
        case None | "" | ():
            return "empty"
        case bool():
            return f"`{str(value).lower()}`"
        case tuple():
            return f"`{','.join(map(str, value))}`"
    return f"`{value}`"

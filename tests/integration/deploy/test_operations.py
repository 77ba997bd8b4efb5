"""docs/operations.md: what it tells to type can be typed."""

import itertools
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from redis import Redis
from redis.exceptions import AuthenticationError

from parlor.bots.config import BotsConfig
from parlor.cli import parser
from parlor.cli.instants import instant_of
from parlor.gateway.config import GatewayConfig
from parlor.gateway.token_keys import configured_key
from parlor.serving import Common, redis_server
from parlor.serving.config import FILE, from_env
from parlor.serving.tls import Tls
from tests.integration.deploy.support import (
    COMMANDS,
    CONFIGS,
    OPERATIONS,
    PROFILES,
    ROOT,
    composed,
    tool,
)

TEXT = OPERATIONS.read_text()


def commands() -> list[list[str]]:
    """Every command of the blocks of shell, in words."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def commands_of(program: str) -> list[list[str]]:
    """Those of one program, without variables set before it."""
    found = [
        words[index:]
        for words in commands()
        for index in range(len(words))
        if words[index] == program and all("=" in word for word in words[:index])
    ]
    assert found, program
    return found


@pytest.mark.parametrize(
    "words", commands_of("docker"), ids=lambda words: " ".join(words)[:60].strip()
)
def test_every_compose_command_names_profiles_and_services_that_are_there(
    words: list[str],
) -> None:
    if words[1] == "build":
        assert (ROOT / words[words.index("--file") + 1]).is_file()
        return
    if words[1] == "push":
        return
    if words[1:3] == ["image", "tag"]:
        built = composed()["services"]["gateway"]["image"]
        assert words[3].partition(":")[0] == words[4].partition(":")[0] == built.partition(":")[0]
        return
    if words[1:3] == ["volume", "rm"]:
        volumes = composed(*PROFILES["everything"])["volumes"].values()
        assert set(words[3:]) <= {volume["name"] for volume in volumes}
        return
    assert words[1] == "compose"
    verb = next(
        index
        for index, word in enumerate(words)
        if word in {"up", "down", "exec", "cp", "run", "restart", "start", "stop"}
    )
    # Options before the verb are compose's own: it says itself whether they mean something.
    assert composed(*words[2:verb])["services"]
    services = composed(*PROFILES["everything"])["services"]
    rest = words[verb + 1 :]
    scaled = {
        value.partition("=")[0] for flag, value in itertools.pairwise(rest) if flag == "--scale"
    }
    assert scaled <= set(services)
    if words[verb] in {"exec", "restart", "start", "stop"}:
        assert next(word for word in rest if not word.startswith("-")) in services
    if words[verb] == "run":
        assert not services.keys().isdisjoint(rest)
    help_text = help_of(words[verb])
    # What stands behind the service of an exec is for the program inside.
    own = (
        rest[: rest.index(next(word for word in rest if word in services))]
        if words[verb] in {"exec", "run"}
        else rest
    )
    for word in own:
        if word.startswith("--"):
            assert word in help_text


def test_every_file_that_is_named_is_there() -> None:
    named = set(re.findall(r"(?<![\w/])(?:deploy|tests|services)/[\w./@-]+[\w]", TEXT))
    # Keys are made by the reader.
    missing = {
        path for path in named if not path.startswith("deploy/keys/") and not (ROOT / path).exists()
    }
    assert missing == set()


@pytest.mark.skipif(
    shutil.which("git") is None or not (ROOT / ".git").exists(), reason="no checkout of git"
)
def test_git_takes_none_of_the_files_that_an_operator_makes() -> None:
    words = {word for command in commands() for word in command}
    named = {
        word for word in words if re.fullmatch(r"[\w./-]+\.(db|dump|env|key|pem|rdb|secret)", word)
    }
    made = {
        word for word in named | {".env"} if not word.startswith("/") and not (ROOT / word).exists()
    }
    assert made >= {"parlor.env", "backup.rdb", "backup.db", "grpc-authority.key"}
    told = subprocess.run(
        ["git", "check-ignore", *made], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    assert set(told.split()) == made


def test_every_kustomization_that_is_applied_renders() -> None:
    applied = {words[words.index("-k") + 1] for words in commands_of("kubectl") if "-k" in words}
    assert applied >= {"deploy/k8s/overlays/prod", "deploy/k8s/restore", "deploy/k8s/namespace"}
    for folder in applied:
        assert tool("kubectl", "kustomize", ROOT / folder)


@pytest.mark.parametrize("name", ["prod", "prod-external-redis"])
def test_production_asks_for_no_secret_that_is_not_made(name: str) -> None:
    made = {("parlor-tls", "")}
    for words in commands_of("kubectl"):
        if words[3:6] == ["create", "secret", "generic"]:
            options = [word.split("=", 2) for word in words[7:]]
            made |= {
                (words[6], Path(key).name if flag == "--from-file" else key)
                for flag, key, *_ in options
            }
            made.add((words[6], ""))
    assert set(secrets_in(rendered(name))) <= made


def rendered(name: str) -> list[Any]:
    return list(
        yaml.safe_load_all(tool("kubectl", "kustomize", ROOT / "deploy/k8s/overlays" / name))
    )


def secrets_in(node: Any) -> Iterator[tuple[str, str]]:
    """Every Secret that is referred to, with its key; without one where it is mounted as a whole."""
    if isinstance(node, list):
        for each in node:
            yield from secrets_in(each)
    elif isinstance(node, dict):
        if "secretKeyRef" in node:
            yield node["secretKeyRef"]["name"], node["secretKeyRef"]["key"]
        if isinstance(node.get("secretName"), str):
            yield node["secretName"], ""
        for each in node.values():
            yield from secrets_in(each)


@pytest.mark.parametrize(
    "words", commands_of("kubectl"), ids=lambda words: " ".join(words)[:70].strip()
)
def test_every_kubectl_command_has_options_that_kubectl_knows(words: list[str]) -> None:
    options, _, _inside = " ".join(words[1:]).partition(" -- ")
    given = shlex.split(options)
    verbs = [word for word in given if not word.startswith("-")]
    if given[0] == "--namespace":
        verbs = verbs[1:]
    command = (
        verbs[:3] if verbs[0] == "create" else verbs[:2] if verbs[0] == "rollout" else verbs[:1]
    )
    known = kubectl(*command, "--help") + kubectl("options")
    for word in given:
        if word.startswith("--"):
            assert f"{word.partition('=')[0]}=" in known, word


@pytest.mark.parametrize(
    "words",
    [
        words[words.index("parlor.cli") + 1 :]
        for program in ("docker", "kubectl")
        for words in commands_of(program)
        if "parlor.cli" in words
    ],
    ids=" ".join,
)
def test_every_parlor_command_can_be_typed(words: list[str]) -> None:
    options = parser().parse_args(words)
    for time in {"at", "until"} & vars(options).keys():
        if given := getattr(options, time):
            instant_of(given, 0)


def test_the_files_of_settings_that_it_names_for_a_shell_go_together(tmp_path: Path) -> None:
    exported = dict(words[1].split("=", 1) for words in commands_of("export"))
    own, *files = exported["COMPOSE_ENV_FILES"].split(",")
    assert own == ".env"
    (settings,) = (block for block in variables() if "PARLOR_GATEWAY_ORIGINS" in block)
    (tmp_path / own).write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    named = [word for file in (tmp_path / own, *files) for word in ("--env-file", str(file))]
    profiles = exported["COMPOSE_PROFILES"].split(",")
    services = composed(*named, *(word for each in profiles for word in ("--profile", each)))[
        "services"
    ]
    assert {"sentinel-3", "prometheus"} <= services.keys()
    origins = services["gateway"]["environment"]["PARLOR_GATEWAY_ORIGINS"]
    assert origins == settings["PARLOR_GATEWAY_ORIGINS"]
    assert services["gateway"]["image"] == f"parlor:{settings['PARLOR_VERSION']}"


def test_without_containers_all_services_read_one_environment() -> None:
    started = [words[2:] for words in commands_of(".venv/bin/python") if "parlor" in words[2]]
    assert sorted(started) == sorted(COMMANDS.values())
    (settings,) = (block for block in variables() if "PARLOR_GATEWAY_MATCHMAKING" in block)
    read = {name: from_env(config, name.upper(), settings) for name, config in CONFIGS.items()}
    gateway, matchmaking, archive, bots = (
        read[name] for name in ("gateway", "matchmaking", "archive", "bots")
    )
    assert isinstance(gateway, GatewayConfig)
    assert isinstance(bots, BotsConfig)
    assert gateway.matchmaking == (f"{matchmaking.grpc_host}:{matchmaking.grpc_port}",)
    assert gateway.archive == (f"{archive.grpc_host}:{archive.grpc_port}",)
    assert bots.urls == (f"http://{gateway.http_host}:{gateway.http_port}",)


@pytest.mark.parametrize(
    "words",
    [words for words in commands_of(".venv/bin/python") if words[2].startswith("tests.")],
    ids=" ".join,
)
def test_every_measurement_takes_its_options(words: list[str]) -> None:
    _, dash_m, module, *options = words
    assert dash_m == "-m"
    told = subprocess.run(
        [sys.executable, "-m", module, "--help"],
        env={**os.environ, "PYTHONPATH": f"{ROOT / 'services'}:{ROOT}"},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    ).stdout
    for option in options:
        assert not option.startswith("--") or option in told


def variables() -> list[dict[str, str]]:
    """Every block of settings."""
    blocks = re.findall(r"^```\n(PARLOR_.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    return [dict(line.split("=", 1) for line in block.splitlines()) for block in blocks]


@cache
def help_of(verb: str) -> str:
    """What docker compose says of one of its commands."""
    return tool("docker-compose", verb, "--help")


@cache
def kubectl(*arguments: str) -> str:
    return tool("kubectl", *arguments)


def test_every_target_and_every_setting_is_known() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"`make ([\w-]+)`", TEXT):
        assert f"\n{target}:" in makefile
    settings = {
        name
        for section, config in CONFIGS.items()
        for field in config.__dataclass_fields__
        for name in (f"PARLOR_{field.upper()}", f"PARLOR_{section.upper()}_{field.upper()}")
    }
    named = set(re.findall(r"PARLOR_[A-Z_]+[A-Z]", TEXT))
    without_files = {name.removesuffix(FILE) for name in named}
    assert without_files - settings - {"PARLOR_VERSION"} == set()


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl on this machine")
def test_the_keys_that_it_makes_are_keys_that_gateways_take(tmp_path: Path) -> None:
    (tmp_path / "deploy" / "keys").mkdir(parents=True)
    for words in commands_of("openssl") + commands_of("chmod"):
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    keys = tmp_path / "deploy" / "keys"
    signing = configured_key(f"2027=EdDSA:{keys / '2027.pem'}")
    public = configured_key(f"2027=EdDSA:{keys / '2027.pub.pem'}")
    assert signing.signs is not None
    assert public.signs is None
    assert configured_key(f"bots=HS256:{keys / 'bots.secret'}").signs is not None
    # Both stand in the setting while they change.
    (both,) = re.findall(r"`PARLOR_GATEWAY_TOKEN_KEYS=(2026=\S+,2027=\S+)`", TEXT)
    for key in both.replace("/etc/parlor/keys", str(keys)).split(","):
        configured_key(key)


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl on this machine")
def test_the_certificates_that_it_makes_are_certificates_that_services_take(
    tmp_path: Path,
) -> None:
    keys = tmp_path / "deploy" / "keys"
    keys.mkdir(parents=True)
    for words in commands_of("openssl"):
        subprocess.run(words, cwd=tmp_path, check=True, capture_output=True, timeout=120)
    tls = Tls(
        Common(
            grpc_tls_certificate=str(keys / "grpc.crt"),
            grpc_tls_key=str(keys / "grpc.key"),
            grpc_tls_authority=str(keys / "grpc-authority.crt"),
        )
    )
    own = x509.load_pem_x509_certificate(tls.latest().chain)
    own.verify_directly_issued_by(x509.load_pem_x509_certificate(tls.latest().authority))
    names = own.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    (name,) = names.get_values_for_type(x509.DNSName)
    assert f"`PARLOR_GRPC_TLS_NAME={name}`" in TEXT


def test_redis_takes_the_old_and_the_new_password_while_it_changes(tmp_path: Path) -> None:
    server = redis_server.start(tmp_path)
    try:
        with Redis(port=server.port) as client:
            client.config_set("requirepass", "the-old-one")
        changes = [words for words in commands_of("redis-cli") if words[1] in {"acl", "config"}]
        assert len(changes) == 2
        for words in changes:
            with Redis(port=server.port, password="the-old-one") as client:
                client.execute_command(*words[1:])
        for password in ("the-old-one", "the-new-one"):
            with Redis(port=server.port, password=password) as client:
                assert client.ping()
        with (
            Redis(port=server.port, password="neither") as client,
            pytest.raises(AuthenticationError),
        ):
            client.ping()
    finally:
        server.kill()

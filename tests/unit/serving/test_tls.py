"""Settings of TLS that cannot be used are told at the start, each by its name."""

import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from parlor.serving import BadConfig, Common
from parlor.serving.tls import Tls, tls_of


@pytest.fixture
def written(tmp_path: Path) -> dict[str, str]:
    """Settings that can be used."""
    ca = trustme.CA()
    leaf = ca.issue_cert("parlor.internal")
    files = {
        "certificate": leaf.cert_chain_pems[0],
        "key": leaf.private_key_pem,
        "authority": ca.cert_pem,
    }
    for name, blob in files.items():
        blob.write_to_path(str(tmp_path / name))
    return {f"grpc_tls_{name}": str(tmp_path / name) for name in files}


def test_without_certificates_it_is_plain() -> None:
    assert tls_of(Common()) is None


def test_the_same_certificates_are_given_until_there_are_others(written: dict[str, str]) -> None:
    tls = Tls(Common(**written))  # type: ignore[arg-type]
    first = tls.latest()
    assert tls.latest() is first
    trustme.CA().cert_pem.write_to_path(written["grpc_tls_authority"])
    assert tls.latest() is not first


@pytest.mark.parametrize("name", ["certificate", "key", "authority"])
@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "No such file"), (b"", "expected"), (b"nonsense", "expected")],
    ids=["missing", "empty", "nonsense"],
)
def test_a_file_that_cannot_be_used_is_named(
    written: dict[str, str], name: str, content: bytes | None, problem: str
) -> None:
    file = Path(written[f"grpc_tls_{name}"])
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(BadConfig, match=f"PARLOR_GRPC_TLS_{name.upper()}: {file}: {problem}"):
        tls_of(Common(**written))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["certificate", "key", "authority"])
def test_all_three_belong_together(written: dict[str, str], name: str) -> None:
    with pytest.raises(BadConfig, match=f"PARLOR_GRPC_TLS_{name.upper()}"):
        tls_of(Common(**written | {f"grpc_tls_{name}": ""}))  # type: ignore[arg-type]


def test_anothers_key_is_refused(written: dict[str, str]) -> None:
    key = trustme.CA().issue_cert("parlor.internal").private_key_pem
    key.write_to_path(written["grpc_tls_key"])
    with pytest.raises(BadConfig, match=r"PARLOR_GRPC_TLS_KEY: .*not the key of"):
        tls_of(Common(**written))  # type: ignore[arg-type]


def test_a_process_ends_and_says_which(
    written: dict[str, str], redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path(written["grpc_tls_key"]).unlink()
    for name, value in written.items():
        monkeypatch.setenv(f"PARLOR_{name.upper()}", value)
    monkeypatch.setenv("PARLOR_REDIS_URL", redis_url)
    command = [sys.executable, "-m", "parlor.engine", "planes"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "PARLOR_GRPC_TLS_KEY" in ended.stderr

"""TLS of gRPC: who this process is, and who the others must be, from files that may change.

Whoever issues certificates for days, as cert-manager does, lays new ones over the old. They are
looked at with every handshake and every call, which costs microseconds: a new connection uses the
newest, and one that is open stays. Files that cannot be used (halfway written, say) are used
once they can be.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import grpc
import structlog
from cryptography import x509
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
)

from parlor.serving import metrics
from parlor.serving.config import BadConfig, Common

log = structlog.get_logger(__name__)

_SETTING: Final = "PARLOR_GRPC_TLS_"
_Stamps = tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificates:
    """What was read, as PEM."""

    chain: bytes
    key: bytes
    authority: bytes


class Tls:
    """A process's certificates."""

    def __init__(self, config: Common) -> None:
        self._files = {
            "CERTIFICATE": config.grpc_tls_certificate,
            "KEY": config.grpc_tls_key,
            "AUTHORITY": config.grpc_tls_authority,
        }
        self._needs_clients = config.grpc_tls_clients == "required"
        self.name = config.grpc_tls_name
        """What other services' certificates are issued for; empty: their address's host."""
        # Before the reading: what changes meanwhile is read again.
        self._stamps = self._stamped()
        self._latest = self._read()

    def latest(self) -> Certificates:
        """The newest that can be used; the same object until there are others."""
        stamps = self._stamped()
        if stamps != self._stamps:
            self._stamps = stamps
            try:
                self._latest = self._read()
            except BadConfig as error:
                metrics.tls_renewals.labels("unusable").inc()
                log.warning("certificates_unusable", problem=str(error))
            else:
                metrics.tls_renewals.labels("taken").inc()
                log.info("certificates_renewed")
        return self._latest

    def server_credentials(self) -> grpc.ServerCredentials:
        """For a port; gRPC asks for the newest with every handshake."""
        given = self._latest

        def newest() -> grpc.ServerCertificateConfiguration | None:
            nonlocal given
            latest = self.latest()
            if latest is given:
                return None
            given = latest
            return self._shown(latest)

        # The stubs know no None, by which gRPC is told that nothing has changed.
        fetch: Any = newest
        return grpc.dynamic_ssl_server_credentials(
            self._shown(given), fetch, require_client_authentication=self._needs_clients
        )

    def _shown(self, certificates: Certificates) -> grpc.ServerCertificateConfiguration:
        return grpc.ssl_server_certificate_configuration(
            [(certificates.key, certificates.chain)],
            root_certificates=certificates.authority if self._needs_clients else None,
        )

    def _stamped(self) -> _Stamps:
        """What changes when a file does."""
        return tuple(map(_stamp, self._files.values()))

    def _read(self) -> Certificates:
        """The files as they are; raises BadConfig where they cannot be used."""
        read = {}
        for name, file in self._files.items():
            try:
                read[name] = Path(file).read_bytes()
            except OSError as error:
                raise BadConfig(f"{_SETTING}{name}: {file}: {error.strerror}") from None
        own = _certificates(read, "CERTIFICATE", self._files)[0]
        _certificates(read, "AUTHORITY", self._files)
        try:
            key = load_pem_private_key(read["KEY"], password=None)
        except (ValueError, TypeError):
            raise BadConfig(
                f"{_SETTING}KEY: {self._files['KEY']}: expected a private key as PEM, without a password"
            ) from None
        form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
        if key.public_key().public_bytes(*form) != own.public_key().public_bytes(*form):
            raise BadConfig(
                f"{_SETTING}KEY: {self._files['KEY']}: not the key of {self._files['CERTIFICATE']}"
            )
        metrics.tls_expiry.set(own.not_valid_after_utc.timestamp())
        return Certificates(chain=read["CERTIFICATE"], key=read["KEY"], authority=read["AUTHORITY"])


def tls_of(config: Common) -> Tls | None:
    """A process's TLS; None where no certificate is configured. Raises BadConfig."""
    files = {
        "CERTIFICATE": config.grpc_tls_certificate,
        "KEY": config.grpc_tls_key,
        "AUTHORITY": config.grpc_tls_authority,
    }
    if not any(files.values()):
        return None
    for name, file in files.items():
        if not file:
            raise BadConfig(f"{_SETTING}{name}: expected a file beside the other two")
    return Tls(config)


def _stamp(file: str) -> tuple[int, int, int]:
    try:
        found = os.stat(file)
    except OSError:
        return 0, 0, 0
    return found.st_ino, found.st_mtime_ns, found.st_size


def _certificates(
    read: dict[str, bytes], name: str, files: dict[str, str]
) -> list[x509.Certificate]:
    try:
        return x509.load_pem_x509_certificates(read[name])
    except ValueError:
        raise BadConfig(f"{_SETTING}{name}: {files[name]}: expected certificates as PEM") from None

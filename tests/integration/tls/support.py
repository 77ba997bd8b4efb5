"""Certificates in files, as somebody issues and renews them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import trustme

NAME = "parlor.internal"
"""What every service's certificate is issued for; none of them is found by that name."""


@dataclass(frozen=True, slots=True)
class Files:
    """The three files of one process."""

    folder: Path

    @property
    def settings(self) -> dict[str, Any]:
        """What a process that uses them is told."""
        return {
            "grpc_tls_certificate": str(self.folder / "tls.crt"),
            "grpc_tls_key": str(self.folder / "tls.key"),
            "grpc_tls_authority": str(self.folder / "ca.crt"),
            "grpc_tls_name": NAME,
        }

    def write(self, certificate: bytes, key: bytes, authority: bytes) -> None:
        """Lays new files over the old, one after the other."""
        contents = {"tls.crt": certificate, "tls.key": key, "ca.crt": authority}
        for name, content in contents.items():
            # By a rename, so that nobody reads a part.
            fresh = self.folder / f".{name}"
            fresh.write_bytes(content)
            fresh.replace(self.folder / name)


def issued(ca: trustme.CA, *names: str) -> tuple[bytes, bytes, bytes]:
    """A new certificate for these names, its key, and the authority's."""
    leaf = ca.issue_cert(*(names or (NAME,)))
    chain = b"".join(part.bytes() for part in leaf.cert_chain_pems)
    return chain, leaf.private_key_pem.bytes(), ca.cert_pem.bytes()

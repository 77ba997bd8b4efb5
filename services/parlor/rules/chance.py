"""Chance, drawn by name from a committed seed (construction version 1).

Every draw has a name, such as `("deal", 2)`, and its own stream of bytes:

    key    = SHA-256("parlor/chance/1" || seed || entropy)
    stream = HMAC-SHA-256(key, name || counter) for counter = 0, 1, 2, …

so a draw depends on the seed, the players' entropy and its name alone, never on the order of draws.
Numbers come by rejection sampling and permutations by Fisher-Yates: both are unbiased. The seed's
SHA-256 is published before the players give their entropy, and the seed when the game ends; with
both, anybody can repeat every draw.
"""

import hashlib
import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

VERSION = 1
SEED_BYTES = 32
ENTROPY_BYTES = 32
"""Most bytes that one seat may contribute."""

Part = str | int
Script = tuple[tuple[str, tuple[int, ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chance:
    """The source of a game's draws.

    >>> chance = Chance(seed=bytes(32), entropy=b"")
    >>> chance.permutation("deal", 0, n=5) == chance.permutation("deal", 0, n=5)
    True
    >>> sorted(chance.permutation("deal", 1, n=5))
    [0, 1, 2, 3, 4]
    """

    seed: bytes
    """32 bytes, secret until the game has ended."""
    entropy: bytes
    """`mix` of what the seats contributed."""
    script: Script = ()
    """Prescribed draws by name, for tests and conformance files; see `ScriptedChance`."""

    def below(self, *name: Part, n: int) -> int:
        """A number in 0..n-1."""
        if (prescribed := self._prescribed(name)) is not None:
            return prescribed[0]
        return _below(n, self._bytes(name))

    def die(self, *name: Part) -> int:
        """A number in 1..6."""
        if (prescribed := self._prescribed(name)) is not None:
            return prescribed[0]
        return 1 + _below(6, self._bytes(name))

    def permutation(self, *name: Part, n: int) -> tuple[int, ...]:
        """The numbers 0..n-1 in a uniformly random order."""
        if (prescribed := self._prescribed(name)) is not None:
            return prescribed
        stream = self._bytes(name)
        order = list(range(n))
        for last in range(n - 1, 0, -1):
            other = _below(last + 1, stream)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def _prescribed(self, name: Sequence[Part]) -> tuple[int, ...] | None:
        if not self.script:
            return None
        return dict(self.script).get(_label(name))

    def _bytes(self, name: Sequence[Part]) -> Iterator[int]:
        key = hashlib.sha256(b"parlor/chance/1" + self.seed + self.entropy).digest()
        prefix = _label(name).encode()
        counter = 0
        while True:
            yield from hmac.digest(key, prefix + b"\x00" + counter.to_bytes(8, "big"), "sha256")
            counter += 1


def ScriptedChance(
    draws: Mapping[tuple[Part, ...], Sequence[int]], *, seed: bytes = bytes(SEED_BYTES)
) -> Chance:
    """A chance with prescribed draws, each a sequence (of one number for `below` and `die`).

    Names that are not prescribed are drawn from `seed`.
    """
    return Chance(
        seed=seed,
        entropy=b"",
        script=tuple((_label(name), tuple(numbers)) for name, numbers in draws.items()),
    )


def commitment(seed: bytes) -> bytes:
    """What is published before the deal: the seed's SHA-256."""
    return hashlib.sha256(seed).digest()


def mix(contributions: Sequence[bytes]) -> bytes:
    """The players' entropy as one value: SHA-256 over each seat's bytes behind their length."""
    digest = hashlib.sha256()
    for contribution in contributions:
        digest.update(len(contribution).to_bytes(2, "big") + contribution)
    return digest.digest()


def _label(name: Sequence[Part]) -> str:
    return "/".join(str(part) for part in name)


def _below(n: int, stream: Iterator[int]) -> int:
    """Rejection sampling on whole bytes: numbers past the last full multiple of `n` are drawn again."""
    if n < 1:
        raise ValueError(f"nothing lies below {n}")
    size = max(1, ((n - 1).bit_length() + 7) // 8)
    limit = 256**size - 256**size % n
    while True:
        number = 0
        for _ in range(size):
            number = number << 8 | next(stream)
        if number < limit:
            return number % n

"""Addresses whose connections are closed as they come."""

from dataclasses import dataclass

import pytest

from parlor.gateway import penalties
from parlor.gateway.penalties import HEARD, SHUT_S, Penalties

MALLORY, ANN, PROXY = "192.0.2.66", "192.0.2.1", "10.0.0.1"


@dataclass
class Clock:
    now: float = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def all_penalties(clock: Clock) -> Penalties:
    return Penalties(lambda peer: "" if peer == PROXY else peer.removesuffix("::1"), clock)


def goes_on(them: Penalties, clock: Clock, peer: str = MALLORY) -> float:
    """Comes until it is not heard any more; for how long it isn't, in s."""
    for _ in range(10 * HEARD.burst):
        them.refused(peer)
        if them.shut_s(peer):
            break
    began = clock.now
    while them.shut_s(peer):
        clock.now += 0.125
    return clock.now - began


def test_refusals_are_heard_before_connections_are_closed(
    all_penalties: Penalties,
) -> None:
    for _ in range(HEARD.burst):
        all_penalties.refused(MALLORY)
        assert not all_penalties.shut_s(MALLORY)
    all_penalties.refused(MALLORY)
    assert all_penalties.shut_s(MALLORY)
    assert not all_penalties.shut_s(ANN)


def test_who_goes_on_is_shut_out_for_some_seconds_again_and_again(
    all_penalties: Penalties, clock: Clock
) -> None:
    assert [goes_on(all_penalties, clock) for _ in range(3)] == [SHUT_S] * 3


def test_all_addresses_of_a_customer_are_shut_out_together(
    all_penalties: Penalties, clock: Clock
) -> None:
    for number in range(HEARD.burst + 1):
        all_penalties.refused("2001:db8" if number % 2 else "2001:db8::1")
    assert all_penalties.shut_s("2001:db8::1") == all_penalties.shut_s("2001:db8") == SHUT_S


def test_a_proxy_is_never_closed_to(all_penalties: Penalties, clock: Clock) -> None:
    assert goes_on(all_penalties, clock, PROXY) == 0


def test_what_is_remembered_is_bounded(
    all_penalties: Penalties, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(penalties, "_MOST", 3)
    for number in (1, 2, 3):
        for _ in range(HEARD.burst + 1):
            all_penalties.refused(f"192.0.2.{number}")
    all_penalties.refused("192.0.2.4")
    assert [all_penalties.shut_s(f"192.0.2.{number}") for number in (1, 2, 3)] == [
        0,
        SHUT_S,
        SHUT_S,
    ]

"""The network is cut between two places: the lonely primary's last seconds are taken back, and nothing else.

With `durability=replicated` they were never acknowledged.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from parlor.v1.play_pb2 import ServerFrame
from tests.chaos.checker import Kind, check
from tests.chaos.checker.actions import canonical
from tests.chaos.cut import WINDOW_MS, cut_and_heal, cut_campaign
from tests.chaos.history import GameLog, History, Saw, Sent, Told
from tests.chaos.netns import why_not
from tests.chaos.proof import prove
from tests.chaos.traffic import Traffic

WHY_NOT = why_not()

BEFORE_MS = 100
"""How much may have been on its way to the replicas when the cut came."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT),
]


async def test_a_cut_takes_back_only_what_the_lonely_side_did(tmp_path: Path) -> None:
    cut = await cut_and_heal(tmp_path, seed=3, durability="local")
    # Who was not on the lonely side has noticed nothing at all.
    untouched = [each.history for each in cut.there.listeners]
    verdict = check(untouched, logs_of(cut.there, cut.logs))
    prove(verdict)
    assert verdict.findings == ()
    # Of the others, what survived is one true history: every move was asked for, and no clock acted twice or early.
    whole = check(cut.histories, cut.logs, last_fault=cut.healed_at, may_rewind=True)
    assert whole.kinds <= {Kind.LOST}
    lonely, mixed = ([*lost(each, cut.logs)] for each in (cut.here, cut.both))
    for sent, told in lonely + mixed:
        assert told.at >= cut.cut_at - BEFORE_MS
        # By when it was asked for: of a commit that a busy disk held up, its repeat is told, and later.
        assert sent.at <= cut.cut_at + WINDOW_MS
    assert lonely, "the lonely side did nothing that could be taken back"
    # Who saw what is no more was told so, and nobody else.
    for history in cut.histories:
        assert rewound(history) >= saw_what_is_gone(history, cut.kept)
    assert not any(map(rewound, untouched))
    assert any(rewound(each.history) for each in cut.here.listeners)


@pytest.mark.parametrize("seed", [4, 5])
async def test_a_cut_takes_back_nothing_that_a_replica_had_to_confirm(seed: int) -> None:
    report, _ = await cut_campaign(seed)
    assert report is not None
    prove(report.verdict)
    assert report.verdict.findings == ()
    assert report.verdict.acknowledged >= 3 * 15


def logs_of(traffic: Traffic, logs: Iterable[GameLog]) -> list[GameLog]:
    """Those of the rooms that its table was in."""
    rooms = {stay.room_id for stay in traffic.stays}
    return [log for log in logs if log.room_id in rooms]


def lost(traffic: Traffic, logs: Sequence[GameLog]) -> Iterable[tuple[Sent, Told]]:
    """Acknowledged moves that no log has any more, with what was told of them."""
    lines = {
        (log.room_id, log.game_no, line.seat, canonical(line.body))
        for log in logs
        for line in log.lines
        if line.what == "act"
    }
    for each in traffic.listeners:
        happened = each.history.happened
        moves = {item.request_id: item for item in happened if isinstance(item, Sent)}
        for item in happened:
            if isinstance(item, Told) and item.accepted and item.request_id in moves:
                sent = moves[item.request_id]
                move = (sent.room_id, sent.game_no, sent.seat, canonical(sent.action))
                if move not in lines:
                    yield sent, item


def rewound(history: History) -> set[str]:
    """The rooms of which the player was told that they went back."""
    return {frame.view.room_id for frame in frames(history) if frame.view.rewound}


def saw_what_is_gone(history: History, kept: dict[str, set[bytes]]) -> set[str]:
    """The rooms of which the player saw an entry that is no more."""
    entries = (frame.entry for frame in frames(history) if frame.HasField("entry"))
    return {
        entry.room_id
        for entry in entries
        if entry.room_id in kept and entry.token not in kept[entry.room_id]
    }


def frames(history: History) -> Iterable[ServerFrame]:
    """All entries and views."""
    for item in history.happened:
        if isinstance(item, Saw):
            yield ServerFrame.FromString(item.frame)

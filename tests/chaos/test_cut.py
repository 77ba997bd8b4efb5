"""The network is cut between two places: the lonely primary's last seconds are taken back, and nothing else."""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from parlor.serving.keys import Keys
from parlor.v1.feed_pb2 import FeedItem
from parlor.v1.play_pb2 import ServerFrame
from tests.chaos.apart import KIND, MAX_LAG_S, Apart
from tests.chaos.checker import check
from tests.chaos.checker.actions import canonical
from tests.chaos.history import GameLog, History, Saw, Sent, Told, now_ms, read_log
from tests.chaos.listener import Listener
from tests.chaos.netns import network, why_not
from tests.chaos.traffic import Traffic

WHY_NOT = why_not()

WINDOW_MS = 1000 * (MAX_LAG_S + 2)
"""How long after the cut the lonely primary may take writes: the lag it bears, and its rounding to seconds."""
BEFORE_MS = 100
"""How much may have been on its way to the replicas when the cut came."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(bool(WHY_NOT), reason=WHY_NOT)
async def test_a_cut_takes_back_only_what_the_lonely_side_did(tmp_path: Path) -> None:
    rooms: dict[str, int] = {}

    async def collect(room_id: str, games: int) -> None:
        rooms[room_id] = games

    with network() as net:
        parlor = Apart(net, tmp_path)
        await parlor.start()
        here, there, both = (
            Traffic(urls=urls, chance=random.Random(number), collect=collect)
            for number, urls in enumerate(
                ([parlor.here], [parlor.there], [parlor.here, parlor.there])
            )
        )
        everywhere = (here, there, both)
        tables = [each.table(number, KIND, matched=False) for number, each in enumerate(everywhere)]
        playing = [asyncio.create_task(table.run()) for table in tables]
        try:
            await until(lambda: all(acknowledged(each, 0.0) > 9 for each in everywhere))
            net.cut()
            cut_at = now_ms()
            while not await parlor.has_moved():
                await asyncio.sleep(0.05)
            moved_at = now_ms()
            # The side that has the new primary plays on, while the other one must have stopped by itself.
            await until(lambda: acknowledged(there, moved_at) > 10)
            await until(lambda: now_ms() > cut_at + WINDOW_MS + 1_000)
            net.heal()
            healed_at = now_ms()
            await until(lambda: all(acknowledged(each, healed_at) > 5 for each in everywhere))
        finally:
            for task in playing:
                task.cancel()
            await asyncio.gather(*playing, return_exceptions=True)
        redis: Any = await parlor.primary()
        async with redis:
            logs = [
                await read_log(redis, Keys(), room_id, number)
                for room_id, games in rooms.items()
                for number in range(1, games + 2)
            ]
            kept = {
                room_id: await tokens_of(redis, room_id)
                for room_id in rooms
                if await redis.exists(Keys().room(room_id))
            }
    listeners = [listener for each in everywhere for listener in each.listeners]
    # What survived is one true history: every move was asked for, and no clock acted twice or early.
    assert check(list(map(requests, listeners)), [log for log in logs if log.lines]).findings == ()
    gone = [list(lost(each, logs)) for each in everywhere]
    lonely, untouched, mixed = gone
    assert untouched == []
    for sent, told in lonely + mixed:
        assert told.at >= cut_at - BEFORE_MS
        # By when it was asked for: of a commit that a busy disk held up, its repeat is told, and later.
        assert sent.at <= cut_at + WINDOW_MS
    assert lonely, "the lonely side did nothing that could be taken back"
    # Who saw what is no more was told so, and nobody else.
    for each in listeners:
        assert rewound(each.history) >= saw_what_is_gone(each.history, kept)
    assert not any(rewound(each.history) for each in there.listeners)
    assert any(rewound(each.history) for each in here.listeners)


async def until(condition: Callable[[], bool], seconds: float = 180.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.02)


def acknowledged(traffic: Traffic, since: float) -> int:
    """Moves that were accepted since then."""
    return sum(
        isinstance(item, Told) and item.accepted and item.at > since and item.seq > 0
        for each in traffic.listeners
        for item in each.history.happened
    )


def requests(each: Listener) -> History:
    """What a client asked for, without what was answered: that may be of the other history."""
    happened = [item for item in each.history.happened if isinstance(item, Sent)]
    return History(each.history.player, list(happened))


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


async def tokens_of(redis: Any, room_id: str) -> set[bytes]:
    """The tokens of all entries that the room's feed has."""
    return {
        ServerFrame.FromString(delivery.frame).entry.token
        for _, fields in await redis.xrange(Keys().feed(room_id))
        for delivery in FeedItem.FromString(fields[b"e"]).entry.deliveries
    }


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

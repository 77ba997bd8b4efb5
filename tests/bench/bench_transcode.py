"""JSON made and read by the gateway against `json_format`, in one run.

    python -m tests.bench.bench_transcode [--seconds 1]

Both do the same frames in turns, so that what else the machine does hits both. Printed: microseconds
per frame, and how many times faster the gateway's own is.
"""

import argparse
import time
from collections.abc import Callable

from google.protobuf import json_format

from parlor.gateway.transcode import from_json, to_json
from parlor.v1 import play_pb2, room_pb2
from parlor.v1.play_pb2 import ClientFrame, ServerFrame

ROOM = "s17-doudizhu-4t7k2m9qx3vn"
AT_MS = 1_790_000_000_250
ROUNDS = 20


def entry() -> ServerFrame:
    """A card play, as most frames to clients are."""
    frame = ServerFrame(entry=play_pb2.Entry(room_id=ROOM, seq=41, token=b"8 bytes."))
    frame.entry.commit_time.FromMilliseconds(AT_MS)
    played = frame.entry.events.add().doudizhu.played
    played.seat = 1
    return frame


def view() -> ServerFrame:
    """A room with three players, a result and some chat."""
    frame = ServerFrame(view=room_pb2.RoomView(room_id=ROOM, seq=41, token=b"8 bytes.", seat=1))
    frame.view.view_time.FromMilliseconds(AT_MS)
    for number in range(3):
        frame.view.seats.add(player=f"guest-{number:016x}", name="Ming", ready=True, online=True)
        line = frame.view.chat.add(number=number, player="guest", text="well played")
        line.say_time.FromMilliseconds(AT_MS)
    frame.view.result.scores.extend([12, -6, -6])
    frame.view.result.seed = bytes(32)
    frame.view.doudizhu.SetInParent()
    return frame


def command() -> ClientFrame:
    """A bid, as most frames from clients are."""
    frame = ClientFrame(command=play_pb2.Command(request_id="c7f1-00042", room_id=ROOM))
    frame.command.act.decision = 17
    frame.command.act.doudizhu.bid = 2
    return frame


def seconds_per_call(work: Callable[[], object], seconds: float) -> float:
    """How long one call takes, over about `seconds`."""
    calls, started = 0, time.perf_counter()
    while (elapsed := time.perf_counter() - started) < seconds:
        for _ in range(50):
            work()
        calls += 50
    return elapsed / calls


def compare(
    name: str, ours: Callable[[], object], theirs: Callable[[], object], seconds: float
) -> None:
    """Prints what one call of each takes, the best of several turns."""
    best = [1.0, 1.0]
    for _ in range(ROUNDS):
        for index, work in enumerate((ours, theirs)):
            best[index] = min(best[index], seconds_per_call(work, seconds / ROUNDS))
    print(
        f"{name:16} {best[0] * 1e6:8.1f} us   json_format {best[1] * 1e6:8.1f} us"
        f"   {best[1] / best[0]:5.1f} times faster"
    )


def main() -> None:
    """Compares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="for each way of each frame")
    seconds = parser.parse_args().seconds
    for name, frame in (("write an entry", entry()), ("write a view", view())):
        compare(
            name,
            lambda frame=frame: to_json(frame),  # type: ignore[misc]
            lambda frame=frame: json_format.MessageToJson(  # type: ignore[misc]
                frame, always_print_fields_with_no_presence=True, indent=None
            ),
            seconds,
        )
    text = to_json(command())
    compare(
        "read a command",
        lambda: from_json(text, ClientFrame),
        lambda: json_format.Parse(text, ClientFrame()),
        seconds,
    )


if __name__ == "__main__":
    main()

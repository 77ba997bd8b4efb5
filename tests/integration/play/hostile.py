"""Frames that no well-behaved client sends, made from valid ones and a seed."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf import json_format

from parlor.v1 import play_pb2 as pb
from parlor.v1.doudizhu_pb2 import DouDizhuAction, DouDizhuConfig, DouDizhuPlay
from parlor.v1.play_pb2 import ClientFrame, Command
from parlor.v1.room_pb2 import GameConfig, Position

Raw = bytes | str
"""A frame as it goes over the wire: binary or text."""

TOO_LARGE = 17 * 1024
_NUMBERS = (-1, 0, 7, 2**31 - 1, 2**31, -(2**63), 2**64, 10**30, 1.5, -0.0)
_VALUES: tuple[Any, ...] = (
    None,
    True,
    "",
    "x",
    "\x00",
    "𝕏" * 9,
    [],
    {},
    [[]],
    {"a": {}},
    "2026-13-99T99:99:99Z",
)


class Hostile:
    """A source of hostile frames against one room of others."""

    def __init__(self, room_id: str, seed: int) -> None:
        self._room_id = room_id
        self._chance = random.Random(seed)
        self._number = 0

    def valid(self) -> ClientFrame:
        """A frame of the right form that asks for what the sender may not have, or does not exist."""
        return self._chance.choice(self._ASKED)(self)

    def binary(self) -> Raw:
        """For a connection that speaks protobuf."""
        data = self.valid().SerializeToString()
        match self._chance.randrange(9):
            case 0:
                return self._chance.randbytes(self._chance.randrange(200))
            case 1:
                return data[: self._chance.randrange(len(data) + 1)]
            case 2 | 3:
                return self._flipped(data)
            case 4:
                return data + self._chance.randbytes(20)
            case 5:
                return json_format.MessageToJson(self.valid(), indent=None)
            case 6 if self._chance.random() < 0.1:
                return self._chance.randbytes(TOO_LARGE)
            case _:
                return data

    def text(self) -> Raw:
        """For a connection that speaks JSON."""
        said = json_format.MessageToDict(self.valid())
        match self._chance.randrange(9):
            case 0:
                return "".join(chr(self._chance.randrange(1, 0xD7FF)) for _ in range(60))
            case 1:
                text = json.dumps(said)
                return text[: self._chance.randrange(len(text))]
            case 2 | 3 | 4:
                self._spoil(said)
                return json.dumps(said)
            case 5:
                return self.valid().SerializeToString()
            case 6 if self._chance.random() < 0.1:
                return json.dumps(said) + " " * TOO_LARGE
            case 7:
                return self._chance.choice(_NOT_FRAMES)
            case _:
                return json.dumps(said)

    def token(self, genuine: str) -> str:
        """A token that nobody signed, made from one that somebody did."""
        head, body, signature = genuine.split(".")
        match self._chance.randrange(6):
            case 0:
                return ""
            case 1:
                return genuine[:-4]
            case 2:
                return f"{head}.{body}."
            case 3:
                # {"alg":"none","kid":"guest"}
                return f"eyJhbGciOiJub25lIiwia2lkIjoiZ3Vlc3QifQ.{body}."
            case 4:
                return f"{head}.{body[:-6]}AAAAAA.{signature}"
            case _:
                return "x" * self._chance.randrange(1, 6_000)

    # What is asked.

    def _command(self) -> ClientFrame:
        command = Command(request_id=self._id(), room_id=self._room())
        getattr(self, "_as_" + self._chance.choice(_COMMANDS))(command)
        return ClientFrame(command=command)

    def _as_nothing(self, command: Command) -> None:
        """Asks for nothing at all."""

    def _as_join(self, command: Command) -> None:
        command.join.SetInParent()
        if self._chance.random() < 0.5:
            command.join.seat = self._chance.choice((-1, 0, 1, 2, 3, 99))

    def _as_leave(self, command: Command) -> None:
        command.leave.SetInParent()

    def _as_ready(self, command: Command) -> None:
        command.ready.ready = True
        command.ready.entropy = bytes(self._chance.choice((0, 32, 33, 4_000)))

    def _as_swap(self, command: Command) -> None:
        command.swap_seats.first = self._chance.choice((-1, 0, 1))
        command.swap_seats.second = self._chance.choice((0, 2, 3))

    def _as_kick(self, command: Command) -> None:
        command.kick.seat = self._chance.choice((-1, 0, 1, 2, 7))

    def _as_say(self, command: Command) -> None:
        command.say.text = "x" * self._chance.choice((0, 1, 121, 5_000))

    def _as_dissolve(self, command: Command) -> None:
        command.dissolve.agree = self._chance.random() < 0.5

    def _as_act(self, command: Command) -> None:
        command.act.CopyFrom(self.action(self._chance.choice((0, 1, 2, 2**31 - 1, -1))))

    def action(self, decision: int) -> pb.Action:
        """Some action of the game, with cards from this pack and others."""
        cards = [self._chance.choice((0, 1, 2, 53, 54, -1, 2**31 - 1)) for _ in range(3)]
        game = self._chance.choice(
            (
                DouDizhuAction(play=DouDizhuPlay(cards=cards)),
                DouDizhuAction(play=DouDizhuPlay()),
                DouDizhuAction(bid=self._chance.choice((-1, 0, 3, 99))),
                DouDizhuAction(call=True),
                DouDizhuAction(consent=True),
                DouDizhuAction(),
            )
        )
        return pb.Action(decision=decision, doudizhu=game)

    def _open(self) -> ClientFrame:
        config = DouDizhuConfig(base_score=self._chance.choice((-1, 0, 10_001, 2**31 - 1)))
        opening = pb.OpenRoom(request_id=self._id(), config=GameConfig(doudizhu=config), join=True)
        return ClientFrame(open_room=opening)

    def _watch(self) -> ClientFrame:
        code = "".join(self._chance.choices("0123456789x", k=self._chance.choice((0, 6, 6, 60))))
        watch = (
            pb.Watch(room_id=self._room()) if self._chance.random() < 0.5 else pb.Watch(code=code)
        )
        if self._chance.random() < 0.5:
            watch.position.CopyFrom(
                Position(room_id=self._room(), seq=self._chance.choice((-1, 5)), token=b"nothing")
            )
        return ClientFrame(watch=watch)

    def _unwatch(self) -> ClientFrame:
        return ClientFrame(unwatch=pb.Unwatch(room_id=self._room()))

    def _enqueue(self) -> ClientFrame:
        config = GameConfig(doudizhu=DouDizhuConfig(base_score=0))
        asked = self._chance.choice((config, GameConfig()))
        return ClientFrame(enqueue=pb.Enqueue(request_id=self._id(), config=asked))

    def _dequeue(self) -> ClientFrame:
        return ClientFrame(dequeue=pb.Dequeue(request_id=self._id()))

    def _hello(self) -> ClientFrame:
        return ClientFrame(hello=pb.Hello(token="again", protocol=1))

    def _empty(self) -> ClientFrame:
        return ClientFrame()

    _ASKED: tuple[Callable[["Hostile"], ClientFrame], ...] = (
        _command,
        _command,
        _command,
        _command,
        _open,
        _watch,
        _unwatch,
        _enqueue,
        _dequeue,
        _hello,
        _empty,
    )

    # What it is made of.

    def _id(self) -> str:
        self._number += 1
        if self._chance.random() < 0.8:
            return f"id-{self._number}"
        return self._chance.choice(("", "same", "x" * 65, "\n"))

    def _room(self) -> str:
        if self._chance.random() < 0.7:
            return self._room_id
        return self._chance.choice(
            (
                "",
                "s1-doudizhu-nothere",
                "s9999-doudizhu-000000",
                "s1-chess-000000",
                "s1-doudizhu-{s2}",
                "../../etc/passwd",
                "s1-" * 2_000,
            )
        )

    def _flipped(self, data: bytes) -> bytes:
        changed = bytearray(data)
        for _ in range(self._chance.randint(1, 4)):
            if changed:
                changed[self._chance.randrange(len(changed))] = self._chance.randrange(256)
        return bytes(changed)

    def _spoil(self, said: Any) -> None:
        """Puts something else in place of one value, somewhere in the message."""
        places = list(_places(said))
        if not places:
            return
        holder, key = self._chance.choice(places)
        holder[key] = self._chance.choice((*_NUMBERS, *_VALUES))
        if isinstance(holder, dict) and self._chance.random() < 0.3:
            holder["unknown" * self._chance.randint(1, 3)] = 1


_COMMANDS = ("nothing", "join", "leave", "ready", "swap", "kick", "say", "dissolve", "act", "act")

_NOT_FRAMES = (
    "",
    "null",
    "[]",
    "0",
    '"hello"',
    "{}",
    "{" * 5_000,
    "[" * 5_000,
    '{"ping":{},"ping":{}}',
    '{"ping":{},"hello":{}}',
    '{"command":{"requestId":1e999}}',
    '{"command":NaN}',
    '{"watch":{"position":{"seq":99999999999999999999999}}}',
    '{"ready":' + "9" * 3_000 + "}",
)


def _places(said: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a JSON value that holds a value, with what holds it."""
    items = said.items() if isinstance(said, dict) else enumerate(said)
    for key, value in list(items):
        yield said, key
        if isinstance(value, dict | list):
            yield from _places(value)

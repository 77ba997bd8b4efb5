"""Every audience saw each of its numbers once, saw in them what the rules show it, and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from parlor.cli.leaks import LeakCheck
from parlor.rules.game import Audience, Seat
from parlor.serving.keys import kind_of
from parlor.v1.play_pb2 import Entry, ServerFrame
from parlor.v1.room_pb2 import CloseReason, GameResult, RoomStatus, RoomView
from tests.chaos.checker.execution import Executed
from tests.chaos.checker.finding import Finding, Kind
from tests.chaos.history import Asked, Beat, History, Saw

EARLY_MS: Final = 10
"""What reading the same clock twice may differ by."""

Runs = Mapping[tuple[str, int], Executed]
"""By room and game."""


@dataclass(slots=True)
class Sights:
    """What all clients saw, judged."""

    runs: Runs
    by_token: Mapping[bytes, Executed]
    read_at: Mapping[str, float]
    """By room, when its logs were read."""
    tokens: dict[tuple[str, Audience, int], bytes] = field(default_factory=dict)
    """By room, audience and number."""
    may_rewind: bool = False
    """Whether a view may take back what no log has, as after a failover."""
    rewound: int = 0
    findings: list[Finding] = field(default_factory=list)


def check_sights(histories: Sequence[History], runs: Runs, *, may_rewind: bool = False) -> Sights:
    """Follows every client through every room."""
    by_token = {token: run for run in runs.values() for token in run.seen}
    read_at = {room_id: run.log.read_at for (room_id, _), run in runs.items()}
    sights = Sights(runs, by_token, read_at, may_rewind=may_rewind)
    for history in histories:
        followed: dict[str, _Followed] = {}
        for item in history.happened:
            if isinstance(item, Asked):
                if item.room_id in followed:
                    followed[item.room_id].ask(item)
            elif isinstance(item, Beat):
                for room_id, seq, token in item.heads:
                    if room_id in followed:
                        followed[room_id].hear_head(seq, token)
            elif isinstance(item, Saw):
                frame = ServerFrame.FromString(item.frame)
                message = frame.view if frame.HasField("view") else frame.entry
                room = followed.get(message.room_id)
                if room is None:
                    room = _Followed(sights, history, message.room_id)
                    followed[message.room_id] = room
                room.hear(frame, item)
        for room in followed.values():
            room.end()
    if may_rewind:
        # Nobody was acknowledged by a step that was taken back.
        named = sights.tokens.items()
        sights.tokens = {number: token for number, token in named if token in by_token}
    return sights


class _Followed:
    """One client's way through one room."""

    def __init__(self, sights: Sights, history: History, room_id: str) -> None:
        self._sights = sights
        self._where = f"{room_id} {history.player}"
        self._spectates = history.spectates
        self._room_id = room_id
        self._kind = kind_of(room_id)
        self._leaks = LeakCheck()
        self._audience: Audience = None
        self._seq: int | None = None
        self._shown: dict[int, int] = {}
        """By game, how many of the visible lines were seen since the last view."""
        self._asked: list[Asked] = []
        """What the client asked for and was not given yet."""
        self._doubts: list[Finding] = []
        """What is wrong unless it is taken back before anything follows it."""

    def ask(self, asked: Asked) -> None:
        """Notes that the client asks for what follows a number."""
        self._asked.append(asked)

    def hear(self, frame: ServerFrame, saw: Saw) -> None:
        """Takes the next frame."""
        if frame.view.rewound:
            self._take_back(frame.view)
        self._leaks.hear(frame)
        if frame.HasField("view"):
            self._see(frame.view)
        else:
            self._go_back(frame.entry.seq - 1, saw.connection)
            self._take(frame.entry, saw.at)

    def hear_head(self, seq: int, token: bytes) -> None:
        """Takes where the room stands for the client by a heartbeat: where it was brought, and nowhere else.

        A number that moves on a hidden step would tell of it.
        """
        named = self._sights.tokens.get((self._room_id, self._audience, seq), b"")
        if seq != self._seq:
            self._find(Kind.SEQ, f"a heartbeat says {seq} after {self._seq}")
        elif named and named != token:
            self._find(Kind.SEQ, f"a heartbeat says {seq}, and means another step")

    def end(self) -> None:
        """Reports what the leak check has counted."""
        for leak in self._leaks.leaks:
            self._find(Kind.LEAK, leak)

    def _take_back(self, view: RoomView) -> None:
        """What was seen and is in no log has not happened; after a failover that is no fault."""
        self._sights.rewound += 1
        if not self._sights.may_rewind:
            self._find(Kind.REWOUND, f"from {self._seq} to {view.seq}")
            return
        self._doubts.clear()
        self.end()
        self._leaks = LeakCheck()
        names = self._sights.tokens
        for number in [n for n in names if n[:2] == (self._room_id, self._audience)]:
            if names[number] not in self._sights.by_token:
                del names[number]

    def _see(self, view: RoomView) -> None:
        """A view takes the place of all before it, and never goes back."""
        audience = self._shown_to(view)
        self._settle_doubts()
        same = audience == self._audience
        went_back = same and self._seq is not None and view.seq < self._seq
        if went_back and not view.rewound:
            self._find(Kind.SEQ, f"a view of {view.seq} after {self._seq}")
        self._audience, self._seq = audience, view.seq
        self._shown.clear()
        self._name(view.seq, view.token)
        self._check_view(view)
        if view.status == RoomStatus.ROOM_STATUS_FAULTED:
            self._find(Kind.STUCK, f"a view of {view.seq}: the room is closed after a defect")
        if view.result.game_no:
            self._check_result(view.result)

    def _shown_to(self, view: RoomView) -> Audience:
        """Whose view it is."""
        if not view.HasField("seat"):
            return None
        if self._spectates:
            self._find(Kind.LEAK, f"a spectator was given the view of seat {view.seat}")
            return None
        return Seat(view.seat)

    def _check_view(self, view: RoomView) -> None:
        """A view shows of the game what the rules show after the step that it names."""
        run = self._sights.by_token.get(view.token)
        if run is None or view.WhichOneof("game") is None:
            return
        if getattr(view, self._kind) != run.view(view.token, self._audience):
            self._find(Kind.LEAK, f"the view of {view.seq} shows other than the rules show")

    def _go_back(self, seq: int, connection: int) -> None:
        """Goes back to a number where the client has asked for what follows it: once for each time it asked.

        More may have been on its way when it did, as to one that did not read for a while.
        """
        self._asked = [asked for asked in self._asked if asked.connection == connection]
        asked = next((asked for asked in self._asked if asked.seq == seq), None)
        if asked is None or self._seq is None or seq >= self._seq:
            return
        self._asked.remove(asked)
        self._seq = seq
        self._shown.clear()

    def _take(self, entry: Entry, at: float) -> None:
        """An entry has the next number, and in it what the rules show of its step."""
        if self._seq is None or entry.seq != self._seq + 1:
            self._find(Kind.SEQ, f"{entry.seq} after {self._seq}")
        self._seq = max(entry.seq, self._seq or 0)
        self._name(entry.seq, entry.token)
        for event in entry.events:
            if event.HasField("game_ended"):
                self._check_result(event.game_ended.result)
            if event.room_closed.reason == CloseReason.CLOSE_REASON_FAULTED:
                self._find(Kind.STUCK, f"{entry.seq}: the room was closed after a defect")
        self._check_instant(entry, at)
        self._check_shown(entry, at)

    def _name(self, seq: int, token: bytes) -> None:
        """A number has one token for good."""
        number = (self._room_id, self._audience, seq)
        if token and self._sights.tokens.setdefault(number, token) != token:
            self._find(Kind.SEQ, f"{seq} was two different steps")

    def _check_instant(self, entry: Entry, at: float) -> None:
        """Nobody sees what a clock does before its instant."""
        run = self._sights.by_token.get(entry.token)
        instant = run.clocks.get(entry.token) if run is not None else None
        if instant is not None and at < instant - EARLY_MS:
            self._find(
                Kind.CLOCK, f"{entry.seq} came {instant - at:.0f} ms before its clock was due"
            )

    def _check_shown(self, entry: Entry, at: float) -> None:
        events = [event for event in entry.events if event.WhichOneof("event") == self._kind]
        run = self._sights.by_token.get(entry.token)
        if run is None:
            # What came after the log was read, it cannot have.
            if events and at < self._sights.read_at.get(self._room_id, at + 1):
                self._doubt(Kind.LOG, f"{entry.seq} is a step of the game that no log has")
            return
        self._settle_doubts()
        if events != run.seen[entry.token][self._audience]:
            self._find(Kind.LEAK, f"{entry.seq} shows other than the rules show of its step")
        self._check_next(run, entry)

    def _check_next(self, run: Executed, entry: Entry) -> None:
        """Since the last view, no line that the audience was to see was passed over."""
        index, game_no = run.places(self._audience).get(entry.token), run.log.game_no
        if index is None:
            return
        if game_no in self._shown and index != self._shown[game_no]:
            self._find(
                Kind.SEQ, f"{entry.seq}: step {index} was shown after {self._shown[game_no]}"
            )
        self._shown[game_no] = index + 1

    def _check_result(self, result: GameResult) -> None:
        """Scores and seed follow from the log."""
        run = self._sights.runs.get((self._room_id, result.game_no))
        if run is None or run.findings:
            return
        scores = run.outcome.scores if run.outcome else None
        if scores != tuple(result.scores) or run.seed != result.seed:
            self._doubt(
                Kind.SCORE, f"game {result.game_no}: {list(result.scores)}, by the log {scores}"
            )

    def _doubt(self, kind: Kind, what: str) -> None:
        self._doubts.append(Finding(kind, self._where, what))
        if not self._sights.may_rewind:
            self._settle_doubts()

    def _settle_doubts(self) -> None:
        """What follows a step says that it stands."""
        self._sights.findings += self._doubts
        self._doubts.clear()

    def _find(self, kind: Kind, what: str) -> None:
        self._sights.findings.append(Finding(kind, self._where, what))

"""What a session does about each frame after its hello.

A command goes to the engine without a task of its own: the answer comes back as a call and its
bytes go out as they are. What is rare and takes several steps (opening a room, a code, a ticket, past games)
runs as a task of the session.
"""

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from parlor.gateway import frames, metrics
from parlor.gateway.checks import (
    check_command,
    check_config,
    check_request_id,
    check_watch,
    malformed,
)
from parlor.gateway.limits import too_fast
from parlor.gateway.outlet import Frame
from parlor.gateway.payload import Payload
from parlor.serving import ServiceError, tracing
from parlor.serving.errors import reason_name
from parlor.serving.failures import as_refusal
from parlor.serving.keys import kind_of
from parlor.v1.engine_service_pb2 import EngineAnswer
from parlor.v1.error_reason_pb2 import ErrorReason
from parlor.v1.play_pb2 import (
    Answer,
    AskHistory,
    ClientFrame,
    Command,
    Enqueue,
    OpenRoom,
    ServerFrame,
    Watch,
)

if TYPE_CHECKING:
    from parlor.gateway.session import Session

_RETRY_MS: Final = 100


class _Request(Protocol):
    """What is answered by its id."""

    @property
    def request_id(self) -> str: ...


R = TypeVar("R", bound=_Request)


class Requests:
    """The requests of one session."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._unanswered = 0

    def take(self, frame: ClientFrame) -> None:
        """Carries a frame out, or refuses it."""
        try:
            match frame.WhichOneof("frame"):
                case "command":
                    self._command(frame.command)
                case "ping":
                    self._session.beat()
                case "watch":
                    self._watch(frame.watch)
                case "unwatch":
                    self._session.rooms.unfollow(frame.unwatch.room_id)
                case "open_room":
                    self._open_room(frame.open_room)
                case "enqueue":
                    self._enqueue(frame.enqueue)
                case "dequeue":
                    self._matched("dequeue", frame.dequeue, self._session.ticket.give_back)
                case "ask_history":
                    self._ask_history(frame.ask_history)
                case "explain":
                    self._matched("explain", frame.explain, self._session.ticket.explain)
                case "create_party":
                    self._matched("create_party", frame.create_party, self._session.party.create)
                case "join_party":
                    self._matched("join_party", frame.join_party, self._session.party.join)
                case "leave_party":
                    self._matched("leave_party", frame.leave_party, self._session.party.leave)
                case "hello":
                    raise ServiceError(
                        ErrorReason.ERROR_REASON_HELLO_EXPECTED,
                        "hello opens a session and comes once",
                    )
                case _:
                    raise malformed("nothing is said", "frame")
        except ServiceError as error:
            if error.reason == ErrorReason.ERROR_REASON_MALFORMED and not _request_of(frame)[0]:
                self._session.fault(error)
            else:
                self.refuse(frame, error)

    def refuse(self, frame: Frame, error: ServiceError) -> None:
        """Refuses a frame, by its request where it names one."""
        request_id, room_id = ("", "") if isinstance(frame, ServiceError) else _request_of(frame)
        if request_id:
            self._refuse(error, request_id, room_id)
        else:
            self._session.refuse(error)

    def _refuse(self, error: ServiceError, request_id: str, room_id: str = "") -> None:
        metrics.refusals.labels(reason_name(error.reason)).inc()
        self._session.send(frames.refused(error, request_id=request_id, room_id=room_id))

    def _command(self, command: Command) -> None:
        check_command(command)
        self._session.who.require("play")
        self._count()
        if command.join.code:
            self._session.spawn(self._join_by_code, command)
        else:
            self._send(command)

    async def _join_by_code(self, command: Command) -> None:
        """A join that names a code, which counts as a try at one."""
        session = self._session
        try:
            await session.gateway.spend_code(session.who.player, session.address)
        except Exception as error:
            self._unanswered -= 1
            refusal = as_refusal(error, room=command.room_id)
            self._refuse(refusal, command.request_id, command.room_id)
        else:
            self._send(command)

    def _send(self, command: Command) -> None:
        request_id, room_id = command.request_id, command.room_id
        what = command.WhichOneof("command") or ""
        is_join = what == "join"
        span = self._session.span("command", room=room_id, kind=kind_of(room_id), command=what)

        def done(result: EngineAnswer | ServiceError) -> None:
            self._unanswered -= 1
            if span is not tracing.NOTHING:
                _end(span, result)
            if isinstance(result, ServiceError):
                self._refuse(result, request_id, room_id)
                return
            self._session.send(Payload(result.frame))
            if is_join and not self._session.rooms.follows(room_id) and _is_accepted(result.frame):
                self._session.rooms.follow(room_id, None)

        self._session.gateway.router.send(
            room_id,
            self._session.player,
            done,
            command=command,
            trace_parent=span.traceparent,
        )

    def _watch(self, watch: Watch) -> None:
        check_watch(watch)
        self._session.who.require("play")
        if watch.code:
            self._count()
            self._session.spawn(self._watch_code, watch.code)
            return
        has_position = watch.HasField("position") and watch.position.token
        position = (watch.position.seq, watch.position.token) if has_position else None
        self._session.rooms.follow(watch.room_id, position)

    async def _watch_code(self, code: str) -> None:
        session = self._session
        try:
            room_id = await session.gateway.room_of_code(
                code, player=session.who.player, address=session.address
            )
            session.rooms.follow(room_id, None)
        except Exception as error:
            refusal = as_refusal(error)
            metadata = {**refusal.metadata, "code": code}
            session.refuse(ServiceError(refusal.reason, refusal.message, **metadata))
        finally:
            self._unanswered -= 1

    def _open_room(self, request: OpenRoom) -> None:
        check_request_id(request.request_id)
        kind = check_config(request.config)
        self._session.who.require("play")
        self._answered_later("open_room", request.request_id, lambda: self._opened(request, kind))

    async def _opened(self, request: OpenRoom, kind: str) -> Payload:
        session = self._session
        room = await session.gateway.open_room(
            session.who,
            kind,
            request_id=request.request_id,
            config=request.config,
            options=request.options,
            players=(session.player,) if request.join else (),
        )
        if request.join:
            session.rooms.follow(room.room_id, None)
        answer = Answer(request_id=request.request_id, room_id=room.room_id, opened=room)
        return Payload.of(ServerFrame(answer=answer))

    def _enqueue(self, request: Enqueue) -> None:
        check_config(request.config)
        self._matched("enqueue", request, self._session.ticket.take)

    def _matched(
        self, what: str, request: R, work: Callable[[R], Coroutine[Any, Any, Payload]]
    ) -> None:
        """What is matchmaking's to do."""
        check_request_id(request.request_id)
        self._session.who.require("match")
        self._answered_later(what, request.request_id, lambda: work(request))

    def _ask_history(self, asked: AskHistory) -> None:
        check_request_id(asked.request_id)
        if asked.WhichOneof("question") is None:
            raise malformed("nothing is asked", "ask_history")
        self._session.who.require("play")
        self._answered_later("ask_history", asked.request_id, lambda: self._of_history(asked))

    async def _of_history(self, asked: AskHistory) -> Payload:
        history = await self._session.gateway.archive.answer(asked)
        answer = Answer(request_id=asked.request_id, history=history)
        return Payload.of(ServerFrame(answer=answer))

    def _answered_later(
        self, what: str, request_id: str, work: Callable[[], Coroutine[Any, Any, Payload]]
    ) -> None:
        """Runs `work` beside; its payload is the answer, and what it raises the refusal."""
        self._count()

        async def answer() -> None:
            with self._session.span(what) as span:
                try:
                    self._session.send(await work())
                except Exception as error:
                    refusal = as_refusal(error, request=what)
                    span.note(refused=reason_name(refusal.reason))
                    self._refuse(refusal, request_id)
                finally:
                    self._unanswered -= 1

        self._session.spawn(answer)

    def _count(self) -> None:
        """Counts one more unanswered request; raises TOO_FAST where there are too many."""
        if self._unanswered >= self._session.gateway.config.unanswered:
            raise too_fast(_RETRY_MS)
        self._unanswered += 1


def _request_of(frame: ClientFrame) -> tuple[str, str]:
    """The request that a frame names, and its room; empty where it names none that could be
    answered.
    """
    match frame.WhichOneof("frame"):
        case "command":
            request_id, room_id = frame.command.request_id, frame.command.room_id
        case "open_room":
            request_id, room_id = frame.open_room.request_id, ""
        case (
            "enqueue"
            | "dequeue"
            | "ask_history"
            | "explain"
            | "create_party"
            | "join_party"
            | "leave_party" as what
        ):
            request_id, room_id = getattr(frame, what).request_id, ""
        case _:
            return "", ""
    try:
        check_request_id(request_id)
    except ServiceError:
        return "", ""
    return request_id, room_id


def _end(span: tracing.Span, result: EngineAnswer | ServiceError) -> None:
    """Ends a command's span with what came of it."""
    if isinstance(result, ServiceError):
        span.note(refused=reason_name(result.reason))
    else:
        answer = ServerFrame.FromString(result.frame).answer
        if answer.HasField("refused"):
            span.note(refused=reason_name(answer.refused.reason))
    span.end()


def _is_accepted(frame: bytes) -> bool:
    return ServerFrame.FromString(frame).answer.WhichOneof("result") == "accepted"

"""When a span is made, what it is below, and what is done where nothing is traced."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from parlor.serving import tracing
from parlor.serving.logs import add_trace
from parlor.serving.otlp import OpenTelemetry

TRACE = "0af7651916cd43dd8448eb211c80319c"
SPAN = "b7ad6b7169203331"
TRACED = f"00-{TRACE}-{SPAN}-01"
UNTRACED = f"00-{TRACE}-{SPAN}-00"


@pytest.fixture
def on() -> Iterator[None]:
    """Every request traced; nobody is there to take the spans."""
    tracing.use(OpenTelemetry("test", endpoint="http://127.0.0.1:1", ratio=1))
    yield
    tracing.use(None)


def recorded(span: tracing.Span) -> Any:
    """What OpenTelemetry keeps of a span."""
    assert span.recording is not None
    return span.recording


def trace_of(span: tracing.Span) -> str:
    return f"{recorded(span).get_span_context().trace_id:032x}"


def test_off_every_span_is_the_same_nothing() -> None:
    with tracing.began("command", caller=TRACED, is_trusted=True) as span:
        assert span is tracing.NOTHING
        assert tracing.went_on("execute", TRACED) is tracing.NOTHING
        assert tracing.part("commit") is tracing.NOTHING
        assert tracing.current().traceparent == ""
        span.note(room="s1-a")
    assert add_trace(None, "info", {"event": "e"}) == {"event": "e"}


@pytest.mark.usefixtures("on")
class TestOn:
    def test_a_service_goes_on_with_the_trace_that_it_is_told(self) -> None:
        with tracing.went_on("execute", TRACED) as span:
            assert trace_of(span) == TRACE
            assert f"{recorded(span).parent.span_id:016x}" == SPAN
            with tracing.part("commit") as within:
                assert recorded(within).parent.span_id == recorded(span).context.span_id
                assert tracing.current() is within
            assert tracing.current() is span
        assert tracing.current() is tracing.NOTHING

    @pytest.mark.parametrize("traceparent", ["", UNTRACED])
    def test_a_service_begins_no_trace_of_its_own(self, traceparent: str) -> None:
        assert tracing.went_on("execute", traceparent) is tracing.NOTHING
        assert tracing.part("commit") is tracing.NOTHING

    def test_a_trusted_caller_decides_what_is_traced(self) -> None:
        assert trace_of(tracing.began("command", caller=TRACED, is_trusted=True)) == TRACE
        assert tracing.began("command", caller=UNTRACED, is_trusted=True) is tracing.NOTHING

    def test_anybody_else_is_linked_to(self) -> None:
        span = tracing.began("command", caller=TRACED)
        assert trace_of(span) != TRACE
        (link,) = recorded(span).links
        assert f"{link.context.trace_id:032x}" == TRACE

    @pytest.mark.parametrize(
        "caller",
        ["x", "00-" + "0" * 32 + f"-{SPAN}-01", TRACED.upper(), TRACED * 1000, "00-\x00\n-1-1"],
    )
    @pytest.mark.parametrize("is_trusted", [True, False])
    def test_what_is_no_traceparent_is_as_if_it_were_not_there(
        self, caller: str, is_trusted: bool
    ) -> None:
        span = tracing.began("command", caller=caller, is_trusted=is_trusted)
        assert recorded(span).parent is None
        assert not recorded(span).links

    def test_of_a_failure_only_its_kind_is_told(self) -> None:
        span = tracing.began("command")
        with pytest.raises(KeyError), span:
            raise KeyError("the queen of hearts")
        assert recorded(span).attributes == {"parlor.failed": "KeyError"}
        assert not recorded(span).events

    def test_a_log_line_names_the_span_that_it_is_written_in(self) -> None:
        with tracing.went_on("execute", TRACED) as span:
            line = add_trace(None, "info", {"event": "e"})
        assert line["trace_id"] == TRACE
        assert f"00-{TRACE}-{line['span_id']}-01" == span.traceparent

    async def test_tasks_do_not_see_each_others_spans(self) -> None:
        inside, leave = asyncio.Event(), asyncio.Event()

        async def one() -> None:
            with tracing.began("command"):
                inside.set()
                await leave.wait()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(one())
            await inside.wait()
            assert tracing.current() is tracing.NOTHING
            leave.set()


def test_a_share_of_none_traces_nobody_but_the_trusted() -> None:
    tracing.use(OpenTelemetry("test", endpoint="http://127.0.0.1:1", ratio=0))
    try:
        assert tracing.began("command") is tracing.NOTHING
        assert tracing.began("command", caller=TRACED) is tracing.NOTHING
        assert trace_of(tracing.began("command", caller=TRACED, is_trusted=True)) == TRACE
    finally:
        tracing.use(None)


def test_a_service_that_is_not_traced_loads_no_exporter() -> None:
    program = "import sys, parlor.gateway.__main__, parlor.engine.__main__; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert b"parlor.serving.tracing" in loaded.stdout
    # The rest of OpenTelemetry redis-py loads by itself where it is installed.
    assert b"opentelemetry.exporter" not in loaded.stdout
    assert b"parlor.serving.otlp" not in loaded.stdout


@pytest.mark.parametrize(
    ("variable", "value"),
    [("PARLOR_TRACING_RATIO", "1.5"), ("PARLOR_TRACING_ENDPOINT", "collector:4317")],
)
def test_a_setting_that_cannot_be_used_is_named(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOR_TRACING_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv(variable, value)
    command = [sys.executable, "-m", "parlor.engine", "planes"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert variable in ended.stderr

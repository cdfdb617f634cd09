"""What telemetry costs, as a share of a check (6 sentences, 5 passages of 100 words, the local engine, on 2 threads).

    python benchmarks/telemetry.py [--rounds 40] [--json] [--strict]

Four guards take turns in one process: (a) without telemetry: its hooks replaced by nothing; (b) as shipped, no
OpenTelemetry SDK set up; (c) the real SDK with batch processors, a metric reader and OTLP/HTTP exporters to a collector
in a process of its own that answers 200; (d) as (c), with a record store.

"CPU of telemetry" is the figure that the bars are about: processor time that the hooks add to one check, in all threads
of the process, export of spans and events to the end included (that of metrics, once a minute, is shown apart). It is
measured alone, where nothing hides it: the real driver runs, but the check itself is a report that is there already
(one of the real checks of this run, in turn). "In the caller" is the part of it that the caller waits for. Both are put
over the p50 of the real check of the same run. "Real check" is the wall clock of whole checks in turn, and the median
of the differences within a round (with its 90 % interval): its noise is larger than what is measured, so it can only
show that nothing else is wrong.
"""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import cycle
from pathlib import Path
from typing import Any, Self

sys.path.insert(0, str(Path(__file__).parent))
from latency import Example, _templates, example

BARS = {"b": 0.01, "c": 0.03}
SETUPS = {"a": "no hooks", "b": "no SDK", "c": "SDK, OTLP export", "d": "SDK and record store"}
SPANS_PER_SENTENCE = 3
BLOCK, BLOCKS = 100, 16
STREAMS, STREAM_BLOCKS = 3, 16
PATIENCE = 20.0
"""Seconds for each of the three measurements; on a busy machine there are fewer turns (but at least 8)."""
IDLE_MS = 80.0
"""p50 of a check by benchmarks/latency.py on 2 idle cores."""


# The collector, in a process of its own.


def collect(pipe: Any) -> None:
    """Answer 200 to everything; on request say how many requests and spans there were."""
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    bodies: list[tuple[str, bytes]] = []

    class Collector(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            bodies.append((self.path, self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    import threading

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pipe.send(server.server_port)
    while pipe.recv() is not None:
        requests = [ExportTraceServiceRequest.FromString(body) for path, body in bodies if path.endswith("traces")]
        spans = sum(len(s.spans) for r in requests for of in r.resource_spans for s in of.scope_spans)
        pipe.send({"requests": len(bodies), "spans": spans, "bytes": sum(len(body) for _, body in bodies)})


# The guards.


@dataclass(frozen=True, slots=True)
class Exporting:
    """Providers of the real SDK."""

    tracers: Any
    meters: Any
    loggers: Any

    def flush(self) -> None:
        """Export all spans and events, in this thread."""
        self.tracers.force_flush()
        self.loggers.force_flush()

    def metrics(self) -> float:
        """CPU seconds of one export of the metrics, which is made once a minute however many checks there are."""
        taken = []
        for _ in range(5):
            before = time.process_time()
            self.meters.force_flush()
            taken.append(time.process_time() - before)
        return statistics.median(taken)

    def stop(self) -> None:
        for provider in (self.tracers, self.loggers, self.meters):
            provider.shutdown()


def exporting(port: int) -> Exporting:
    """What `opentelemetry-instrument` and most services set up, with the defaults of the SDK."""
    from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk._logs import LoggerProvider
    from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    at = f"http://127.0.0.1:{port}/v1"
    tracers, loggers = TracerProvider(), LoggerProvider()
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{at}/traces")))
    loggers.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{at}/logs")))
    meters = MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter(f"{at}/metrics"))])
    return Exporting(tracers, meters, loggers)


class Nothing:
    """Stands where a hook was."""

    def __init__(self, *_: object, **__: object) -> None: ...
    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None: ...
    def set_report(self, report: Any) -> Any:
        return report

    def set_delivery(self, guarded: Any) -> Any:
        return guarded

    def current(self) -> Self:
        return self

    def enter(self, *_: object) -> None: ...
    def open(self, *_: object) -> None: ...
    def end(self, *_: object) -> None: ...
    def close(self, *_: object) -> None: ...
    def mark_verified(self, *_: object) -> None: ...


@contextmanager
def stripped() -> Iterator[None]:
    """Inside the block no hook of telemetry is there."""
    import guardrail.guard
    import guardrail.streaming.stream
    from guardrail import telemetry
    from guardrail.check import plan
    from guardrail.repair import attempts
    from guardrail.streaming import work

    def nothing(*_: object, **__: object) -> Nothing:
        return _NOTHING

    hooks: list[tuple[Any, str, Any]] = [
        (guardrail.guard, "observe", nothing),
        (plan, "add_usage", nothing),
        (plan, "stage", nothing),
        (attempts, "stage", nothing),
        (guardrail.streaming.stream, "Observation", nothing),
        (work, "join", nothing),
        *((telemetry, name, nothing) for name in ("stage", "record_error", "record_attempt")),
    ]
    before = [(place, name, getattr(place, name)) for place, name, _ in hooks]
    for place, name, hook in hooks:
        setattr(place, name, hook)
    try:
        yield
    finally:
        for place, name, hook in before:
            setattr(place, name, hook)


_NOTHING = Nothing()


@dataclass(frozen=True, slots=True)
class Setup:
    """A guard in one of the four ways."""

    name: str
    guard: Any
    flush: Callable[[], object]

    @contextmanager
    def ready(self) -> Iterator[Any]:
        if self.name != "a":
            yield self.guard
            return
        with stripped():
            yield self.guard


def set_up(engine: Any, sdk: Exporting, store: Any) -> list[Setup]:
    from guardrail import Guard
    from guardrail.telemetry import Telemetry

    def guard(**settings: Any) -> Any:
        labels = {"application": "support", "model": "gpt-5", "retriever": "bm25"}
        return Guard(engine=engine, telemetry=Telemetry(labels=labels, **settings))

    told = {"tracer_provider": sdk.tracers, "meter_provider": sdk.meters, "logger_provider": sdk.loggers}
    return [
        Setup("a", guard(), lambda: None),
        Setup("b", guard(), lambda: None),
        Setup("c", guard(**told), sdk.flush),
        Setup("d", guard(**told, recorder=store), lambda: (sdk.flush(), store.flush())),
    ]


# The measurements. All return seconds, by setup.


def real_checks(setups: Sequence[Setup], rounds: int) -> tuple[dict[str, list[float]], list[Any]]:
    """Wall clock of whole checks, and their reports. All of a round are of the same written case, with other names."""
    kinds, seconds, reports = len(_templates()), {setup.name: [] for setup in setups}, []
    until = time.perf_counter() + PATIENCE
    for turn in range(-3, rounds):
        if turn >= 8 and time.perf_counter() > until:
            break
        shift = turn % len(setups)
        for place, setup in enumerate([*setups[shift:], *setups[:shift]]):
            case = example(((turn + 3) * len(setups) + place) * kinds + turn % kinds)
            passages = _passages(case)
            with setup.ready() as guard:
                started = time.perf_counter()
                guarded = guard.run(case.answer, passages, question=case.question)
                took = time.perf_counter() - started
            if turn >= 0:  # those before warm up
                seconds[setup.name].append(took)
                reports.append(guarded.original or guarded.report)
    return seconds, reports


def alone(setups: Sequence[Setup], reports: Sequence[Any]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """CPU of one guarded answer whose check is there already: of all threads with export, and of the caller's."""
    from guardrail.check import plan

    ready = cycle(reports)

    def check(_: object) -> Iterator[Any]:
        for name in ("decompose", "group", "verify", "link", "logic", "judge"):
            with plan.stage(name):
                yield from plan.pure(int)
        return next(ready)

    def work(guard: Any) -> None:
        for _ in range(BLOCK):
            guard.run("", ())

    real = plan.check_plan
    plan.check_plan = check
    try:
        return _in_turn(setups, work, BLOCKS, BLOCK)
    finally:
        plan.check_plan = real


def streams(setups: Sequence[Setup]) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """The same of streams in sentence mode, without a model."""
    case = example(1)
    deltas, passages = case.answer.split(" "), _passages(case)

    def work(guard: Any) -> None:
        for _ in range(STREAMS):
            for _event in guard.stream([f"{delta} " for delta in deltas], passages, mode="sentence"):
                pass
        guard.engine.calls.clear()

    return _in_turn(setups, work, STREAM_BLOCKS, STREAMS)


def real_stream(setup: Setup) -> float:
    """Median seconds of the guard in a stream of a real check."""
    taken = []
    for number in range(9):
        case = example(10_000 + number * len(_templates()))
        deltas, passages = [f"{delta} " for delta in case.answer.split(" ")], _passages(case)
        with setup.ready() as guard:
            started = time.perf_counter()
            for _event in guard.stream(deltas, passages, mode="sentence"):
                pass
            taken.append(time.perf_counter() - started)
    return statistics.median(taken[1:])


def _in_turn(
    setups: Sequence[Setup], work: Callable[[Any], None], blocks: int, size: int
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    everybody: dict[str, list[float]] = {setup.name: [] for setup in setups}
    caller: dict[str, list[float]] = {setup.name: [] for setup in setups}
    until = time.perf_counter() + PATIENCE
    for turn in range(-1, blocks):
        if turn >= 8 and time.perf_counter() > until:
            break
        for setup in setups:
            setup.flush()  # what is left of the other guards
            gc.collect()
            with setup.ready() as guard:
                whole, own = time.process_time(), time.thread_time()
                work(guard)
                own = time.thread_time() - own
                setup.flush()
                whole = time.process_time() - whole
            if turn >= 0:
                everybody[setup.name].append(whole / size)
                caller[setup.name].append(own / size)
    return everybody, caller


def spans_per_sentence() -> float:
    """Spans that each further sentence of a stream costs."""
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

    from guardrail import Guard
    from guardrail.telemetry import Telemetry
    from guardrail.testing import FakeEngine

    def spans(sentences: int) -> int:
        kept, tracers = InMemorySpanExporter(), TracerProvider()
        tracers.add_span_processor(SimpleSpanProcessor(kept))
        guard = Guard(engine=FakeEngine(), telemetry=Telemetry(tracer_provider=tracers))
        text = [f"The dam of Larkmoor has {number} gates of steel. " for number in range(3, 3 + sentences)]
        for _ in guard.stream(text, ["The dam of Larkmoor has many gates of steel."], mode="sentence"):
            pass
        return len(kept.get_finished_spans())

    return (spans(40) - spans(10)) / 30


def _passages(case: Example) -> list[Any]:
    from guardrail import Passage

    return [Passage(id=f"p{n}", **passage) for n, passage in enumerate(case.passages)]


def measure(rounds: int, threads: int) -> dict[str, Any]:
    """All figures; times in milliseconds, shares of 1."""
    from guardrail.engines.local.engine import LocalEngine
    from guardrail.telemetry.records import RecordStore
    from guardrail.testing import FakeEngine

    started = time.perf_counter()
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    collector = multiprocessing.get_context("spawn").Process(target=collect, args=(theirs,), daemon=True)
    collector.start()
    with tempfile.TemporaryDirectory() as folder, RecordStore(Path(folder) / "records.db") as store:
        sdk = exporting(ours.recv())
        setups = set_up(LocalEngine(threads=threads), sdk, store)
        seconds, reports = real_checks(setups, rounds)
        p50 = statistics.median(seconds["a"])
        everybody, caller = alone(setups, reports)
        whole_stream = real_stream(setups[0])
        stream_everybody, stream_caller = streams(set_up(FakeEngine(), sdk, store)[:3])
        metrics = sdk.metrics()
        sdk.flush()
        stored = dict(store.counts)
        ours.send("how many")
        received = ours.recv()
        sdk.stop()
    ours.send(None)
    collector.join()
    figures: dict[str, Any] = {"p50": p50 * 1e3, "stream_p50": whole_stream * 1e3, "rounds": len(seconds["a"])}
    figures["setups"] = {}
    for name in SETUPS:
        figures["setups"][name] = {
            "p50": statistics.median(seconds[name]) * 1e3,
            **_difference(seconds["a"], seconds[name], p50),
            **_added("cpu", everybody, name, p50),
            **_added("caller", caller, name, p50),
        }
        if name in stream_everybody:
            figures["setups"][name] |= _added("stream_cpu", stream_everybody, name, whole_stream)
            figures["setups"][name] |= _added("stream_caller", stream_caller, name, whole_stream)
    return figures | {
        "spans_per_sentence": spans_per_sentence(),
        "metrics_export_ms": metrics * 1e3,
        "faulty": sum(report.verdict.value != "supported" for report in reports) / len(reports),
        "received": received,
        "records": stored,
        "seconds": time.perf_counter() - started,
    }


def _added(what: str, found: dict[str, list[float]], name: str, whole: float) -> dict[str, float]:
    """Median over neighbouring blocks of what is added to setup (a)."""
    added = statistics.median(mine - bare for bare, mine in zip(found["a"], found[name], strict=True))
    return {f"{what}_ms": added * 1e3, f"{what}_share": added / whole}


def _difference(bare: Sequence[float], mine: Sequence[float], whole: float) -> dict[str, Any]:
    """Median difference within a round, and its 90 % interval, as shares of a check."""
    gaps = sorted(b - a for a, b in zip(bare, mine, strict=True))
    middle, reach = len(gaps) / 2, 0.82 * len(gaps) ** 0.5
    low, high = gaps[max(0, int(middle - reach))], gaps[min(len(gaps) - 1, int(middle + reach))]
    return {"wall_share": statistics.median(gaps) / whole, "wall_interval": (low / whole, high / whole)}


def show(figures: dict[str, Any], load: float) -> None:
    print(
        f"real check: p50 {figures['p50']:.1f} ms of {figures['rounds']}; "
        f"stream in sentence mode: {figures['stream_p50']:.1f} ms"
    )
    print(f"{'':<24}{'CPU of telemetry':>24}{'in the caller':>16}{'bar':>16}   real check, in turn")
    for name, told in SETUPS.items():
        row, bar = figures["setups"][name], BARS.get(name)
        met = "" if bar is None else f"<= {bar:.0%} {'met' if row['cpu_share'] <= bar else 'MISSED'}"
        cost = f"{row['cpu_ms']:.3f} ms = {row['cpu_share']:.2%}" if name != "a" else "-"
        own = f"{row['caller_share']:.2%}" if name != "a" else "-"
        low, high = row["wall_interval"]
        wall = "" if name == "a" else f"  {row['wall_share']:+.1%} ({low:+.1%} to {high:+.1%})"
        print(f"({name}) {told:<20}{cost:>24}{own:>16}{met:>16}   {row['p50']:.1f} ms{wall}")
    if figures["p50"] > 1.25 * IDLE_MS:
        shares = (f"({name}) {figures['setups'][name]['cpu_ms'] / IDLE_MS:.2%}" for name in "bcd")
        print(f"this machine is busy or slow; of a check of {IDLE_MS:.0f} ms it would be {', '.join(shares)}")
    for name in ("b", "c"):
        row = figures["setups"][name]
        print(
            f"stream, ({name}): CPU {row['stream_cpu_ms']:.3f} ms = {row['stream_cpu_share']:.2%} of a stream; "
            f"in the caller {row['stream_caller_share']:.2%}"
        )
    print(f"spans per sentence of a stream: {figures['spans_per_sentence']:.1f} (bar: <= {SPANS_PER_SENTENCE})")
    print(f"export of the metrics, once a minute by default: CPU {figures['metrics_export_ms']:.1f} ms")
    got = figures["received"]
    print(f"the collector got {got['requests']} requests, {got['spans']} spans, {got['bytes'] / 1e6:.1f} MB")
    print(f"records: {figures['records']} ({figures['faulty']:.0%} of the answers had faults, which are all kept)")
    print(f"{figures['seconds']:.0f} s, {os.cpu_count()} cores, load average at the start {load:.1f}")


def bars_met(figures: dict[str, Any]) -> dict[str, bool]:
    met = {name: figures["setups"][name]["cpu_share"] <= bar for name, bar in BARS.items()}
    return met | {"spans_per_sentence": figures["spans_per_sentence"] <= SPANS_PER_SENTENCE}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=40, help="real checks of each of the four guards")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a bar is missed")
    args = parser.parse_args()
    if args.rounds < 4:
        parser.error("--rounds must be at least 4")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    figures = measure(args.rounds, args.threads)
    if args.json:
        print(json.dumps({**figures, "cores": os.cpu_count(), "load": load, "met": bars_met(figures)}))
    else:
        show(figures, load)
    if args.strict and not all(bars_met(figures).values()):
        sys.exit(1)


if __name__ == "__main__":
    main()

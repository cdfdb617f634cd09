"""Time of a whole ``Guard.check``: answers of 6 sentences against 5 passages of 100 words, on 2 threads.

    python benchmarks/latency.py [--runs 60] [--json] [--strict]

"new passages" is what a service sees: texts that the process has never read, only single words repeat.
"same passages" is a text asked about again. "model" is the time inside CrossEncoder._run, "overhead" all the rest.
With --strict the exit code is 1 where a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("latency_cases.json")
P50_MS, OVERHEAD = 120.0, 0.10
LONG_SENTENCES, LONG_PASSAGES = 200, 20

_STARTS = "Ash Bran Cald Dorn Elm Fenn Garr Holm Ister Kell Lark Mor Nor Ost Penn Quill Rav Stell Tarn Ulv Vess".split()
_PLACES = "beck bury dale ford ham mere mouth ness stead ton wick worth".split()
_FIRMS = "ana dex ema ika lin nova ora tec via xa".split()
_FIRST = "Ada Bruno Clara David Edith Felix Greta Hugo Irene Jonas Karin Louis Marta Nils Olga Peter Rosa Simon".split()
_LAST = "berg dahl field gren holt kamp lund man rud sen strom vik".split()


@dataclass(frozen=True, slots=True)
class Example:
    """One answer to check."""

    question: str
    answer: str
    passages: tuple[dict[str, str], ...]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of one check, and how many of them the model's forward passes took."""

    total: float
    model: float

    @property
    def overhead(self) -> float:
        return 1.0 - self.model / self.total


@cache
def _templates() -> list[dict[str, Any]]:
    return json.loads(CASES.read_text(encoding="utf-8"))


def example(variant: int) -> Example:
    """Variant 0, 1, 2, ...: the written cases in turn, each time with other names and numbers in every sentence."""
    chance = random.Random(variant)
    template = _templates()[variant % len(_templates())]
    places = [start + end for start, end in zip(chance.sample(_STARTS, 3), chance.sample(_PLACES, 3), strict=True)]
    names = {
        "T": places[0],
        "S": places[1],
        "F": chance.choice(_STARTS) + chance.choice(_FIRMS),
        "P": f"{chance.choice(_FIRST)} {chance.choice(_STARTS)}{chance.choice(_LAST)}",
    }
    shift = chance.randrange(10)

    def fill(text: str) -> str:
        return re.sub(r"\{(\w+)\}", lambda m: names[m[1]] if m[1] in names else str(int(m[1]) + shift), text)

    passages = tuple({key: fill(value) for key, value in passage.items()} for passage in template["passages"])
    return Example(fill(template["question"]), fill(template["answer"]), passages)


def long_example() -> Example:
    """200 sentences against 20 passages; most of the answer is about other names than the passages are."""
    cases = [example(variant) for variant in range(4)]
    passages = [passage for case in cases for passage in case.passages][:LONG_PASSAGES]
    sentences: list[str] = []
    for variant in count():
        sentences += re.split(r"(?<=\.) ", example(variant).answer)
        if len(sentences) >= LONG_SENTENCES:
            return Example("", " ".join(sentences[:LONG_SENTENCES]), tuple(passages))
    raise AssertionError


class ModelClock:
    """Adds up the time that forward passes take."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.pairs = 0
        self.tokens = 0

    def watch(self) -> None:
        from guardrail.engines.local.model import MAX_TOKENS, CrossEncoder

        run = CrossEncoder._run  # noqa: SLF001  the seam between the model and the rest

        def timed(encoder: CrossEncoder, premise: str, claim: str) -> Any:
            started = time.perf_counter()
            try:
                return run(encoder, premise, claim)
            finally:
                self.seconds += time.perf_counter() - started
                self.pairs += 1
                self.tokens += min(MAX_TOKENS, encoder.tokens(premise) + encoder.tokens(claim) + 3)

        CrossEncoder._run = timed  # noqa: SLF001


def check(guard: Any, clock: ModelClock, case: Example) -> Timing:
    """One check; the passages are objects before the clock starts, as they come from a retriever."""
    from guardrail import Passage, Verdict

    passages = [Passage(id=f"p{n}", **passage) for n, passage in enumerate(case.passages)]
    before, started = clock.seconds, time.perf_counter()
    report = guard.check(case.answer, passages, question=case.question or None)
    total = time.perf_counter() - started
    judged = [f for f in report.findings if f.verdict is not Verdict.UNVERIFIED]
    if not judged:
        raise SystemExit(f"nothing was judged: {report.reason or report.findings}")
    return Timing(total, clock.seconds - before)


def measure(runs: int, threads: int, *, long: bool) -> dict[str, Any]:
    """All figures, in milliseconds unless the name says otherwise."""
    started = time.perf_counter()
    from guardrail import Guard
    from guardrail.engines.local.engine import LocalEngine

    imported = time.perf_counter() - started
    clock = ModelClock()
    started = time.perf_counter()
    guard = Guard(engine=LocalEngine(threads=threads))
    clock.watch()  # imports onnxruntime, which a first check would do
    check(guard, clock, example(0))
    first = time.perf_counter() - started
    for variant in range(1, 5):
        check(guard, clock, example(variant))

    pairs, tokens = clock.pairs, clock.tokens
    cold = [check(guard, clock, example(variant)) for variant in range(5, 5 + runs)]
    pairs, tokens = clock.pairs - pairs, clock.tokens - tokens
    warm = []
    for variant in range(5, 5 + runs):
        check(guard, clock, example(variant))
        warm.append(check(guard, clock, example(variant)))
    figures = {
        "new_p50": _percentile([t.total for t in cold], 50) * 1e3,
        "new_p95": _percentile([t.total for t in cold], 95) * 1e3,
        "new_model_p50": _percentile([t.model for t in cold], 50) * 1e3,
        "new_overhead_share": sum(t.total - t.model for t in cold) / sum(t.total for t in cold),
        "same_p50": _percentile([t.total for t in warm], 50) * 1e3,
        "same_overhead_share": sum(t.total - t.model for t in warm) / sum(t.total for t in warm),
        "pairs_per_check": pairs / runs,
        "tokens_per_check": tokens / runs,
        "new_p50_per_case": [
            _percentile([t.total for v, t in enumerate(cold, 5) if v % len(_templates()) == case], 50) * 1e3
            for case in range(len(_templates()))
        ],
        "import": imported * 1e3,
        "first_check": first * 1e3,
    }
    if long:
        timing = check(guard, clock, long_example())
        figures |= {"long": timing.total * 1e3, "long_overhead_share": timing.overhead}
    return figures


def _percentile(values: Sequence[float], percent: int) -> float:
    if len(values) < 2:
        return values[0] if values else float("nan")
    return statistics.quantiles(values, n=100, method="inclusive")[percent - 1]


def bars(figures: dict[str, Any]) -> list[tuple[str, str, str, bool | None]]:
    """Rows of the table: what, figure, bar, met (None = no bar)."""
    rows: list[tuple[str, str, str, bool | None]] = [
        (
            "new passages, p50",
            f"{figures['new_p50']:.1f} ms",
            f"<= {P50_MS:.0f} ms",
            figures["new_p50"] <= P50_MS,
        ),
        ("new passages, p95", f"{figures['new_p95']:.1f} ms", "", None),
        ("  of which model, p50", f"{figures['new_model_p50']:.1f} ms", "", None),
        (
            "  overhead (outside the model)",
            f"{figures['new_overhead_share']:.1%}",
            f"<= {OVERHEAD:.0%}",
            figures["new_overhead_share"] <= OVERHEAD,
        ),
        ("  pairs read per check", f"{figures['pairs_per_check']:.1f}", "", None),
        ("  tokens read per check", f"{figures['tokens_per_check']:.0f}", "", None),
        ("same passages, p50", f"{figures['same_p50']:.1f} ms", "", None),
        ("  overhead (outside the model)", f"{figures['same_overhead_share']:.1%}", "", None),
        ("import and first check", f"{figures['import'] + figures['first_check']:.0f} ms", "", None),
    ]
    if "long" in figures:
        rows += [
            (f"{LONG_SENTENCES} sentences, {LONG_PASSAGES} passages", f"{figures['long'] / 1e3:.2f} s", "", None),
            ("  overhead (outside the model)", f"{figures['long_overhead_share']:.1%}", "", None),
        ]
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=60, help="checks of new passages, and as many of the same again")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--no-long", action="store_true", help="leave out the answer of 200 sentences")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a bar is missed")
    args = parser.parse_args()
    if args.runs < len(_templates()):
        parser.error(f"--runs must be at least {len(_templates())}, one for each case")
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    figures = measure(args.runs, args.threads, long=not args.no_long)
    rows = bars(figures)
    if args.json:
        setting = {"python": platform.python_version(), "cores": os.cpu_count(), "load": load}
        met = {"p50": rows[0][3], "overhead": rows[3][3]}
        print(json.dumps({**setting, "threads": args.threads, "runs": args.runs, **figures, "met": met}))
    else:
        print(f"{args.runs} runs, {args.threads} threads, {os.cpu_count()} cores, Python {platform.python_version()}")
        for name, figure, bar, met in rows:
            mark = "" if met is None else "  met" if met else "  MISSED"
            print(f"{name:<34}{figure:>12}   {bar}{mark}")
        busy = load > (os.cpu_count() or 1) / 2
        print(
            f"load average at the start {load:.1f}"
            + ("; other work ran here, do not trust these times" if busy else "")
        )
    if args.strict and not all(met is not False for *_, met in rows):
        sys.exit(1)


if __name__ == "__main__":
    main()

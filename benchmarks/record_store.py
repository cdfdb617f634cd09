"""What a record costs: the caller's wait, writes a second, bytes, and questions to a full store.

    python benchmarks/record_store.py [--records 5000]

One answer of 6 sentences against 5 passages of about 115 words, checked by the local engine and recorded again and
again under other ids.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median, quantiles

from guardrail import Guard, Passage, Policy
from guardrail.telemetry import Outcome
from guardrail.telemetry.records import RecordStore

WORDS = (
    "the committee approved larger budget after reviewing several proposals from engineers who measured water levels "
    "near northern river valley during spring season while local farmers reported unusual crop growth beyond limits"
).split()


def example():
    """A guarded answer."""
    choose = random.Random(0)

    def sentence():
        return " ".join(choose.choice(WORDS) for _ in range(16)).capitalize() + "."

    passages = [
        Passage(id=f"p{n}", title=f"Document {n}", text=" ".join(sentence() for _ in range(7))) for n in range(5)
    ]
    answer = " ".join([*(p.text.split(". ")[1] + "." for p in passages), sentence()])
    return Guard(policy=Policy.monitor()).run(answer, passages, question="What did the committee approve?")


def outcome(guarded):
    return Outcome(
        id=uuid.uuid4().hex,
        at=time.time(),
        seconds=0.09,
        policy="monitor",
        report=guarded.report,
        guarded=guarded,
        action=guarded.action.value,
        labels={"application": "support", "retriever": "bm25"},
    )


def waits(store, outcomes, pause):
    """Microseconds that the caller waits, per record."""
    taken = []
    for one in outcomes:
        time.sleep(pause)
        started = time.perf_counter()
        store.record(one)
        taken.append((time.perf_counter() - started) * 1e6)
    return taken


def timed(work):
    started = time.perf_counter()
    result = work()
    return result, time.perf_counter() - started


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=5000)
    number = parser.parse_args().records
    guarded = example()
    outcomes = [outcome(guarded) for _ in range(number)]
    with tempfile.TemporaryDirectory() as folder:
        paced = RecordStore(Path(folder) / "paced.db", sample=1.0)
        taken = waits(paced, outcomes[:300], 0.003)
        print(f"record() at 300 a second: median {median(taken):.0f} us, p99 {quantiles(taken, n=100)[-1]:.0f} us")
        paced.close()
        path = Path(folder) / "full.db"
        store = RecordStore(path, sample=1.0, queue=number + 1)
        started = time.perf_counter()
        taken = waits(store, outcomes, 0)
        store.flush(600)
        seconds = time.perf_counter() - started
        print(f"record() in a loop: median {median(taken):.1f} us; {number / seconds:.0f} writes a second")
        size = sum(file.stat().st_size for file in path.parent.glob("full.db*")) / number
        print(f"on disk: {size / 1000:.1f} kB a record")
        for name, work in (
            ("worst(10)", lambda: store.worst(10)),
            ("stats()", store.stats),
            ("export, JSONL", lambda: store.export(path.with_suffix(".jsonl"))),
        ):
            print(f"{name} of {number}: {timed(work)[1] * 1000:.0f} ms")
        print(f"as JSONL: {path.with_suffix('.jsonl').stat().st_size / number / 1000:.1f} kB a record")
        store.close()


if __name__ == "__main__":
    main()

"""How many logged answers a second an audit judges here, in what memory and disk, and whether kill -9 loses any.

    python benchmarks/audit/run.py --answers 1000000 --distinct 20000       # a stand-in for the model
    python benchmarks/audit/run.py --answers 20000 --engine local           # the model that ships

Makes logs in Parquet and JSON lines (logs.py) with 1 % bad rows and two damaged files; audits them, killed three times
and begun again; and checks by the ids that nothing is lost or there twice. Exit code 1: something is, a row is not
accounted for, or a planted cause does not lead its list. Needs Linux, the extra ``audit`` and the
repository, whose texts it uses.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from engine import WordsEngine
from logs import BAD_INDEX, BAD_RELEASE, write_logs
from processes import watch

from guardrail.audit import audit
from guardrail.audit.folder import AuditFolder

KILLS = (0.2, 0.5, 0.8)
_SAY_EVERY = 0.5
DOCUMENT_FROM = 3500
"""Answers below which the planted document is among the passages of a few only, and chance may hide it."""


def child(logs, out, engine, workers):
    """In the process that is watched: a line of progress now and then."""
    last = 0.0

    def say(done):
        nonlocal last
        if time.monotonic() - last >= _SAY_EVERY:
            last = time.monotonic()
            print(json.dumps([done.seen, done.written]), flush=True)

    done = audit(logs, out, engine=WordsEngine() if engine == "fake" else "local", workers=workers, progress=say)
    print(json.dumps([done.seen, done.written]), flush=True)


def report(out):
    """In another: the report, and where the planted causes stand in it."""
    from guardrail.audit.report import write_report

    figures = write_report(out)
    places = {label: [rate.name for rate in figures.slices[label]] for label in ("release", "index")}
    found = {"documents": [rate.name for rate in figures.documents], **places}
    found |= {"bad": figures.whole.bad, "known": figures.whole.total, "lost": figures.lost}
    (Path(out) / "places.json").write_text(json.dumps(found), encoding="utf-8")


def problems(logs, out):
    """What is lost, there twice or not accounted for, in words."""
    import duckdb

    with AuditFolder(out) as folder:
        answers = [str(path) for path in folder.files("answers")]
        judged = [str(path) for path in folder.files("judgements")]
        last = max(run["number"] for run in folder.runs())
        rejected = [str(path) for path in folder.files("rejected", f"run={last}")]
    db = duckdb.connect()

    def one(query, files):
        return db.execute(query, [files]).fetchone()

    found = []
    count, ids, keys = one("SELECT COUNT(*), COUNT(DISTINCT id), COUNT(DISTINCT key) FROM read_parquet(?)", answers)
    # Of the ids that are wanted all but those of the damaged file are 0 to good - 1.
    inside = f"CAST(id[2:] AS BIGINT) < {logs.good}"
    (wanted,) = one(f"SELECT COUNT(*) FROM read_parquet(?) WHERE {inside}", answers)
    (damaged,) = one("SELECT COUNT(*) FROM read_parquet(?) WHERE place LIKE '%log-11.parquet%'", answers)
    if not count == ids == keys:
        found.append(f"{count} answers, {ids} ids")
    if wanted != logs.good:
        found.append(f"{wanted} of {logs.good} ids are there")
    contents, different = one("SELECT COUNT(*), COUNT(DISTINCT content) FROM read_parquet(?)", judged)
    (texts,) = one("SELECT COUNT(DISTINCT content) FROM read_parquet(?)", answers)
    if not contents == different == texts:
        found.append(f"{texts} texts, {contents} judgements of {different}")
    of = "SELECT COUNT(*), SUM(COALESCE(rows, 0)) FROM read_parquet(?) WHERE place "
    lost = {name: one(f"{of} LIKE '%{name}%'", rejected) for name in ("log-10.jsonl", "log-11", "log-12")}
    if lost["log-10.jsonl"] != (logs.bad, logs.bad):
        found.append(f"{lost['log-10.jsonl']} of {logs.bad} bad rows are rejected")
    if lost["log-11"][0] != 1 or damaged + lost["log-11"][1] != logs.damaged:
        found.append(f"of the damaged file {damaged} rows are there and {lost['log-11']} rejected, of {logs.damaged}")
    if lost["log-12"][0] != 1:
        found.append(f"half a file: {lost['log-12']}")
    print(f"{count:,} answers, {contents:,} judged texts; rejected: {logs.bad:,} bad rows, {lost['log-11'][1]:,} of "
          f"the damaged file's {logs.damaged:,} rows, half a file")  # fmt: skip
    return found


def main():
    """See the top."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--answers", type=int, default=20_000)
    parser.add_argument("--distinct", type=int, help="different answers and passages; default: all are")
    parser.add_argument("--engine", choices=("fake", "local"), default="fake")
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    parser.add_argument("--folder", type=Path, help="for logs and audit, kept; default: one that is removed")
    parser.add_argument("--child", nargs=2)
    parser.add_argument("--report")
    given = parser.parse_args()
    if given.child:
        child(*given.child, given.engine, given.workers)
    elif given.report:
        report(given.report)
    else:
        folder = given.folder or Path(tempfile.mkdtemp(prefix="audit-"))
        try:
            sys.exit(measure(given, folder))
        finally:
            if given.folder is None:
                shutil.rmtree(folder)


def measure(given, folder):
    """Print the figures; 1 = something is wrong."""
    begun = time.monotonic()
    logs = write_logs(folder / "logs", given.answers, given.distinct or given.answers)
    out = folder / "out"
    print(f"{given.answers:,} answers, {given.distinct or given.answers:,} different, {size(logs.folder):,.0f} MiB of "
          f"logs made in {time.monotonic() - begun:.0f} s; load {os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
    words = [__file__, "--engine", given.engine, "--workers", given.workers, "--child", logs.folder, out]
    peak, growth, spent = 0.0, [], 0.0
    for at in (*KILLS, None):
        found = watch(words, None if at is None else at * given.answers)
        peak, spent = max(peak, found.peak), spent + found.progress[-1][0]
        growth.append(found.peak)
        how = "to the end" if at is None else f"killed at {at:.0%}"
        print(f"{how}: {found.written:,} added in {found.progress[-1][0]:.0f} s, {found.rate:,.1f} a second, peak "
              f"{found.peak:,.0f} MiB; load {os.getloadavg()[0]:.1f}", flush=True)  # fmt: skip
    begun = time.monotonic()
    told = watch([__file__, "--report", out])
    print(f"all: {spent:.0f} s, peak of all processes {peak:,.0f} MiB; report {time.monotonic() - begun:.0f} s, peak "
          f"{told.peak:,.0f} MiB; disk {size(out):,.0f} MiB")  # fmt: skip
    wrong = problems(logs, out) + misplaced(logs, out)
    for problem in wrong:
        print(f"WRONG: {problem}")
    if not wrong:
        print("nothing lost, nothing twice, all rows accounted for, planted causes found")
    return int(bool(wrong) or told.code != 0)


def misplaced(logs, out):
    """Planted causes that do not lead their lists; of the many documents the first three will do."""
    places = json.loads((out / "places.json").read_text(encoding="utf-8"))
    print(f"bad: {places['bad']:,} of {places['known']:,}; first documents: {places['documents'][:3]}")
    planted = [("release", BAD_RELEASE, 1), ("index", BAD_INDEX, 1), ("documents", logs.bad_document, 3)]
    if logs.good < DOCUMENT_FROM:
        planted.pop()
    return [f"{name} is not among {places[kind][:n]}" for kind, name, n in planted if name not in places[kind][:n]]


def size(folder):
    """MiB of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 2**20


if __name__ == "__main__":
    main()

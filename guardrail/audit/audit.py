"""The audit: read, plan, judge, commit, report."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from guardrail.audit.answer import Found
from guardrail.audit.columns import Columns
from guardrail.audit.fingerprint import fingerprint_of
from guardrail.audit.folder import AuditFolder
from guardrail.audit.judging import Judged, Judging, Texts
from guardrail.audit.local import judged_by_processes, judged_here
from guardrail.audit.on_ray import Cluster, judged_by_ray
from guardrail.audit.plan import Plan, without_failed
from guardrail.audit.second_look import SecondLook, looked_at
from guardrail.audit.sources import Source, open_source
from guardrail.audit.sources.paths import refuse_inside
from guardrail.audit.sources.reading import Reading
from guardrail.audit.tables import ANSWERS, schemas
from guardrail.check.contract import AsyncEngine, Engine
from guardrail.check.threads import cores
from guardrail.errors import UsageError
from guardrail.policy.policy import Policy

BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far an audit is. ``share`` (0..1) of the source is None where nobody knows its size."""

    seen: int = 0
    judged: int = 0
    written: int = 0
    rejected: int = 0
    share: float | None = None
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Rows per second."""
        return self.seen / self.seconds if self.seconds > 0 else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the rate until now; None = nobody knows."""
        if not self.share or self.seconds <= 0:
            return None
        return self.seconds * max(0.0, 1 - self.share) / self.share


@dataclass(frozen=True, slots=True, kw_only=True)
class Audited:
    """What a run did. ``again``: rows that were done before; ``same``: answers judged with another one's texts.

    ``passing``: different answers that could not be judged for a reason that may pass (tables.PASSING); the next run
    judges them again. ``spent``: those that had made all the requests that one answer may make; only ``pay_again``
    judges them again. ``escalated``: answers that the second engine judged too.
    """

    folder: Path
    fingerprint: str
    finished: bool
    seen: int
    written: int
    judged: int
    again: int
    same: int
    rejected: int
    passing: int
    spent: int
    cost: float
    seconds: float
    escalated: int = 0
    verdicts: dict[str, int] = field(default_factory=dict)


def audit(
    source: str | Path | Source,
    out: str | Path,
    *,
    policy: Policy | str = "monitor",
    engine: str | Engine | AsyncEngine | Callable[[Policy], Engine | AsyncEngine] = "local",
    form: str = "auto",
    columns: Columns | None = None,
    workers: int | None = None,
    batch: int = BATCH,
    at_once: int = 1,
    texts: Texts = "faulty",
    ray: Cluster | str | None = None,
    second: str | Engine | AsyncEngine | Callable[[Policy], Engine | AsyncEngine] | None = None,
    budget: float | None = None,
    pay_again: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> Audited:
    """Judge all logged answers of a source; what is judged already is left alone.

    Run it again after any end, Ctrl-C and kill -9 included: at most the batches in flight are judged again. The
    processes are spawned, so a script needs ``if __name__ == "__main__":``.

    Args:
        source: A file, folder, glob or URI; or anything with the Source protocol.
        out: The folder of the audit.
        policy: Or its name or file.
        engine: See Guard. An engine that cannot be pickled: a function that makes it of the policy, or ``workers=0``.
        form: One of ``guardrail.audit.FORMATS``.
        columns: Which column holds what, for tables.
        workers: Processes; None = one per core, 0 = none but this one.
        batch: Answers judged and committed together.
        at_once: Answers judged at once by one process; for engines that ask a model over the network.
        texts: Of which answers texts are kept (see Texts).
        ray: A cluster, or its address; ``local`` = Ray on this machine. None = processes, without Ray.
        second: Another engine, in this process, for answers of which the first is unsure, until the budget is spent.
        budget: What it may spend in all, in the currency of its prices.
        pay_again: Judge again also what could not be judged with all the requests that one answer may make, which costs
            as much as before.
        progress: Called after every batch.

    Raises:
        UsageError: an argument is wrong, there is nothing to audit, or another audit is at work in the folder.
        MissingExtraError: the extra ``audit`` is not installed.
    """
    schemas()
    if (second is None) is not (budget is None) or (budget is not None and not budget > 0):
        raise UsageError(f"a second engine and a budget above 0 go together, got {second!r} and {budget!r}.")
    if batch < 1 or (workers is not None and workers < 0):
        raise UsageError(f"batch must be at least 1 and workers at least 0, got {batch!r} and {workers!r}.")
    rules = policy if isinstance(policy, Policy) else Policy.load(policy)
    opened, reading = _opened(source, form, columns, out)
    judging = Judging(policy=rules, engine=engine, at_once=at_once, texts=texts)
    guard = judging.guard(threads=0)
    fingerprint = fingerprint_of(guard)
    with AuditFolder(out, writes=True) as folder:
        folder.begin(str(source), fingerprint, reading)
        plan = folder.plan(fingerprint.id, pay_again=pay_again)
        judged: Iterator[Judged]
        if ray is not None:
            cluster = ray if isinstance(ray, Cluster) else Cluster(address=ray, workers=workers or None)
            judged = judged_by_ray(opened, plan, judging, batch, cluster)
        else:
            batches = plan.batches(_found(opened), batch)
            count = cores() if workers is None else workers
            judged = judged_by_processes(batches, judging, count) if count else judged_here(batches, judging, guard)
        done = _committed(folder, judged, plan, fingerprint.id, opened.size, progress)
        if second is None or budget is None:
            return done
        other = Judging(policy=rules, engine=second, at_once=at_once, texts=texts)
        look = SecondLook(guard=other.guard(threads=0), judging=other, budget=budget, pay_again=pay_again)
        after = fingerprint_of(look.guard).after(fingerprint)
        folder.look_again(after)
        more = _committed(folder, looked_at(folder, opened, look, fingerprint.id, after.id), Plan(), after.id, 0, None)
        return replace(done, fingerprint=after.id, escalated=more.judged, cost=done.cost + more.cost)


def _opened(
    source: str | Path | Source, form: str, columns: Columns | None, out: str | Path
) -> tuple[Source, Reading | None]:
    if not isinstance(source, (str, Path)):
        return source, None
    refuse_inside(str(source), out)
    return open_source(str(source), form, columns), Reading.named(str(source), form, columns)


def _found(source: Source) -> Iterator[Found]:
    for piece in source.pieces():
        yield from source.read(piece)


_TOLD = ("seen", "judged", "written", "rejected")


def _committed(
    folder: AuditFolder,
    judged: Iterator[Judged],
    plan: Plan,
    fingerprint: str,
    size: float,
    progress: Callable[[Progress], None] | None,
) -> Audited:
    begun, counts, verdicts = time.monotonic(), Counter[str](), Counter[str]()
    cost, done, failed = 0.0, 0.0, set[int]()
    state = "interrupted"
    try:
        with closing(judged):  # type: ignore[type-var]
            for some in judged:
                one = without_failed(some, failed)
                folder.commit(one, fingerprint)
                written, lost = len(one.rows[ANSWERS]), sum(r.rows or 1 for r in one.rejected)
                counts.update(seen=one.seen, judged=one.judged, written=written, rejected=lost)
                counts.update(passing=one.passing, spent=one.spent)
                verdicts.update(one.verdicts)
                cost, done = cost + one.cost, done + one.size
                if progress is not None:
                    share = min(1.0, done / size) if size else None
                    progress(Progress(**{n: counts[n] for n in _TOLD}, share=share, seconds=time.monotonic() - begun))
        state = "finished"
    finally:
        summary = Audited(
            folder=folder.path,
            fingerprint=fingerprint,
            finished=state == "finished",
            **{name: counts[name] for name in ("seen", "written", "judged", "rejected", "passing", "spent")},
            again=plan.again,
            same=plan.same,
            cost=cost,
            seconds=time.monotonic() - begun,
            verdicts=dict(verdicts),
        )
        folder.end(state, {k: v for k, v in asdict(summary).items() if k != "folder"})
    return summary

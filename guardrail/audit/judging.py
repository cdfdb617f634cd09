"""One batch judged: the same code in this process, in a worker on this machine and in an actor of a Ray cluster."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from guardrail.audit.answer import LoggedAnswer, Rejected
from guardrail.audit.columns import excerpt_of, nameless
from guardrail.audit.tables import ANSWERS, DOCUMENTS, FINDINGS, JUDGEMENTS, PASSING, is_passing, is_spent, no_rows
from guardrail.check.contract import AsyncEngine, Engine
from guardrail.check.threads import in_order
from guardrail.engines.cascade import CascadeEngine
from guardrail.engines.local.engine import LocalEngine
from guardrail.errors import ConfigurationError, UsageError
from guardrail.guard import Guard
from guardrail.policy.policy import Policy
from guardrail.telemetry.records.database import storable
from guardrail.types import ErrorType, Finding, Report, Verdict

Texts = Literal["faulty", "all", "none"]
"""Of which answers the texts are kept: ``faulty`` keeps those of which something is not supported, disputed between
passages or not judged, and how rejected rows begin; ``none`` keeps no quotes and reasons either."""

FAULTY = (Verdict.CONTRADICTED, Verdict.UNSUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """How answers are judged; pickled for the workers, which make the guard from it once.

    Attributes:
        policy: Whose threshold, deadline and actions count.
        engine: Its name, itself, or a function that makes it of the policy (where it cannot be pickled).
        at_once: Answers judged at once by one worker; more than one helps where a model is asked over the network.
        texts: See Texts.
    """

    policy: Policy
    engine: str | Engine | AsyncEngine | Callable[[Policy], Engine | AsyncEngine] = "local"
    at_once: int = 1
    texts: Texts = "faulty"

    def guard(self, threads: int = 1) -> Guard:
        """A guard whose local model runs on so many threads: there is a worker for each core."""
        made: Any = self.engine
        if callable(made) and not isinstance(made, (Engine, AsyncEngine)):
            made = made(self.policy)
        guard = Guard(policy=self.policy, engine=made)
        return replace(guard, engine=_on_threads(guard.judge, threads))

    def warm_guard(self) -> Guard:
        """A guard for a worker, its model loaded before the first batch comes."""
        guard = self.guard()
        warm_up = getattr(guard.judge, "warm_up", None)
        if callable(warm_up):
            warm_up()
        return guard


def _on_threads(engine: Any, threads: int) -> Any:
    if isinstance(engine, LocalEngine) and not engine.threads:
        return replace(engine, threads=threads)
    if isinstance(engine, CascadeEngine):
        first, second = (_on_threads(each, threads) for each in (engine.first, engine.second))
        return replace(engine, first=first, second=second)
    return engine


@dataclass(frozen=True, slots=True)
class Planned:
    """An answer to write (``new``), to judge, or both."""

    answer: LoggedAnswer
    new: bool
    judge: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Answers that are judged, and kept on disk, together. ``size``: their share of the source's (Source.size)."""

    number: int
    items: tuple[Planned, ...]
    rejected: tuple[Rejected, ...] = ()
    size: float = 0.0
    seen: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of a batch: rows by table, what was rejected, and counts (``passing``, ``spent``: tables.PASSING)."""

    number: int
    rows: Mapping[str, list[dict[str, Any]]]
    rejected: tuple[Rejected, ...]
    size: float
    seen: int
    judged: int
    passing: int = 0
    spent: int = 0
    failed: tuple[int, ...] = ()
    cost: float = 0.0
    verdicts: Mapping[str, int] = field(default_factory=dict)


def judge_batch(guard: Guard, batch: Batch, judging: Judging) -> Judged:
    """All answers of a batch; one that the guard refuses is rejected, the others stand."""
    rows = no_rows()
    rejected, failed = list(batch.rejected), []
    cost, verdicts, judged = 0.0, Counter[str](), 0
    for item, report in in_order(lambda item: (item, _report(guard, item)), batch.items, judging.at_once):
        if isinstance(report, Rejected):
            rejected.append(report)
            failed.append(item.answer.content)
            continue
        if report is not None:
            judged += 1
            verdicts[report.verdict.value] += 1
            cost += report.usage.cost or 0.0
            add_report(rows, item.answer, report, judging)
        if item.new:
            rows[ANSWERS].append(_answer_row(item.answer))
    return Judged(
        number=batch.number,
        rows=rows,
        # Here, where all that is kept comes by: whoever rejects a row need not know which texts are kept.
        rejected=tuple(replace(one, excerpt="") for one in rejected) if judging.texts == "none" else tuple(rejected),
        size=batch.size,
        seen=batch.seen,
        judged=judged,
        passing=sum(map(is_passing, rows[JUDGEMENTS])),
        spent=sum(map(is_spent, rows[JUDGEMENTS])),
        failed=tuple(failed),
        cost=cost,
        verdicts=verdicts,
    )


def _report(guard: Guard, item: Planned) -> Report | Rejected | None:
    if not item.judge:
        return None
    answer = item.answer
    try:
        return guard.check(answer.answer, answer.passages, question=answer.question)
    except ConfigurationError:  # would come again at every answer
        raise
    except Exception as error:  # whatever it is, one answer must not end the audit of the others
        reason = str(error) if isinstance(error, UsageError) else f"its check failed: {type(error).__name__}: {error}"
        return Rejected(place=answer.place, id=answer.id, reason=reason, excerpt=excerpt_of(answer.answer))


def _answer_row(answer: LoggedAnswer) -> dict[str, Any]:
    return {
        "key": answer.key,
        "id": storable(answer.id),
        "content": answer.content,
        "day": answer.day,
        "at": None if answer.at is None else round(answer.at * 1e6),
        "labels": sorted((storable(key), storable(value)) for key, value in answer.labels.items()),
        "place": storable(answer.place),
    }


def add_report(
    rows: Mapping[str, list[dict[str, Any]]], answer: LoggedAnswer, report: Report, judging: Judging
) -> None:
    """The rows of one report: its judgement, the findings that somebody may have to look at, and its documents."""
    decision, content = judging.policy.decide(report), answer.content
    shown = tuple(f for f in report.findings if f.verdict is not Verdict.SUPPORTED or f.conflict)
    faults = [f for f in report.findings if f.verdict in FAULTY]
    causes = [f.cause.value for f in report.findings if f.cause]
    texts = judging.texts == "all" or (judging.texts == "faulty" and bool(shown))
    rows[JUDGEMENTS].append(
        {
            "content": content,
            "verdict": report.verdict.value,
            "score": round(report.score, 6),
            "action": decision.action.value,
            "rule": decision.rule,
            "reason": storable(report.reason) if texts else "",
            # A passing one first, for then the answer is judged again (PASSING).
            "cause": min(causes, key=lambda cause: cause not in PASSING, default=None),
            "error_types": sorted({f.error_type.value for f in faults if f.error_type}),
            "findings": len(report.findings),
            "faults": len(faults),
            "conflicts": sum(f.conflict for f in report.findings),
            "mixed": any(f.error_type is ErrorType.MIXED_ENTITIES for f in faults),
            "passages": len(report.passages),
            "question": storable(report.question) if texts and report.question is not None else None,
            "answer": storable(report.answer) if texts else None,
            "escalated": report.usage.escalated,
            "calls": report.usage.calls,
            "cost": report.usage.cost,
        }
    )
    named = {p.id: storable(name) for p, name in zip(answer.passages, answer.documents, strict=True)}
    if judging.texts == "none":
        hidden = {
            p.id: nameless(p.text, shown=False) for p in answer.passages if named[p.id] == storable(nameless(p.text))
        }
        named |= hidden
    rows[FINDINGS].extend(_finding_row(content, f, named, texts=judging.texts != "none") for f in shown)
    for passage, document in named.items():
        cited = [f for f in report.findings if any(e.passage_id == passage for e in f.evidence)]
        rows[DOCUMENTS].append(
            {
                "content": content,
                "document": document,
                "passage": storable(passage),
                "supported": sum(f.verdict is Verdict.SUPPORTED for f in cited),
                "contradicted": sum(f.verdict is Verdict.CONTRADICTED for f in cited),
                "conflicts": sum(f.conflict for f in cited),
            }
        )


def _finding_row(content: int, finding: Finding, named: Mapping[str, str], *, texts: bool) -> dict[str, Any]:
    return {
        "content": content,
        "finding": finding.id,
        "text": storable(finding.text) if texts else None,
        "verdict": finding.verdict.value,
        "score": round(finding.score, 6),
        "error_type": finding.error_type.value if finding.error_type else None,
        "entity": storable(finding.entity) if texts and finding.entity is not None else None,
        "reason": storable(finding.reason) if texts else "",
        "cause": finding.cause.value if finding.cause else None,
        "conflict": finding.conflict,
        "evidence": [
            {
                "passage": storable(e.passage_id),
                "document": named.get(e.passage_id),
                "quote": storable(e.quote) if texts else None,
            }
            for e in finding.evidence
        ],
    }

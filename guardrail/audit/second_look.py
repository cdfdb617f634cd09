"""A second engine, on answers of which the first is unsure, until a budget is spent: where it buys most comes first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guardrail.audit.answer import LoggedAnswer
from guardrail.audit.folder import AuditFolder
from guardrail.audit.judging import Batch, Judged, Judging, Planned, judge_batch
from guardrail.audit.report.views import views
from guardrail.audit.sources import Source
from guardrail.audit.tables import JUDGEMENTS
from guardrail.engines.cascade import HIGH, LOW
from guardrail.errors import UsageError

if TYPE_CHECKING:
    from guardrail.guard import Guard

_PROBE = 16
"""Answers of the first round, which shows what one costs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLook:
    """What the second engine may spend, and on what.

    Attributes:
        guard: With the second engine; its usage must have a cost.
        judging: Policy, answers at once, texts kept.
        budget: For this audit, earlier runs included, in the currency of the engine's prices. What is in flight when
            it is spent is paid as well: at most ``judging.at_once`` answers.
        pay_again: See ``guardrail.audit.audit``.
        low: Lower end of the band of scores in which the first engine is unsure.
        high: Upper end.
    """

    guard: Guard
    judging: Judging
    budget: float
    pay_again: bool = False
    low: float = LOW
    high: float = HIGH


def looked_at(folder: AuditFolder, source: Source, look: SecondLook, base: str, fingerprint: str) -> Iterator[Judged]:
    """Batches judged by the second engine; each must be committed under ``fingerprint`` before the next is asked for.

    Raises:
        UsageError: the engine does not say what an answer costs.
    """
    spent, done = _spent(folder, fingerprint)
    waiting = ranked(folder, look, base, fingerprint)
    while waiting and spent < look.budget:
        # What cost nothing says nothing about the price; each round reads the source, so the rounds must grow.
        count = max(1, int((look.budget - spent) * done / spent)) if done and spent else max(_PROBE, done)
        chosen, waiting = set(waiting[:count]), waiting[count:]
        for batch in _batches(source, chosen, look.judging.at_once):
            judged = judge_batch(look.guard, batch, look.judging)
            rows = judged.rows[JUDGEMENTS]
            if rows and all(row["cost"] is None for row in rows):
                raise UsageError("a budget needs prices, to count what is spent: --price-in and --price-out.")
            yield judged
            spent, done = spent + judged.cost, done + judged.judged
            if spent >= look.budget:
                return


def ranked(folder: AuditFolder, look: SecondLook, base: str, fingerprint: str) -> list[int]:
    """Contents that the first engine is unsure of, by what a second verdict may mend.

    That is how near the score is to the threshold (1 at it, 0 at the far end) times the answers that it stands for.
    What the first engine could not judge counts as at the threshold; without passages there is nothing to judge.
    """
    threshold = look.judging.policy.threshold
    with views(folder, base) as connection:
        rows = connection.execute(
            """SELECT content FROM judgements
            JOIN (SELECT content, COUNT(*) times FROM answers GROUP BY 1) USING (content)
            WHERE passages > 0 AND verdict <> 'abstained' AND (verdict = 'unverified' OR score BETWEEN ? AND ?)
            ORDER BY times * CASE WHEN verdict = 'unverified' THEN 1 ELSE 1 - ABS(score - ?) / ? END DESC, content""",
            (look.low, look.high, threshold, max(threshold, 1 - threshold)),
        ).fetchall()
    known = folder.plan(fingerprint, pay_again=look.pay_again).contents
    return [content for (content,) in rows if content not in known]


def _spent(folder: AuditFolder, fingerprint: str) -> tuple[float, int]:
    with views(folder, fingerprint, alone=True) as connection:
        cost, count = connection.execute("SELECT SUM(cost), COUNT(*) FROM every_judgements").fetchone()
    return float(cost or 0.0), int(count)


def _batches(source: Source, chosen: set[int], length: int) -> Iterator[Batch]:
    items: list[Planned] = []
    found: Any
    for piece in source.pieces():
        for found, _ in source.read(piece):
            if isinstance(found, LoggedAnswer) and found.content in chosen:
                chosen.discard(found.content)
                items.append(Planned(found, new=False, judge=True))
                if len(items) >= length:
                    yield Batch(number=0, items=tuple(items))
                    items = []
            if not chosen and not items:
                return
    if items:
        yield Batch(number=0, items=tuple(items))

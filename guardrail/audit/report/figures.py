"""The figures of a report, counted by DuckDB over the whole audit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardrail.evaluation.intervals import wilson

MOST = 20
"""Rows of a list."""

_SLICE_LEAST = 5
_LABELS = 12
"""Labels with more values than MOST_VALUES are ids rather than slices."""
_MOST_VALUES = 1000


@dataclass(frozen=True, slots=True)
class Rate:
    """``bad`` of ``total`` judged answers, with Wilson's 95 % interval; ``share`` is None where nothing was judged."""

    name: str
    bad: int
    total: int
    excess: float = 0.0

    @property
    def share(self) -> float | None:
        """Of the answers, 0..1."""
        return self.bad / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float]:
        """95 %; the widest where nothing was judged."""
        return wilson(self.bad, self.total) if self.total else (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """What a report says.

    Attributes:
        answers: Logged answers that were judged.
        distinct: Different (answer, question, passages) among them.
        unjudged: Logged answers without a judgement: the run was stopped, or their check ended its process.
        verdicts: Answers by verdict.
        whole: The rate of answers that are contradicted or unsupported, among those that could be judged.
        days: The same by day, in order.
        slices: By label, and of each label by value; those with most answers too many first.
        errors: Answers by error type.
        causes: Unverified answers by cause.
        documents: Answers that were given each document, those with most bad answers too many first.
        contradicted: Findings by the document that contradicts them.
        conflicts: Findings on which passages disagree, by document.
        mixed: Answers that mix up namesakes.
        without_passages: Questions that were answered without any passage, with how often.
        worst: The worst different answers with question, findings and evidence.
        rejected: Rows that could not be audited, by reason.
        lost: How many these are.
    """

    answers: int
    distinct: int
    unjudged: int
    verdicts: Mapping[str, int]
    whole: Rate
    days: Sequence[Rate]
    slices: Mapping[str, Sequence[Rate]]
    errors: Mapping[str, int]
    causes: Mapping[str, int]
    documents: Sequence[Rate]
    contradicted: Mapping[str, int]
    conflicts: Mapping[str, int]
    mixed: int
    without_passages: Mapping[str, int]
    worst: Sequence[Mapping[str, Any]]
    rejected: Mapping[str, int]
    lost: int


def figures_of(connection: Any) -> Figures:
    """The figures of an audit, by the views of ``views``."""

    def counted(query: str) -> dict[str, int]:
        return {str(name): int(count) for name, count in connection.execute(query).fetchall()}

    def one(query: str) -> tuple[Any, ...]:
        found: tuple[Any, ...] = connection.execute(query).fetchone()
        return found

    answers, distinct, bad, known = one("SELECT COUNT(*), COUNT(DISTINCT content), SUM(bad), SUM(known) FROM judged")
    whole = Rate("all", int(bad or 0), int(known or 0))
    return Figures(
        answers=answers,
        distinct=distinct,
        unjudged=int(one("SELECT COUNT(*) FROM answers ANTI JOIN judgements USING (content)")[0]),
        verdicts=counted("SELECT verdict, COUNT(*) n FROM judged GROUP BY 1 ORDER BY n DESC, 1"),
        whole=whole,
        days=_rates(connection, "SELECT day, SUM(bad), SUM(known) FROM judged GROUP BY 1 ORDER BY 1", whole),
        slices=_slices(connection, whole),
        errors=counted(
            "SELECT e, COUNT(*) n FROM (SELECT UNNEST(error_types) e FROM judged WHERE bad = 1) "
            "GROUP BY 1 ORDER BY n DESC, 1"
        ),
        causes=counted(
            "SELECT COALESCE(cause, 'none given'), COUNT(*) n FROM judged WHERE known = 0 GROUP BY 1 ORDER BY n DESC, 1"
        ),
        documents=worst_documents(connection, whole),
        contradicted=counted(_CITED.format(what="contradicted")),
        conflicts=counted(_CITED.format(what="conflicts")),
        mixed=int(one("SELECT COUNT(*) FROM judged WHERE mixed")[0]),
        without_passages=counted(_BARE),
        worst=_worst(connection),
        rejected=counted(_REJECTED),
        lost=int(one("SELECT SUM(COALESCE(rows, 1)) FROM rejected")[0] or 0),
    )


_DOCUMENTS = f"""SELECT document, SUM(bad), SUM(known) FROM judged
    JOIN (SELECT DISTINCT content, document FROM documents) USING (content)
    GROUP BY 1 HAVING SUM(known) >= {_SLICE_LEAST} AND SUM(bad) > 0"""  # noqa: S608  a number of ours
_BARE = f"""SELECT COALESCE(question, '(question not kept)') q, COUNT(*) n FROM judged WHERE passages = 0
    GROUP BY 1 ORDER BY n DESC, 1 LIMIT {MOST}"""  # noqa: S608  a number of ours
_REJECTED = f"""SELECT regexp_replace(reason, '[0-9]+', 'N', 'g'), SUM(COALESCE(rows, 1)) n FROM rejected
    GROUP BY 1 ORDER BY n DESC, 1 LIMIT {MOST}"""  # noqa: S608  a number of ours
_CITED = f"""SELECT document, COUNT(*) n FROM judged
    JOIN (SELECT content, document, SUM({{what}}) k FROM documents GROUP BY 1, 2) USING (content)
    WHERE k > 0 GROUP BY 1 ORDER BY n DESC, 1 LIMIT {MOST}"""  # noqa: S608  a number of ours


def excess(bad: int, total: int, share: float) -> float:
    """Bad answers more than there would be at the common share: with how many one can reckon, at the lower bound.

    0 where the interval holds the common share, so a list by it is not led by what chance does to small numbers.
    """
    if not total:
        return 0.0
    low = wilson(bad, total)[0]
    return max(0.0, (low - share) * total)


def _rates(connection: Any, query: str, whole: Rate) -> list[Rate]:
    found = [(str(name), int(bad or 0), int(total or 0)) for name, bad, total in connection.execute(query).fetchall()]
    # Against all others: a slice that is most of the log would hide itself in the common rate.
    return [Rate(name, bad, total, excess(bad, total, _others(bad, total, whole))) for name, bad, total in found]


def _others(bad: int, total: int, whole: Rate) -> float:
    left = whole.total - total
    return (whole.bad - bad) / left if left > 0 else (whole.share or 0.0)


def worst_documents(connection: Any, whole: Rate | None = None) -> list[Rate]:
    """Documents that were given to bad answers, those with most bad answers too many first."""
    if whole is None:
        bad, known = connection.execute("SELECT SUM(bad), SUM(known) FROM judged").fetchone()
        whole = Rate("all", int(bad or 0), int(known or 0))
    return _worst_first(_rates(connection, _DOCUMENTS, whole))[:MOST]


def _worst_first(rates: Sequence[Rate]) -> list[Rate]:
    return sorted(rates, key=lambda r: (-r.excess, -(r.share or 0.0) * math.log1p(r.total), r.name))


def _slices(connection: Any, whole: Rate) -> dict[str, list[Rate]]:
    connection.execute(
        """CREATE TEMP TABLE slices AS
        SELECT label.key AS label, label.value AS value, SUM(bad)::BIGINT AS bad, SUM(known)::BIGINT AS known
        FROM (SELECT UNNEST(map_entries(labels)) AS label, bad, known FROM judged) GROUP BY 1, 2"""
    )
    labels = connection.execute(
        f"SELECT label FROM slices GROUP BY 1 HAVING COUNT(*) <= {_MOST_VALUES} ORDER BY 1 LIMIT {_LABELS}"  # noqa: S608
    ).fetchall()
    found = {}
    for (label,) in labels:
        rows = connection.execute("SELECT value, bad, known FROM slices WHERE label = ?", (label,)).fetchall()
        rates = [Rate(value, bad, known, excess(bad, known, _others(bad, known, whole))) for value, bad, known in rows]
        found[label] = _worst_first(rates)
    return found


def _worst(connection: Any) -> list[dict[str, Any]]:
    rows = connection.execute(
        f"""SELECT content, ANY_VALUE(verdict), ANY_VALUE(score) s, ANY_VALUE(question), ANY_VALUE(answer),
            COUNT(*) n, MIN(id)
        FROM judged WHERE bad = 1 GROUP BY content
        ORDER BY ANY_VALUE(verdict) <> 'contradicted', s, n DESC, content LIMIT {MOST}"""  # noqa: S608  a number of ours
    ).fetchall()
    names = ("content", "verdict", "score", "question", "answer", "times", "id")
    worst = [dict(zip(names, row, strict=True)) for row in rows]
    for one in worst:
        found = connection.execute(
            "SELECT text, verdict, error_type, reason, evidence FROM findings WHERE content = ? "
            "ORDER BY score, finding",
            (one["content"],),
        ).fetchall()
        names_of = ("text", "verdict", "error_type", "reason", "evidence")
        one["findings"] = [dict(zip(names_of, row, strict=True)) for row in found]
    return worst

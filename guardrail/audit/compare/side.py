"""One of the audits that are compared: its counts, and its answers by key."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from guardrail.audit.folder import AuditFolder
from guardrail.audit.report.figures import worst_documents
from guardrail.audit.report.views import chosen_fingerprint, views

Count = tuple[int, int]
"""Bad answers, and answers that could be judged."""

_MOST_VALUES = 200
"""Labels with more values are ids rather than slices."""

_SLICES = f"""WITH slices AS (SELECT label.key k, label.value v, SUM(bad)::BIGINT b, SUM(known)::BIGINT n
    FROM (SELECT UNNEST(map_entries(labels)) AS label, bad, known FROM judged) GROUP BY 1, 2)
    SELECT * FROM slices WHERE k IN (SELECT k FROM slices GROUP BY 1 HAVING COUNT(*) <= {_MOST_VALUES})
    ORDER BY 1, 2"""  # noqa: S608  a number of ours
_ERRORS = """SELECT e, COUNT(*) FROM (SELECT UNNEST(error_types) e FROM judged WHERE bad = 1) GROUP BY 1 ORDER BY 1"""
_DOCUMENTS = """SELECT document, SUM(bad)::BIGINT, SUM(known)::BIGINT FROM judged
    JOIN (SELECT DISTINCT content, document FROM documents) USING (content) GROUP BY 1 ORDER BY 1"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """An audit under one fingerprint: ``whole``, and counts by slice, error type and document.

    ``worst`` are the documents with most bad answers too many, as in the report.
    """

    folder: Path
    fingerprint: str
    engine: str
    whole: Count
    answers: int
    slices: dict[str, dict[str, Count]] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    documents: dict[str, Count] = field(default_factory=dict)
    worst: tuple[str, ...] = ()


def side_of(out: str | Path, fingerprint: str | None, answers_to: Path) -> Side:
    """The counts of an audit; its answers are written to a Parquet file with key, content, bad, known.

    Raises:
        UsageError: there is no audit, or none of that fingerprint.
        MissingExtraError: the extra ``audit`` is not installed.
    """
    with AuditFolder(out) as folder:
        chosen = chosen_fingerprint(folder, fingerprint)
        engine = folder.fingerprints()[chosen]
        with views(folder, chosen) as connection:
            target = str(answers_to).replace("'", "''")
            connection.execute(f"COPY (SELECT key, content, bad, known FROM judged) TO '{target}' (FORMAT parquet)")  # noqa: S608
            answers, bad, known = connection.execute("SELECT COUNT(*), SUM(bad), SUM(known) FROM judged").fetchone()
            return Side(
                folder=folder.path,
                fingerprint=chosen,
                engine=engine,
                whole=(int(bad or 0), int(known or 0)),
                answers=int(answers),
                slices=_slices(connection),
                errors={kind: int(n) for kind, n in connection.execute(_ERRORS).fetchall()},
                documents={name: (int(b), int(k)) for name, b, k in connection.execute(_DOCUMENTS).fetchall()},
                worst=tuple(rate.name for rate in worst_documents(connection)),
            )


def _slices(connection: Any) -> dict[str, dict[str, Count]]:
    found: dict[str, dict[str, Count]] = {}
    for label, value, bad, known in connection.execute(_SLICES).fetchall():
        found.setdefault(label, {})[value] = (int(bad), int(known))
    return found

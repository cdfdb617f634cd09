"""One row of a file as a row of the table ``records``, and as the JSON that the page shows."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Any

from guardrail.check.intake import read_passages
from guardrail.errors import UsageError
from guardrail.service.studio.recorded.source import UNCHECKED, UNCHECKED_RANK
from guardrail.telemetry.labels import KEYS
from guardrail.telemetry.records.database import storable
from guardrail.telemetry.records.record import FAULTY, KINDS, rank
from guardrail.types import Action, ErrorType, Verdict

NO_PASSAGES = (
    "A report of `guardrail check` holds the evidence that it quotes, but not the passages. Open the answers that it "
    "was made from to see them."
)
NO_ANSWER = "The file holds what was delivered. The answer is put together from what was checked of it."

_LONGEST = 200


class BadRow(UsageError):  # noqa: N818  the table's word for it
    """A row that is neither an answer nor a report."""


def identify(row: Mapping[str, Any], number: int, taken: Collection[str]) -> str:
    """The id of the row; of one without an id, or with one that was there before, its place."""
    given = row.get("id")
    ident = storable(str(given))[:_LONGEST] if isinstance(given, (str, int)) and str(given) else f"row {number + 1}"
    return ident if ident not in taken else f"{ident} (row {number + 1})"


def as_columns(row: Mapping[str, Any], ident: str) -> dict[str, Any]:
    """Values of the columns of ``records``.

    Raises:
        BadRow: it is neither an answer with passages nor a report.
    """
    checked = is_report(row)
    if not checked and not isinstance(row.get("answer"), str):
        raise BadRow("has neither an answer nor findings" if "error" not in row else f"error: {row['error']!s:.200}")
    verdict = Verdict(row["verdict"]) if checked else None
    findings = row["findings"] if checked else ()
    errors = dict.fromkeys(f["error_type"] for f in findings if f.get("error_type"))
    given = row.get("labels")
    labels: dict[str, Any] = given if isinstance(given, dict) else {}
    said = row.get("label") if row.get("label") in list(KINDS) else None
    weight, action = _number(row.get("weight"), 1.0), str(row.get("action") or "none")
    clean = verdict not in FAULTY and verdict is not Verdict.UNVERIFIED and action in (Action.ALLOW, "none")
    return {
        "id": ident,
        "at": _number(row.get("at"), 0.0),
        "verdict": UNCHECKED if verdict is None else verdict.value,
        "rank": UNCHECKED_RANK if verdict is None else rank(verdict),
        "score": _number(row.get("score"), 0.0),
        "action": action,
        "clean": clean,
        "rule": str(row.get("rule") or ""),
        "policy": str(row.get("policy") or ""),
        "engine": str(row.get("engine") or ""),
        "labels": json.dumps({key: str(labels[key]) for key in KEYS if labels.get(key)}),
        "error_types": f",{','.join(error for error in errors if error in list(ErrorType))},",
        "trace_id": row.get("trace_id") if isinstance(row.get("trace_id"), str) else None,
        "span_id": None,
        "seconds": _number(row.get("seconds"), 0.0),
        "attempts": 1,
        "exhausted": False,
        "rate": 1 / max(1.0, weight),
        "digest": blake2b(ident.encode(), digest_size=16).hexdigest(),
        "label": said,
    }


def is_report(row: Mapping[str, Any]) -> bool:
    """Whether the row says what was found, in a form that can be shown.

    Raises:
        BadRow: it has findings, and one of them cannot be shown.
    """
    findings = row.get("findings")
    if not isinstance(findings, list) or row.get("verdict") not in list(Verdict):
        return False
    for finding in findings:
        if not isinstance(finding, dict) or not _is_finding(finding):
            raise BadRow("a finding has no text, span, verdict or score")
    return True


def _is_finding(finding: Mapping[str, Any]) -> bool:
    quotes = finding.get("evidence") or ()
    return (
        isinstance(finding.get("text"), str)
        and _is_span(finding.get("span"))
        and (finding.get("focus") is None or _is_span(finding["focus"]))
        and finding.get("verdict") in list(Verdict)
        and isinstance(finding.get("score"), (int, float))
        and isinstance(finding.get("error_type"), (str, type(None)))
        and isinstance(quotes, (list, tuple))
        and all(isinstance(q, dict) and _is_span(q.get("span")) and isinstance(q.get("quote"), str) for q in quotes)
    )


def _is_span(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(type(end) is int and end >= 0 for end in value)


def as_shown(row: Mapping[str, Any], ident: str, *, checked: bool) -> dict[str, Any]:
    """The row with the keys of an exported record; ``missing`` says what is not in the file."""
    answer, findings = row.get("answer"), row.get("findings") or []
    question = row.get("question")
    missing = []
    if not isinstance(answer, str):
        answer = _put_together(row, findings)
        missing.append(NO_ANSWER)
    passages, why = _passages(row)
    if passages is None:
        passages, findings = _from_quotes(findings)
        missing.append(why)
    return {
        **{key: row.get(key) for key in _AS_THEY_ARE},
        "id": ident,
        "question": question if isinstance(question, str) else None,
        "answer": answer,
        "passages": passages,
        "verdict": row["verdict"] if checked else UNCHECKED,
        "score": row.get("score") if checked else None,
        "findings": findings if checked else [],
        "labels": row.get("labels") if isinstance(row.get("labels"), dict) else {},
        "delivered": row.get("delivered", row.get("text")) if checked else None,
        "missing": " ".join(missing) or None,
    }


_AS_THEY_ARE = (
    "at", "action", "rule", "policy", "engine", "reason", "scores", "skipped", "claims", "attempts", "exhausted",
    "trace_id", "span_id", "seconds", "weight", "label", "error_type", "finding_labels", "note", "labelled_by",
)  # fmt: skip


def _passages(row: Mapping[str, Any]) -> tuple[list[dict[str, Any]] | None, str]:
    if row.get("passages") is None:
        return (None, NO_PASSAGES) if row.get("findings") else ([], "")
    try:
        read = read_passages(
            [p if not isinstance(p, dict) or type(p.get("id")) is not int else {**p, "id": str(p["id"])}
             for p in row["passages"]]
        )  # fmt: skip
    except (UsageError, TypeError) as error:
        return None, f"The passages of this row cannot be read: {error}"
    return [{"id": p.id, "title": p.title, "text": p.text} for p in read], ""


def _put_together(row: Mapping[str, Any], findings: list[dict[str, Any]]) -> str:
    """What was delivered, if all findings point into it; else their texts at their places, spaces between them."""
    text = row.get("text")
    if isinstance(text, str) and all(text[slice(*f["span"])] == f["text"] for f in findings):
        return text
    whole = [" "] * min(1_000_000, max((f["span"][1] for f in findings), default=0))
    for finding in findings:
        start, end = finding["span"]
        if end - start == len(finding["text"]) and end <= len(whole):
            whole[start:end] = finding["text"]
    return "".join(whole)


def _from_quotes(findings: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Passages of nothing but the quotes, one below the other, and the findings with their evidence in these."""
    texts: dict[str, str] = {}
    titles: dict[str, str | None] = {}
    moved = []
    for finding in findings:
        evidence = []
        for quote in finding.get("evidence") or ():
            passage, words = str(quote.get("passage_id")), quote["quote"]
            text = texts.get(passage, "")
            place = text.find(words)
            if place < 0:
                text = f"{text}\n{words}" if text else words
                place = len(text) - len(words)
            texts[passage] = text
            titles.setdefault(passage, quote.get("title"))
            evidence.append({**quote, "passage_id": passage, "span": [place, place + len(words)]})
        moved.append({**finding, "evidence": evidence})
    return [{"id": ident, "title": titles[ident], "text": text} for ident, text in texts.items()], moved


def _number(value: object, otherwise: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return otherwise
    return float(value) if math.isfinite(value) and abs(value) < 1e12 else otherwise

"""What a reply says of the check: the field ``guardrail`` and the headers ``x-guardrail-*``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from guardrail.service.proxy.answers import Checked, Work, severest
from guardrail.types import Finding, GuardedAnswer


def told(work: Work, checks: Sequence[Checked]) -> dict[str, Any]:
    """The field ``guardrail`` of a reply.

    It holds the record of the text with the severest action, and where there are several one of each under ``choices``.
    Quotes are of the passages only; words of the answer stand in it where they are delivered.
    """
    worst = severest(checks)
    said: dict[str, Any] = {"checked": worst is not None}
    if worst is None or worst.guarded is None:
        skipped = work.skips and bool(checks)
        said |= {
            "verdict": None,
            "score": None,
            "action": "allow",
            "reason": "No passages were found in the request, and the settings let such answers pass."
            if skipped
            else "The reply holds no text to check.",
            "findings": [],
        }
    else:
        said |= _record(worst, worst.guarded)
    if len(checks) > 1:
        said["choices"] = [
            {"index": each.index, **(_record(each, each.guarded) if each.guarded is not None else {"checked": False})}
            for each in checks
        ]
    said["passages"] = [each.record() for each in work.evidence.found]
    if work.evidence.ignored:
        said["ignored"] = [each.record() for each in work.evidence.ignored]
    if not work.evidence.found and "reason" in said and not said["reason"]:
        said["reason"] = "No passages were found in the request."
    return said


def told_headers(work: Work, checks: Sequence[Checked]) -> list[tuple[bytes, bytes]]:
    """The headers of a reply whose check is done."""
    worst = severest(checks)
    guarded = worst.guarded if worst is not None else None
    seconds = sum(each.seconds for each in checks)
    said = {
        "verdict": guarded.report.verdict.value if guarded is not None else "not_checked",
        "action": guarded.action.value if guarded is not None else "allow",
        "milliseconds": f"{seconds * 1_000:.1f}",
        "passages": str(len(work.evidence.found)),
    }
    return [(f"x-guardrail-{name}".encode(), value.encode()) for name, value in said.items()]


def _record(checked: Checked, guarded: GuardedAnswer) -> dict[str, Any]:
    record = guarded.to_dict()
    found = {each.id: each for each in guarded.report.findings}
    shown = "" if checked.blocked else checked.text if checked.observed else guarded.text
    return {
        **({"observed": True} if checked.observed else {}),
        "verdict": record["verdict"],
        "score": record["score"],
        "action": record["action"],
        "reason": record["reason"],
        "policy": record["policy"],
        "rule": record["rule"],
        "attempts": record["attempts"],
        "milliseconds": round(checked.seconds * 1_000, 1),
        "findings": [_finding(each, found[each["id"]], shown) for each in record["findings"]],
    }


def _finding(record: dict[str, Any], finding: Finding, shown: str) -> dict[str, Any]:
    """With the words of the passages, and with its own where the reader has them."""
    titles = {each["passage_id"]: each["title"] for each in record["evidence"]}
    evidence = [
        {"passage_id": e.passage_id, "title": titles.get(e.passage_id), "span": list(e.span), "quote": e.quote}
        for e in finding.evidence
    ]
    text = {"text": finding.text} if finding.text in shown else {}
    return {**record, **text, "evidence": evidence}

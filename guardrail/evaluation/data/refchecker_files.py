"""RefChecker's file format (amazon-science/RefChecker, command line of v0.1 and v0.2): items in, items out. Pure.

A file is a JSON list of items: ``response``, ``question``, ``claims`` or ``triplets``, and ``reference`` (a text, or a
list of them). What else an item has is kept, in its order. RefChecker's labels are Entailment, Neutral, Contradiction
and Abstain; what nobody could judge is "Unverified", which it does not know: as Neutral an outage would look like data.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from guardrail.check.contract import Draft
from guardrail.check.intake import ClaimLike
from guardrail.check.verdicts import major, soft, strict
from guardrail.errors import UsageError
from guardrail.types import ClaimFinding, Report, Verdict

LABELS = {
    Verdict.SUPPORTED: "Entailment",
    Verdict.UNSUPPORTED: "Neutral",
    Verdict.CONTRADICTED: "Contradiction",
    Verdict.UNVERIFIED: "Unverified",
    Verdict.ABSTAINED: "Abstain",
}


class Aggregator(StrEnum):
    """How labels of claims become that of the response."""

    STRICT = "strict"
    SOFT = "soft"
    MAJOR = "major"


class _Form(BaseModel):
    model_config = ConfigDict(extra="ignore", strict=True)

    response: str
    question: str | None = None
    claims: list[Any] | None = None
    triplets: list[Any] | None = None
    reference: str | list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item. ``raw`` is all of it as read; ``claims`` and ``references`` are None where it has none."""

    raw: dict[str, Any]
    response: str
    question: str | None
    claims: tuple[ClaimLike, ...] | None
    references: tuple[str, ...] | None


def read_items(text: str, name: str) -> list[Any]:
    """The items of a file, not yet looked at; a single object is a list of one.

    Raises:
        UsageError: the text is not JSON, or neither a list nor an object.
    """
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{name} is not valid JSON: {error}. RefChecker's files are one JSON list.") from error
    if not isinstance(items, (list, dict)):
        raise UsageError(f"{name} must hold a JSON list of items, got {type(items).__name__}.")
    return items if isinstance(items, list) else [items]


def read_item(raw: object) -> Item:
    """One item. Of ``claims`` and ``triplets`` the first that has any counts; lists in lists are one (its issue 18).

    Raises:
        UsageError: says which field is wrong.
    """
    if not isinstance(raw, dict):
        raise UsageError(f"must be a JSON object, got {type(raw).__name__}")
    if "response" not in raw:
        raise UsageError(f"has no 'response'; its keys are {sorted(map(str, raw))}")
    try:
        form = _Form.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"][:1])
        raise UsageError(f"{where}: {first['msg'].lower()}, got {first['input']!r:.60}") from error
    claims = form.claims if form.claims or form.triplets is None else form.triplets
    references = [form.reference] if isinstance(form.reference, str) else form.reference
    return Item(
        raw=raw,
        response=form.response,
        question=form.question,
        claims=None if claims is None else tuple(_flat(claims)),
        references=None if references is None else tuple(references),
    )


def _flat(claims: Sequence[Any]) -> list[ClaimLike]:
    """Texts and triplets in order, out of whatever lists they stand in; the guard refuses what is neither."""
    flat: list[ClaimLike] = []
    for claim in claims:
        if isinstance(claim, list) and (not claim or any(isinstance(part, list) for part in claim)):
            flat.extend(_flat(claim))
        else:
            flat.append(claim)
    return flat


def extracted(raw: dict[str, Any], draft: Draft) -> dict[str, Any]:
    """The item with what it claims: ``triplets`` where the engine makes triplets, else ``claims``; and ``spans``.

    ``spans`` are stretches of the response, [start, end] or null, in the order of the claims. ``reason`` is there where
    the engine failed and the rules took the response apart. Claims and an ``error`` of an earlier run are left out.
    """
    claims = [claim for segment in draft.parts.segments for claim in segment.claims]
    spans = [list(claim.span) if claim.span else None for claim in claims]
    listed = [list(claim.triplet) if claim.triplet else claim.text for claim in claims]
    name = "triplets" if claims and all(claim.triplet for claim in claims) else "claims"
    # Claims of an earlier run beside triplets of this one would be the ones that are checked.
    kept = {key: value for key, value in raw.items() if key == name or key not in ("claims", "triplets", "error")}
    reason = {"reason": draft.reason} if draft.reason else {}
    return kept | reason | {name: listed, "spans": spans}


def checked(raw: dict[str, Any], report: Report, aggregator: Aggregator) -> dict[str, Any]:
    """The item with its labels.

    ``Y`` and ``ys`` as RefChecker writes them; an answer without claims is Abstain. ``ys_by_reference`` for several
    references: a list per claim, "Unverified" where a reference was not read. ``spans``: see ``extracted``.
    ``evidence``: per claim, {"reference": its place from 0, "span", "quote"}. ``reasons``: why, per claim.
    """
    found = {claim.segment_id: claim for claim in report.claims}
    claims = [found.get(finding.id) for finding in report.findings]
    place = {passage.id: number for number, passage in enumerate(report.passages)}
    if not report.findings and report.verdict is not Verdict.ABSTAINED:
        whole: object = LABELS[report.verdict]
    else:
        whole = _aggregate([finding.verdict for finding in report.findings], aggregator)
    kept = {key: value for key, value in raw.items() if key != "error"}  # of an earlier run
    result = kept | {"Y": whole, "ys": [LABELS[finding.verdict] for finding in report.findings]}
    if len(report.passages) > 1:
        result["ys_by_reference"] = [_by_reference(claim, len(report.passages)) for claim in claims]
    if report.retrieved:
        result["reference"] = [passage.text for passage in report.passages]
    result["spans"] = [list(claim.span) if claim is not None and claim.span else None for claim in claims]
    result["evidence"] = [
        [{"reference": place[e.passage_id], "span": list(e.span), "quote": e.quote} for e in finding.evidence]
        for finding in report.findings
    ]
    result["reasons"] = [finding.reason for finding in report.findings]
    return result


def _by_reference(claim: ClaimFinding | None, references: int) -> list[str]:
    if claim is None:
        return [LABELS[Verdict.UNVERIFIED]] * references
    return [LABELS[verdict] for _, verdict in claim.by_passage]


def _aggregate(verdicts: Sequence[Verdict], aggregator: Aggregator) -> object:
    """A label, or with ``soft`` the share of each."""
    if aggregator is Aggregator.SOFT:
        return {name.capitalize(): share for name, share in soft(verdicts)._asdict().items()}
    return LABELS[(strict if aggregator is Aggregator.STRICT else major)(verdicts)]

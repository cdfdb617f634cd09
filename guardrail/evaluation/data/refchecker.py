"""RefChecker's files (amazon-science/RefChecker, v0.1 and v0.2): human annotations, and its command line's items.

Annotations: ``<set>_<model>_answers.json`` is a list of ``{"id", "response", "claude2_response_kg": [{"triplet",
"human_label"}]}``. Questions and references are in ``<set>.json``, a list of ``{"id", "question", "context"}`` that
RefChecker's ``benchmark/data/gather_benchmark_data.py`` makes; rows that carry both themselves need no such file.
Each triplet is a claim. Each response is an answer as well, with the strict label (one Contradiction: contradicted;
all Entailment: supported; no triplets: abstained; else unsupported).

Items: a JSON list of ``response``, ``question``, ``claims`` or ``triplets``, and ``reference`` (a text, or a list of
them), which comes out with its labels. What else an item has is kept, in its order. RefChecker's labels are Entailment,
Neutral, Contradiction and Abstain; what could not be judged is "Unverified", which it does not know: as Neutral an
outage would look like data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from guardrail.check.contract import Draft
from guardrail.check.intake import ClaimLike
from guardrail.check.verdicts import major, soft, strict
from guardrail.errors import UsageError
from guardrail.evaluation.data.files import json_document, json_objects, labelled, stem
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import (
    BadRow,
    Row,
    RowError,
    id_field,
    optional_text,
    passages_field,
    read_label,
    text_field,
)
from guardrail.types import ClaimFinding, Passage, Report, Verdict

_CLAIMS = "_response_kg"
_REPOSITORY_DEPTH = 2  # benchmark/human_annotations_v1/<setting>/ -> benchmark/
LABELS = {
    Verdict.SUPPORTED: "Entailment",
    Verdict.UNSUPPORTED: "Neutral",
    Verdict.CONTRADICTED: "Contradiction",
    Verdict.UNVERIFIED: "Unverified",
    Verdict.ABSTAINED: "Abstain",
}


def claims_key(row: Mapping[str, Any]) -> str | None:
    """The key under which a row holds its claims (it starts with the extractor's name)."""
    return next((key for key in row if key.endswith(_CLAIMS)), None)


def is_context(rows: object) -> bool:
    """Whether a JSON value is a file of questions and references rather than of annotations."""
    return (
        isinstance(rows, list)
        and bool(rows)
        and isinstance(rows[0], dict)
        and {"id", "question", "context"} <= rows[0].keys()
        and "response" not in rows[0]
    )


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Answers and claims of one annotation file.

    Raises:
        UsageError: the file with the questions and references is not found.
    """
    rows = json_document(path)
    contexts = _contexts(path, rows)
    yield from labelled(path, json_objects(path, rows), lambda row, number: _answers(row, number, contexts, stem(path)))


def beside(path: Path) -> tuple[Path, ...]:
    """Where the questions and references may be."""
    name = f"{path.name.split('_')[0]}.json"
    places = [path.with_name(name), path.parent.parent / name]
    if len(path.parents) > _REPOSITORY_DEPTH:
        benchmark = path.parents[_REPOSITORY_DEPTH]
        places.append(benchmark / "data" / path.parent.name / name)
    return tuple(places)


def _contexts(path: Path, rows: object) -> dict[str, Row]:
    """Question and reference by id: from the rows themselves, or from ``<set>.json`` near the file."""
    if isinstance(rows, list) and all(isinstance(row, dict) and "context" in row for row in rows):
        return {str(row.get("id")): row for row in rows}
    places = beside(path)
    for place in places:
        if place.is_file():
            return {str(row["id"]): row for row in json_document(place) if isinstance(row, dict) and "id" in row}
    raise UsageError(
        f"{str(path)!r} has labels, but no questions and references. Make {places[0].name!r} with RefChecker's "
        f"benchmark/data/gather_benchmark_data.py and put it in one of: {', '.join(map(repr, map(str, places)))}."
    )


def _answers(row: Row, number: int, contexts: Mapping[str, Row], dataset: str) -> list[LabelledAnswer]:
    ident = id_field(row, number)
    context = contexts.get(ident)
    if context is None:
        raise RowError(f"no question and reference with the id {ident!r}")
    response = text_field(row, "response")
    passages = _passages(context)
    question = optional_text(context, "question")
    claims = row.get(claims_key(row) or "") or []
    if not isinstance(claims, list):
        raise RowError(f"the claims must be a list, got {claims!r:.60}")
    read_claims = [_claim(claim, place) for place, claim in enumerate(claims, 1)]

    def labelled(ident: str, text: str, label: Verdict, part_of: str) -> LabelledAnswer:
        return LabelledAnswer(
            id=ident,
            answer=text,
            passages=passages,
            label=label,
            question=question,
            dataset=dataset,
            group=str(context.get("id")),
            claim=bool(part_of),
            part_of=part_of,
        )

    whole = labelled(
        ident,
        response,
        strict(Verdict.UNSUPPORTED if said is Verdict.ABSTAINED else said for _, said in read_claims),
        "",
    )
    parts = [labelled(f"{ident}/{place}", text, label, ident) for place, (text, label) in enumerate(read_claims, 1)]
    return [whole, *parts]


def _passages(context: Row) -> tuple[Passage, ...]:
    value = context.get("context")
    return passages_field({"context": [value] if isinstance(value, str) else value}, "context")


def _claim(claim: object, place: int) -> tuple[str, Verdict]:
    """A triplet written as a sentence, with its label."""
    if not isinstance(claim, dict):
        raise RowError(f"claim {place} must be an object, got {claim!r:.60}")
    content = claim.get("triplet", claim.get("claim"))
    parts = [content] if isinstance(content, str) else content
    if not isinstance(parts, list) or not parts or not all(isinstance(part, str) for part in parts):
        raise RowError(f"claim {place}: 'triplet' must be [head, relation, tail], got {content!r:.80}")
    text = " ".join(part.strip() for part in parts if part.strip())
    if not text:
        raise RowError(f"claim {place} is empty")
    return text if text[-1] in ".!?。！？" else f"{text}.", read_label(claim.get("human_label"), "human_label")


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

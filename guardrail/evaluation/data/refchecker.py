"""RefChecker's human annotations (amazon-science/RefChecker, ``benchmark/human_annotations_v1``).

A file ``<setting>/<set>_<model>_answers.json`` is a list of ``{"id", "response", "claude2_response_kg": [{"triplet",
"human_label"}]}``. Questions and references are in ``<set>.json``, a list of ``{"id", "question", "context"}`` that
RefChecker's ``benchmark/data/gather_benchmark_data.py`` makes; rows that carry both themselves need no such file.

Each triplet is a claim. Each response is an answer as well, with the strict label (one Contradiction: contradicted;
all Entailment: supported; no triplets: abstained; else unsupported).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from guardrail.errors import UsageError
from guardrail.evaluation.files import json_document, json_objects, labelled, stem
from guardrail.evaluation.labelled import LabelledAnswer
from guardrail.evaluation.row import (
    BadRow,
    Row,
    RowError,
    id_field,
    optional_text,
    passages_field,
    read_label,
    text_field,
)
from guardrail.types import Passage, Verdict

_CLAIMS = "_response_kg"
_REPOSITORY_DEPTH = 2  # benchmark/human_annotations_v1/<setting>/ -> benchmark/


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

    whole = labelled(ident, response, strict_label([label for _, label in read_claims]), "")
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


def strict_label(labels: list[Verdict]) -> Verdict:
    """RefChecker's strict aggregation of claim labels."""
    if not labels:
        return Verdict.ABSTAINED
    if Verdict.CONTRADICTED in labels:
        return Verdict.CONTRADICTED
    return Verdict.SUPPORTED if set(labels) == {Verdict.SUPPORTED} else Verdict.UNSUPPORTED

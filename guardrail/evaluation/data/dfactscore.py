"""AmbigBio results: ``<run>_factscore_output.json`` of D-FActScore, with ALCE's ``<run>.json``.

The repository is d223302/Merging-Facts-Crafting-Fallacies.
The first holds, per answer, ``decisions`` (FActScore: supported by any individual's page) and ``global_decisions``
(D-FActScore: by the page of the individual that the fact's group is about), both lists of ``{"atom", "is_supported"}``
or null for an answer that declines. The second holds ``{"data": [{"question", "output", "docs"}]}`` in the same order;
it is looked for beside the first and in ``../alce_output``.

The labels are ChatGPT's, not a person's, and were made from whole pages rather than the five passages. Each fact that
D-FActScore graded is a claim. Each paragraph is an answer: supported where all its facts are; ``mixed`` where a fact
holds for some individual but not for the one it is told of.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from guardrail.errors import UsageError
from guardrail.evaluation.data.files import json_document
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import BadRow, Row, RowError, optional_text, passages_field, text_field
from guardrail.types import ErrorType, Verdict

ENDING = "_factscore_output.json"
_KEYS = ("decisions", "global_decisions")


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Answers and claims of one result file.

    Raises:
        UsageError: the file is of another shape, or ALCE's file with paragraphs and passages is not found or shorter.
    """
    result = json_document(path)
    if not isinstance(result, dict) or not all(isinstance(result.get(key), list) for key in _KEYS):
        raise UsageError(f"{str(path)!r} must hold the lists {' and '.join(map(repr, _KEYS))}.")
    run = _run(path)
    anywhere, linked = (result[key] for key in _KEYS)
    paragraphs = _paragraphs(path)
    if not len(anywhere) == len(linked) <= len(paragraphs):
        raise UsageError(
            f"{str(path)!r} has {len(anywhere)} and {len(linked)} decisions, "
            f"and {run}.json {len(paragraphs)} paragraphs: they do not belong together."
        )
    for number, (paragraph, some, own) in enumerate(zip(paragraphs, anywhere, linked, strict=False), 1):
        try:
            yield from _answers(paragraph, some, own, number, run)
        except RowError as error:
            yield BadRow(path, number, str(error))


def beside(path: Path) -> tuple[Path, ...]:
    """Where the paragraphs and passages may be."""
    name = f"{_run(path)}.json"
    return path.with_name(name), path.parent.parent / "alce_output" / name


def _run(path: Path) -> str:
    return path.name.removesuffix(ENDING)


def _paragraphs(path: Path) -> list[Row]:
    places = beside(path)
    for place in places:
        if place.is_file():
            document = json_document(place)
            data = document.get("data") if isinstance(document, dict) else None
            if not isinstance(data, list):
                raise UsageError(f"{str(place)!r} must hold the list 'data', as ALCE writes it.")
            return data
    raise UsageError(
        f"{str(path)!r} has labels, but no paragraphs and passages. Put ALCE's output at "
        f"{' or '.join(repr(str(place)) for place in places)}."
    )


def _answers(row: Row, anywhere: object, linked: object, number: int, run: str) -> Iterator[LabelledAnswer]:
    if not isinstance(row, dict):
        raise RowError(f"the paragraph must be an object, got {row!r:.60}")
    text = text_field(row, "output")
    passages = passages_field(row, "docs")
    question = optional_text(row, "question")
    name = str(number)
    some, own = _facts(anywhere, "decisions"), _facts(linked, "global_decisions")
    mixed = None if own is None else any(not good and (some or {}).get(atom, False) for atom, good in own.items())
    label = Verdict.ABSTAINED if own is None else _label(bool(own) and all(own.values()))

    def labelled(ident: str, text: str, label: Verdict, part_of: str, mixed: bool | None) -> LabelledAnswer:
        return LabelledAnswer(
            id=ident,
            answer=text,
            passages=passages,
            label=label,
            question=question,
            error_type=ErrorType.MIXED_ENTITIES if mixed else None,
            error_name=ErrorType.MIXED_ENTITIES.value if mixed else None,
            mixed=mixed,
            dataset=run,
            group=question or name,
            claim=bool(part_of),
            part_of=part_of,
        )

    yield labelled(name, text, label, "", mixed)
    for place, (atom, good) in enumerate((own or {}).items(), 1):
        yield labelled(f"{name}/{place}", atom, _label(good), name, None)


def _label(good: bool) -> Verdict:
    return Verdict.SUPPORTED if good else Verdict.UNSUPPORTED


def _facts(value: object, where: str) -> dict[str, bool] | None:
    """Facts with whether they are supported; None for an answer that declines."""
    if value is None:
        return None
    facts: dict[str, bool] = {}
    for item in value if isinstance(value, list) else [value]:
        if not isinstance(item, dict) or not isinstance(item.get("is_supported"), bool):
            raise RowError(f"{where!r} must hold objects with 'atom' and 'is_supported', got {item!r:.80}")
        facts[text_field(item, "atom")] = item["is_supported"]
    return facts

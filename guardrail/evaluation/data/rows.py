"""One row of a labelled file: its fields, checked as they are read, and what is said of a row that is wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail.check.intake import read_passages
from guardrail.errors import UsageError, did_you_mean
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.types import ErrorType, Passage, Span, Verdict

Row = Mapping[str, Any]

_LABELS = {
    **{label.value: label for label in Verdict if label is not Verdict.UNVERIFIED},
    "entailment": Verdict.SUPPORTED,
    "contradiction": Verdict.CONTRADICTED,
    "neutral": Verdict.UNSUPPORTED,
    "abstain": Verdict.ABSTAINED,
}
_HAN = re.compile(r"[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_ERROR_TYPES = {kind.value: kind for kind in ErrorType}


class RowError(ValueError):
    """What is wrong with a row: field and value."""


@dataclass(frozen=True, slots=True)
class BadRow:
    """A row that could not be read; ``line`` is its line (JSONL, CSV) or its place in the list (JSON), from 1."""

    file: Path
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.file}, row {self.line}: {self.problem}"


def text_field(row: Row, key: str) -> str:
    """A text with at least one visible character."""
    value = row.get(key)
    if not isinstance(value, str):
        raise RowError(f"has no text {key!r}; its keys are {sorted(map(str, row))}")
    if not value.strip():
        raise RowError(f"{key!r} is empty")
    return value


def optional_text(row: Row, key: str) -> str | None:
    """A text, or None where the key is missing, null or empty."""
    value = row.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise RowError(f"{key!r} must be a text or null, got {value!r:.60}")
    return value if value.strip() else None


def id_field(row: Row, line: int, key: str = "id") -> str:
    """The row's id; its line number where it has none."""
    value = row.get(key)
    if value is None or value == "":
        return f"line {line}"
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise RowError(f"{key!r} must be a text or a whole number, got {value!r:.60}")
    return str(value)


def passages_field(row: Row, key: str = "passages") -> tuple[Passage, ...]:
    """Passages given as texts or as objects with ``text`` and optionally ``id`` and ``title``; ids are unique."""
    value = row.get(key)
    if not isinstance(value, list):
        raise RowError(f"{key!r} must be a list of passages, got {value!r:.60}")
    try:
        return read_passages([_passage(item, f"{key}[{number}]") for number, item in enumerate(value)])
    except UsageError as error:  # two passages with one id
        raise RowError(str(error)) from error


def _passage(item: object, where: str) -> Passage:
    if isinstance(item, str):
        return Passage(text=item)
    if not isinstance(item, dict) or not isinstance(item.get("text"), str):
        raise RowError(f"{where} must be a text or an object with 'text', got {item!r:.60}")
    title = item.get("title")
    ident = item.get("id")
    return Passage(
        text=item["text"],
        id="" if ident is None else str(ident),
        title=title if isinstance(title, str) and title else None,
    )


def label_field(row: Row, key: str = "label") -> Verdict:
    """A verdict in our words or RefChecker's (Entailment, Neutral, Contradiction, Abstain)."""
    return read_label(row.get(key), key)


def read_label(value: object, where: str) -> Verdict:
    """The verdict that a word stands for; any case."""
    found = _LABELS.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        hint = did_you_mean(str(value), _LABELS) if isinstance(value, str) else f"Known: {', '.join(_LABELS)}."
        raise RowError(f"{where!r} is {value!r:.60}, which is no label. {hint}")
    return found


def read_spans(value: object, text: str, where: str) -> tuple[Span, ...]:
    """Stretches of ``text``: null, one ``[start, end]``, or a list of them."""
    if value is None:
        return ()
    if not isinstance(value, list):
        raise RowError(f"{where!r} must be a list of [start, end], got {value!r:.60}")
    pairs = [value] if value and all(isinstance(part, int) for part in value) else value
    return tuple(read_span(pair, text, where) for pair in pairs)


def read_span(pair: object, text: str, where: str) -> Span:
    """One ``[start, end]`` that lies inside ``text`` and is not empty."""
    if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
        raise RowError(f"{where!r} must hold [start, end], got {pair!r:.60}")
    start, end = pair
    if not (_is_offset(start) and _is_offset(end) and 0 <= start < end <= len(text)):
        raise RowError(f"{where!r} has [{start!r}, {end!r}], which is no stretch of a text of {len(text)} characters")
    return Span(start, end)


def _is_offset(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def error_type(name: str | None) -> ErrorType | None:
    """Our error type of that name; None where the data uses a word of its own."""
    plain = (name or "").strip().lower().replace(" ", "_").replace("-", "_").removesuffix("_error")
    return _ERROR_TYPES.get(plain)


def language(text: str) -> str:
    """Of a text whose data do not name it: ``zh`` where at least three letters in ten are Chinese, else ``en``."""
    letters = len(_LETTER.findall(text))
    return "zh" if letters and len(_HAN.findall(text)) >= 0.3 * letters else "en"


def read_answer(
    row: Row, number: int, dataset: str, *, text: str = "answer", spans: str = "error_spans", group: str = "group"
) -> LabelledAnswer:
    """The fields that all row formats share; the arguments name the keys of text, wrong stretches and group."""
    answer = text_field(row, text)
    ident = id_field(row, number)
    name = optional_text(row, "error_type")
    question = optional_text(row, "question")
    return LabelledAnswer(
        id=ident,
        answer=answer,
        passages=passages_field(row),
        label=label_field(row),
        question=question,
        error_type=error_type(name),
        error_name=name,
        error_spans=read_spans(row.get(spans), answer, spans),
        lang=optional_text(row, "lang") or language(answer),
        dataset=dataset,
        group=optional_text(row, group) or question or ident,
    )

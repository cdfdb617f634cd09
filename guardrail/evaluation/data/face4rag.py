"""Face4RAG's CSV: columns ``question, ref, answer, id``, a label and perhaps an error type.

Source: Face4RAG (KDD'24), section 3.

``ref`` is one reference text. Labels are 1 / 0, true / false, yes / no, or consistent / inconsistent and the Chinese
words for them. Error types may be written out or as in the paper's tables (KCont., LOver. ...).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

from guardrail.errors import UsageError
from guardrail.evaluation.data.files import is_utf8, opened, stem
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import BadRow, RowError, error_type, id_field, language, optional_text, text_field
from guardrail.types import ErrorType, Passage, Verdict

NEEDED = frozenset({"question", "ref", "answer"})
LABELS = (
    "label",
    "human_label",
    "gt_label",
    "gold_label",
    "consistency",
    "consistent",
    "is_consistent",
    "factual_consistency",
)
TYPES = ("error_type", "type", "error", "category")

_SUPPORTED = frozenset("1 1.0 true yes consistent supported factual 一致 事实一致 正确 是".split())
_WRONG = frozenset(
    "0 0.0 false no inconsistent unsupported nonfactual non-factual hallucinated 不一致 事实不一致 错误 否".split()
)
_ABBREVIATIONS = {
    "hallu": ErrorType.HALLUCINATION,
    "kcont": ErrorType.CONTRADICTION,
    "kinve": ErrorType.ENTITY_INVERSION,
    "kconf": ErrorType.CONFLATION,
    "kconc": ErrorType.CONCEPTUAL_SUBSTITUTION,
    "lover": ErrorType.OVERGENERALIZATION,
    "lcaus": ErrorType.CAUSAL_CONFUSION,
    "lconf": ErrorType.SUFFICIENT_NECESSARY,
    "lincl": ErrorType.INCLUSION_RELATION,
    "lothe": ErrorType.OTHER_LOGIC,
}
_FIELD_LIMIT = 16 * 1024 * 1024


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """Rows of the file.

    Raises:
        UsageError: a column is missing; the message names those that are there.
    """
    csv.field_size_limit(_FIELD_LIMIT)
    with opened(path, newline="") as handle:
        rows = csv.DictReader(handle)
        label = _label_column(path, rows.fieldnames or ())
        while True:
            try:
                row = next(rows, None)
            except csv.Error as error:
                yield BadRow(path, rows.line_num, f"is not valid CSV: {error}")
                continue
            if row is None:
                return
            try:
                yield _answer(_plain(row), rows.line_num, label, stem(path))
            except RowError as error:
                yield BadRow(path, rows.line_num, str(error))


def _label_column(path: Path, columns: object) -> str:
    names = [_key(name) for name in columns] if isinstance(columns, (list, tuple)) else []
    missing = sorted(NEEDED - set(names))
    found = next((name for name in LABELS if name in names), None)
    if missing or found is None:
        what = f"columns {missing}" if missing else f"a label column (one of {', '.join(LABELS)})"
        raise UsageError(f"{str(path)!r} lacks {what}; it has {names}. Rename yours and try again.")
    return found


def _key(name: object) -> str:
    return str(name).strip().lower()


def _plain(row: dict[str | None, object]) -> dict[str, object]:
    if None in row:
        raise RowError(f"has more fields than there are columns: {row[None]!r:.60}")
    plain = {_key(name): value for name, value in row.items()}
    if any(isinstance(value, str) and not is_utf8(value) for value in plain.values()):
        raise RowError("is not UTF-8 text")
    return plain


def _answer(row: dict[str, object], line: int, label: str, dataset: str) -> LabelledAnswer:
    answer = text_field(row, "answer")
    ref = optional_text(row, "ref")
    question = optional_text(row, "question")
    verdict = _verdict(row.get(label), label)
    name = next((text for key in TYPES if (text := optional_text(row, key))), None)
    kind = None if verdict is Verdict.SUPPORTED else _error_type(name)
    return LabelledAnswer(
        id=id_field(row, line),
        answer=answer,
        passages=(Passage(text=ref, id="1"),) if ref else (),
        label=Verdict.CONTRADICTED if kind is ErrorType.CONTRADICTION else verdict,
        question=question,
        error_type=kind,
        error_name=None if verdict is Verdict.SUPPORTED else name,
        lang=language(answer),
        dataset=dataset,
        group=question or id_field(row, line),
    )


def _verdict(value: object, where: str) -> Verdict:
    word = str(value).strip().lower() if value is not None else ""
    if word in _SUPPORTED:
        return Verdict.SUPPORTED
    if word in _WRONG:
        return Verdict.UNSUPPORTED
    raise RowError(f"{where!r} is {value!r:.40}, which is no label. Known: 1, true, consistent, 0, false, inconsistent")


def _error_type(name: str | None) -> ErrorType | None:
    short = (name or "").strip().lower().rstrip(".")
    return _ABBREVIATIONS.get(short) or error_type(name)

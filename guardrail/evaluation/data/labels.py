"""Label files: what people said of sentences of answers, a line each, in the order in which they said it.

The studio appends to them and never changes a line, so that no label is lost. ``{"format": "guardrail-labels"}`` comes
first, an ``answer`` with its texts before its first label, then a ``label`` for each word of a person; a later one of
the same person about the same sentence replaces the earlier one.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from pathlib import Path

from guardrail.evaluation.data.files import json_lines, stem
from guardrail.evaluation.data.label_rows import FORMAT, add_row
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.data.rows import BadRow, Row, RowError
from guardrail.evaluation.labels import RANDOM, Labels, agreed, answers, differ

_log = logging.getLogger(__name__)


def is_labels(rows: Iterable[Row]) -> bool:
    """Whether these first rows are of a label file."""
    return any(row.get("format") == FORMAT for row in rows)


def read(path: Path) -> Iterator[LabelledAnswer | BadRow]:
    """One labelled answer for each that people agree on; the log says how many they do not, and how they were drawn."""
    labels = Labels()
    for number, row in json_lines(path):
        if isinstance(row, BadRow):
            yield row
            continue
        try:
            add_row(labels, row)
        except RowError as error:
            yield BadRow(path, number, str(error))
    _say(path, labels)
    yield from answers(labels, stem(path))


def _say(path: Path, labels: Labels) -> None:
    apart = sum(differ(item, labels.now.get(ident, {})) for ident, item in labels.items.items())
    if apart:
        _log.warning("%s: %d answers left out: people differ on them. Settle them in the studio.", path, apart)
    picked = [item for ident, item in labels.items.items() if agreed(item, labels.now.get(ident, {}))]
    sampled = sum(item.drawn == RANDOM for item in picked)
    if 0 < sampled < len(picked):
        _log.warning(
            "%s: only %d of %d labelled answers were drawn at random. The others were picked (the worst, say), so that "
            "rates and guarantees over all of them do not hold for your traffic.", path, sampled, len(picked),
        )  # fmt: skip

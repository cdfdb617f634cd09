"""Files of labelled rows, and what is read of them."""

from __future__ import annotations

import gzip
import json

from guardrail.evaluation import read_labelled


def write_lines(path, rows):
    text = "".join((row if isinstance(row, str) else json.dumps(row, ensure_ascii=False)) + "\n" for row in rows)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


def read(path):
    bad = []
    return list(read_labelled(path, on_bad=bad.append)), bad


PLAIN = {
    "id": "a",
    "question": "When?",
    "answer": "It opened in 1931.",
    "passages": ["It opened in 1931."],
    "label": "supported",
}

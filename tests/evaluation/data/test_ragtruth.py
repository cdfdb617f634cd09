"""RAGTruth's pair of files."""

from __future__ import annotations

import pytest

from guardrail.errors import UsageError
from guardrail.types import Verdict
from tests.support.labelled_files import read, write_lines

SOURCES = [
    {
        "source_id": "1",
        "task_type": "QA",
        "source_info": {"question": "Beets?", "passages": "passage 1:Wash beets.\n\npassage 2:Salt.\n\n"},
    },
    {"source_id": "2", "task_type": "Summary", "source_info": "The court met. It ruled."},
    {
        "source_id": "3",
        "task_type": "Data2txt",
        "source_info": {
            "name": "Corner Café",
            "hours": {"Monday": "9-17"},
            "attributes": {"WiFi": None, "OutdoorSeating": True},
            "review_info": [{"review_stars": 1.0, "review_text": "Cold soup."}],
        },
    },
]


def response(ident, source, text, labels=(), quality="good"):
    return {
        "id": ident,
        "source_id": source,
        "labels": list(labels),
        "split": "test",
        "quality": quality,
        "response": text,
    }


def test_ragtruth_pair(tmp_path):
    span = {"start": 0, "end": 4, "text": "Boil", "label_type": "Evident Conflict"}
    baseless = {**span, "label_type": "Subtle Baseless Info"}
    responses = [
        response("a", "1", "Boil beets.", [baseless, span]),
        response("b", "1", "Wash beets."),
        response("c", "1", "Unable to answer.", quality="incorrect_refusal"),
        response("d", "2", "They met.", [baseless]),
        response("e", "3", "It has seats outside."),
        response("f", "9", "Orphan."),
    ]
    write_lines(tmp_path / "source_info.jsonl", SOURCES)
    write_lines(tmp_path / "response.jsonl", responses)
    rows, bad = read(tmp_path)
    conflict, fine, refusal, summary, record = rows
    assert [row.label for row in rows] == [
        Verdict.CONTRADICTED,
        Verdict.SUPPORTED,
        Verdict.ABSTAINED,
        Verdict.UNSUPPORTED,
        Verdict.SUPPORTED,
    ]
    assert conflict.error_spans[0].of(conflict.answer) == "Boil"
    assert conflict.error_name == "Evident Conflict+Subtle Baseless Info"
    assert [p.text for p in fine.passages] == ["Wash beets.", "Salt."]
    assert (fine.question, fine.group, refusal.group) == ("Beets?", "1", "1")
    assert (summary.dataset, record.dataset) == ("RAGTruth Summary test", "RAGTruth Data2txt test")
    lines = record.passages[0].text.splitlines()
    assert lines == [
        "name: Corner Café",
        "hours Monday: 9-17",
        "attributes WiFi: not stated",
        "attributes OutdoorSeating: yes",
    ]
    assert "Cold soup." in record.passages[1].text
    assert "'9'" in bad[0].problem


def test_ragtruth_needs_both_files(tmp_path):
    write_lines(tmp_path / "response.jsonl", [response("a", "1", "x")])
    with pytest.raises(UsageError, match=r"source_info\.jsonl"):
        read(tmp_path)

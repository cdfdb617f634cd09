"""The hand-labelled benches: answers with evidence, biographies of namesakes."""

from __future__ import annotations

from guardrail.types import ErrorType, Verdict
from tests.support.labelled_files import read, write_lines


def test_bench_answers_with_evidence(tmp_path):
    row = {
        "id": "en01-a1",
        "item": "en01",
        "lang": "en",
        "question": "How long?",
        "passages": [
            {"id": "p1", "title": "A", "text": "Nothing."},
            {"id": "p2", "title": "B", "text": "It lasts 18 weeks."},
        ],
        "answer": "It lasts 20 weeks.",
        "label": "contradicted",
        "error_type": "contradiction",
        "difficulty": None,
        "error_span": [9, 11],
        "evidence": [{"passage_id": "p2", "start": 9, "end": 11}],
    }
    rows, bad = read(
        write_lines(tmp_path / "b.jsonl", [row, {**row, "evidence": [{"passage_id": "p9", "start": 0, "end": 1}]}])
    )
    (answer,) = rows
    assert answer.group == "en01"
    assert answer.error_spans[0].of(answer.answer) == "20"
    ((number, span),) = answer.evidence
    assert span.of(answer.passages[number].text) == "18"
    assert "p9" in bad[0].problem


def biography(**changes):
    row = {
        "id": "G1",
        "name": "Ana Bell",
        "question": "Tell me a bio of Ana Bell",
        "answer": "Ana Bell sings. She also dives.",
        "passages": [{"id": "1", "title": "Ana Bell (singer)", "text": "Ana Bell sings."}],
        "category": "one_bio_n_entities",
        "mixed": True,
        "sentences": [
            {"start": 0, "end": 15, "supported_by_group_entity": True},
            {"start": 16, "end": 31, "supported_by_group_entity": False},
        ],
    }
    return {**row, **changes}


def test_biographies_of_namesakes(tmp_path):
    fine = biography(mixed=False, sentences=[{"start": 0, "end": 15, "supported_by_group_entity": None}])
    none = biography(mixed=False, sentences=[], category="no_bio")
    rows, _ = read(write_lines(tmp_path / "e.jsonl", [biography(), fine, none]))
    assert [row.label for row in rows] == [Verdict.UNSUPPORTED, Verdict.SUPPORTED, Verdict.ABSTAINED]
    assert [row.mixed for row in rows] == [True, False, False]
    assert rows[0].error_type is ErrorType.MIXED_ENTITIES
    assert rows[0].error_spans[0].of(rows[0].answer) == "She also dives."

"""Rows from readings."""

from __future__ import annotations

import pytest

from tests.support.tiny_texts import NAMES, PASSAGE

pytest.importorskip("torch")


pytest.importorskip("transformers")


pytest.importorskip("sentence_transformers")


from guardrail.engines.cross_encoder.reading import PassageScores, Reading, row
from guardrail.engines.local.passage_index import Library
from guardrail.types import Passage, Segment, Span

CLAIM = "The dam is 64 metres high."


every_model = pytest.mark.parametrize("name", NAMES)


@every_model
def test_a_row_is_its_best_passage(engine_of, request_of, name):
    passages = [PASSAGE, "The reservoir holds water.", "Rita opened the tower."]
    found = engine_of(name).verify(request_of([CLAIM], passages)).rows[0]
    assert None not in found.cells
    if name != "lettucedetect":  # which reads all passages together, as its authors do
        assert found.supported == max(cell.supported for cell in found.cells)
        assert found.contradicted == max(cell.contradicted for cell in found.cells)
    else:
        assert found.supported not in [cell.supported for cell in found.cells]
    if name not in {"nli", "alignscore"}:
        assert found.contradicted == 0.0


@every_model
def test_a_passage_without_text_supports_nothing(engine_of, request_of, name):
    found = engine_of(name).verify(request_of([CLAIM], [PASSAGE, " \n"])).rows[0]
    assert found.unverified is None
    assert (found.cells[1].supported, found.cells[1].contradicted, found.cells[1].evidence) == (0.0, 0.0, ())


@every_model
def test_evidence_is_the_sentence_that_speaks_of_the_segment(engine_of, request_of, name):
    found = engine_of(name).verify(request_of(["64 metres high, they say."], [PASSAGE])).rows[0]
    quotes = [span.of(PASSAGE) for _, span in found.evidence]
    assert quotes == ["It is 64 metres high."]
    assert [span.of(PASSAGE) for span in found.cells[0].evidence] == quotes


def test_focus_holds_words_only():
    passage = Passage(id="p", text=PASSAGE)
    segment = Segment(id="s", span=Span(0, 5), text="It is  64 metres.")
    reading = Reading({0: PassageScores(0.1, 0.0)}, 0.1, 0.0, (Span(5, 9), Span(5, 7), Span(9, 17)))
    assert row(segment, Library((passage,)), reading).focus == (Span(7, 9), Span(10, 17))

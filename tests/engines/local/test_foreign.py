"""Segments that the English model does not read: who reads them, and what is left unverified."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest

from guardrail import Passage
from guardrail.check.contract import VerifyRequest
from guardrail.check.decompose import decompose
from guardrail.engines.local import engine as engines
from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.model import FILES, LANGUAGES_FOLDER, MODEL_FOLDER, OUTPUTS
from guardrail.engines.local.scorer import ALONE, BESIDE, SIGNS
from guardrail.text.language import language_of
from guardrail.types import Cause

GERMAN = "Die Bücherei ist am Montag und am Dienstag nicht geöffnet."
FRENCH = "La bibliothèque est fermée le lundi et le mardi."
ENGLISH = "The library is closed on Monday and Tuesday."
PORTUGUESE = "A biblioteca não está aberta às segundas e terças."


class Noting:
    """Stands for the model of other languages: notes what it is asked and finds all of it alike."""

    statements = True

    def __init__(self, stops_after: int = 10**9) -> None:
        self.pairs: list[tuple[str, str]] = []
        self.found = 0.9
        self.stops_after = stops_after

    def reads(self, text: str) -> bool:
        return language_of(text) in ("de", "en", "fr")

    def tokens(self, text: str) -> int:
        return len(text.split())

    def probabilities(self, pairs, stop=lambda: False):
        self.pairs += pairs
        found = np.full((len(pairs), OUTPUTS), np.nan, dtype=np.float32)
        found[: self.stops_after] = self.found
        return found


@pytest.fixture
def reader(monkeypatch):
    """In the place of the model of other languages."""
    noting = Noting()
    real = engines.load
    monkeypatch.setattr(engines, "load", lambda folder, threads: noting if folder == LANGUAGES_FOLDER else real(folder))
    return noting


def request(answer: str, *passages: str) -> VerifyRequest:
    """What the engine is asked."""
    given = tuple(Passage(id=str(n), text=text) for n, text in enumerate(passages))
    return VerifyRequest(segments=decompose(answer).checked, passages=given)


@pytest.mark.parametrize(
    ("answer", "passage"), [(GERMAN, FRENCH), (FRENCH, ENGLISH), (ENGLISH, GERMAN)], ids=["both", "answer", "passage"]
)
def test_the_second_model_reads_what_is_not_english_on_one_side(reader, answer, passage):
    [row] = LocalEngine().verify(request(answer, passage)).rows
    assert reader.pairs == [(passage, answer)]
    assert row.unverified is None
    assert row.supported > 0.5
    assert row.cells[0] is not None


def test_english_over_english_is_left_to_the_first_model(reader):
    [row] = LocalEngine().verify(request(ENGLISH, ENGLISH, GERMAN)).rows
    assert reader.pairs == []
    assert row.supported > 0.9


SHUT = "The library is shut from Monday to Tuesday."


@pytest.fixture
def both(tmp_path):
    """An engine whose first model has a scorer of what both models read."""
    for name in FILES:
        shutil.copy(MODEL_FOLDER / name, tmp_path / name)
    scorer = json.loads((tmp_path / ALONE).read_text())
    made = {**scorer, "signals": list(SIGNS), "weights": [*scorer["weights"], 0.5]}
    (tmp_path / BESIDE).write_text(json.dumps(made))
    return LocalEngine(tmp_path)


def test_with_a_scorer_of_both_the_second_model_reads_english_passages_too(reader, both):
    [good] = both.verify(request(ENGLISH, SHUT, GERMAN)).rows
    assert reader.pairs == [(SHUT, ENGLISH), (GERMAN, ENGLISH)]
    reader.found = 0.1
    [bad] = both.verify(request(ENGLISH, SHUT, GERMAN)).rows
    assert good.supported > bad.supported


def test_with_a_scorer_of_both_each_language_has_its_own(reader, both):
    rows = both.verify(request(f"{ENGLISH} {GERMAN}", SHUT)).rows
    assert [claim for _, claim in reader.pairs] == [ENGLISH, GERMAN]
    assert [row.unverified for row in rows] == [None, None]
    assert (both.english.reader, both.english.scorer) == (LANGUAGES_FOLDER, both.folder / BESIDE)


def test_without_the_second_model_its_scorer_is_not_used(reader, both):
    alone = replace(both, languages=None)
    [row] = alone.verify(request(ENGLISH, SHUT)).rows
    assert reader.pairs == []
    assert row.unverified is None
    assert alone.english.scorer == both.folder / ALONE


def test_of_an_answer_in_two_languages_each_model_reads_its_part(reader):
    rows = LocalEngine().verify(request(f"{ENGLISH} {GERMAN}", "The library is shut from Monday to Tuesday.")).rows
    assert [claim for _, claim in reader.pairs] == [GERMAN]
    assert [row.unverified for row in rows] == [None, None]


@pytest.mark.parametrize(("answer", "passage"), [(PORTUGUESE, ENGLISH), (GERMAN, PORTUGUESE)])
def test_languages_that_neither_reads_are_unverified(reader, answer, passage):
    [row] = LocalEngine().verify(request(answer, passage)).rows
    assert reader.pairs == []
    assert row.cause is Cause.LANGUAGE


def test_without_the_second_model_other_languages_are_unverified(reader):
    [row] = LocalEngine(languages=None).verify(request(GERMAN, GERMAN + " Sie liegt am See.")).rows
    assert reader.pairs == []
    assert row.supported > 0.9  # a copy
    [row] = LocalEngine(languages=None).verify(request(GERMAN, FRENCH)).rows
    assert row.cause is Cause.LANGUAGE


def test_what_was_not_read_in_time_is_unverified(reader):
    reader.stops_after = 1
    asked = request(f"{GERMAN} Sie liegt am See und ist alt.", GERMAN)
    assert [row.cause for row in LocalEngine().verify(asked).rows] == [None, Cause.TIMEOUT]


def test_a_passage_that_was_read_counts_although_others_share_more_words(reader):
    decoys = [
        f"도서관 Bücherei Montag Dienstag geöffnet {n} 입니다 그리고 도시의 다른 시설도 있습니다." for n in range(5)
    ]
    [row] = LocalEngine().verify(request(GERMAN, *decoys, FRENCH)).rows
    assert reader.pairs == [(FRENCH, GERMAN)]
    assert row.cells[-1] is not None

"""The second reader: passages in pieces, read once for all segments, and what it adds to the verdict."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from guardrail import Guard, Passage, Policy, Verdict
from guardrail.check.contract import VerifyRequest
from guardrail.check.decompose import decompose
from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.judgement import Reading, judge_readings
from guardrail.engines.local.loading import load
from guardrail.engines.local.model import OUTPUTS
from guardrail.engines.local.packs import CLAIMS, MAX_PREMISE_TOKENS
from guardrail.engines.local.passage_index import Library
from guardrail.engines.local.passage_reader import READ_PIECES, pieces_of, read_passages
from guardrail.engines.local.scorer import ALONE, load_scorer
from guardrail.testing import check_engine
from guardrail.text.language import may_be_english
from guardrail.types import Cause

guardrail_base = pytest.importorskip("guardrail_base", reason="models/base is no part of the source distribution")
BASE = LocalEngine(passage_reader=guardrail_base.FOLDER)
LONG = " ".join(f"Gate {n} of the old dam was painted green by the crew in spring." for n in range(60))


class Noting:
    """Stands for the model: notes what it is asked, and finds what both texts have in common."""

    statements = True

    def __init__(self, stops_after=10**9):
        self.pairs, self.stops_after = [], stops_after

    def reads(self, text):
        return may_be_english(text)

    def tokens(self, text):
        return len(text.split())

    def probabilities(self, pairs, stop=lambda: False):
        self.pairs += pairs
        found = np.full((len(pairs), OUTPUTS), np.nan, dtype=np.float32)
        for row, (premise, claim) in enumerate(pairs[: self.stops_after]):
            words = set(claim.lower().split())
            found[row, 0] = len(words & set(premise.lower().split())) / len(words)
        return found


def asked(answer, *passages, question=None, **more):
    """What read_passages is asked for an answer."""
    request = VerifyRequest(segments=decompose(answer).checked, passages=passages, question=question, **more)
    library = Library(passages)
    return request, library, [library.views(segment, ()) for segment in request.segments]


def test_long_passages_are_cut_at_ends_of_sentences():
    rows = " ".join(f"SKU-79{n}: EUR 13.37, stock 31." for n in range(60))
    passages = [Passage(id="a", title="Dam", text=LONG), Passage(id="b", title="T " * 500, text=rows)]
    library = Library((*passages, Passage(id="c", text="It is short.")))
    reader = load(guardrail_base.FOLDER)
    pieces = list(pieces_of(library, reader))
    assert [i for piece in pieces for i in piece.parts] == list(range(len(library.sentences)))
    assert [piece.passage for piece in pieces] == sorted(piece.passage for piece in pieces)
    assert all(reader.tokens(piece.text) <= MAX_PREMISE_TOKENS for piece in pieces)
    assert {piece.text[:5] for piece in pieces if piece.passage == 0} == {"Dam: "}
    assert pieces[-1].text == "It is short."


def test_of_many_passages_those_are_read_that_share_most_words():
    passages = [Passage(id=str(n), text=f"Bridge {n} is closed.") for n in range(20)]
    passages.append(Passage(id="tower", text="The tower is open on Sundays."))
    reader = Noting()
    request, library, views = asked("The tower is open on Sundays.", *passages)
    [found] = read_passages(reader, request, library, views)
    assert len(found) == len(reader.pairs) == READ_PIECES
    assert max(found, key=found.get) == 20
    views = [library.views(segment, (12,)) for segment in request.segments]
    [found] = read_passages(reader, request, library, views)
    assert 12 in found  # what the small model reads has a cell, so it is read here as well


def test_a_segment_that_is_not_read_in_time_says_nothing(monkeypatch):
    request, library, views = asked(
        "The tower is open. The bridge is shut.", Passage(id="a", text="The tower is open.")
    )
    first, second = read_passages(Noting(stops_after=1), request, library, views)
    assert first
    assert second is None
    monkeypatch.setattr("guardrail.engines.local.engine.read_passages", lambda *_: [first, second])
    assert [row.cause for row in BASE.verify(request).rows] == [None, Cause.TIMEOUT]


def test_past_the_deadline_nothing_is_read():
    reader = Noting()
    request, library, views = asked("The tower is open.", Passage(id="a", text="The tower is open."))
    late = replace(request, deadline=0.0)
    assert read_passages(reader, late, library, views) == [None]
    assert read_passages(reader, request, library, [None]) == [None]
    assert reader.pairs == []


def test_the_first_segments_are_read_first():
    answer = " ".join(f"Gate {n} was painted green in spring." for n in range(30))
    reader = Noting()
    request, library, views = asked(answer, Passage(id="a", text=LONG), Passage(id="b", text="It is short."))
    read_passages(reader, request, library, views)
    claims = [claim for _, claim in reader.pairs]
    assert sorted({claims.index(c) // (CLAIMS * 4) for c in claims[: CLAIMS * 4]}) == [0]


def test_a_long_segment_is_as_good_as_its_worst_part():
    good = "The dam is green and the gate is green and the crew is green " * 8
    reader = Noting()
    request, library, views = asked(good + "and bananas are yellow " * 20 + ".", Passage(id="a", text=good))
    [found] = read_passages(reader, request, library, views)
    assert len(reader.pairs) > 1
    assert found[0] < 0.5


def test_a_long_question_does_not_take_the_place_of_the_answer():
    reader = Noting()
    question = "Has the council " + "and the mayor and the office " * 20 + "approved the bus?"
    read_passages(
        reader, *asked("Yes, the bus was approved.", Passage(id="a", text="The bus was approved."), question=question)
    )
    assert all("bus was approved" in claim for _, claim in reader.pairs)


def test_the_passage_that_a_verdict_rests_on_has_a_cell():
    """Also where the small model has not read it."""
    words = "The tower of the castle on the hill above the town is open"
    passages = [Passage(id=str(n), text=f"{words} to nobody on day {n}.") for n in range(5)]
    passages.append(Passage(id="best", text="Visitors may climb up on Sundays."))
    library = Library(passages)
    [segment] = decompose(f"{words} on Sundays.").checked
    views = library.views(segment, ())
    readings = [Reading(view, 0.5, 0.1) for view in views.all]
    assert all(view.window is None or view.window.passage != 5 for view in views.all)
    scorer = replace(load_scorer(guardrail_base.FOLDER / ALONE), intercept=9.0)
    row = judge_readings(segment, library, views, readings, scorer, 1, None, {0: 0.1, 5: 0.99})
    assert row.cells[5].supported == row.supported
    assert row.cells[5].evidence
    assert 5 in {passage for passage, _ in row.evidence}


def test_other_languages_are_not_read():
    reader = Noting()
    passage = Passage(id="a", text="Der Turm ist am Sonntag geöffnet und die Brücke ist gesperrt.")
    assert read_passages(reader, *asked("Der Turm ist sonntags für Besucher geöffnet.", passage)) == [{}]
    assert reader.pairs == []


def test_the_engine_keeps_the_contract():
    check_engine(BASE)
    BASE.warm_up()
    assert BASE.name == "local:base"


def test_what_a_whole_passage_says_counts():
    """The small model sees the words alone."""
    passage = (
        "The town council discussed the shuttle bus between the two banks on Monday. Councillor Marsh presented two "
        "timetables. A decision was put off until the autumn, since the money is missing."
    )
    small, base = Guard(policy=Policy.monitor()), Guard(policy=Policy.monitor(), engine="local:base")
    wrong, right = "The council has approved the shuttle bus.", "The council has not yet decided on the shuttle bus."
    assert base.check(wrong, [passage]).score < small.check(wrong, [passage]).score
    assert base.check(wrong, [passage]).verdict is not Verdict.SUPPORTED
    assert base.check(right, [passage]).score > base.check(wrong, [passage]).score


@pytest.mark.parametrize("passages", [[], [""], ["   "], ["x"], ["它很高。"], ["|a|b|\n|--|--|\n|1|2|"]])
def test_odd_passages_break_nothing(passages):
    report = Guard(engine="local:base").check("The tower is 30 metres high.", passages)
    assert report.verdict is not Verdict.SUPPORTED

"""What the model reads of a segment: windows, the joint view of several passages, and the best sentence alone."""

from __future__ import annotations

import pytest

from guardrail import Passage
from guardrail.engines.local.passage_index import Library
from guardrail.errors import EngineTimeout
from guardrail.types import Segment, Span

FERRY = Passage(
    id="f", title="Ferry", text="The ferry leaves at nine. It carries forty cars. Dogs travel free of charge."
)
HOTEL = Passage(id="h", title="Hotel", text="The hotel serves breakfast from seven. Its garage holds sixty cars.")


def segment(text: str) -> Segment:
    return Segment(id="s1", span=Span(0, len(text)), text=text)


def test_the_joint_view_holds_the_best_sentences_of_several_passages_and_the_best_is_read_alone() -> None:
    library = Library([HOTEL, FERRY])
    views = library.views(segment("The ferry carries forty cars, the hotel garage sixty."), ())
    assert views.joint is not None
    assert views.single is not None
    assert {library.owner[i] for i in views.joint.parts} == {0, 1}
    assert views.single.text in ("Its garage holds sixty cars.", "It carries forty cars.")
    assert views.single.parts[0] in views.joint.parts
    assert views.all == (*views.windows, views.joint, views.single)


def test_where_one_sentence_says_it_all_it_is_read_once() -> None:
    views = Library([FERRY]).views(segment("Dogs travel free of charge."), ())
    assert views.joint is not None
    assert len(views.joint.parts) == 1
    assert views.single is None


def test_a_passage_that_must_be_read_has_a_window_however_little_it_shares() -> None:
    library = Library([FERRY, HOTEL])
    found = segment("Dogs travel free on the ferry.")
    assert {w.window.passage for w in library.views(found, ()).windows if w.window} == {0}
    assert {w.window.passage for w in library.views(found, (1,)).windows if w.window} == {0, 1}


def test_a_segment_without_a_shared_word_has_no_joint_view() -> None:
    views = Library([FERRY]).views(segment("Quarterly revenue rose."), ())
    assert views.joint is None
    assert views.single is None
    assert all(view.window is not None for view in views.all)


def test_the_coverage_counts_a_value_in_the_form_of_the_evidence() -> None:
    library = Library([Passage(id="1", text="The shop closes at 20:00 on weekdays.")])
    [same] = library.views(segment("On weekdays the shop closes at 8 pm."), ()).windows
    [other] = library.views(segment("On weekdays the shop closes at 9 pm."), ()).windows
    assert same.coverage > other.coverage


def test_reading_the_passages_stops_at_the_deadline() -> None:
    with pytest.raises(EngineTimeout, match="while the passages were read"):
        Library([FERRY], lambda: True)

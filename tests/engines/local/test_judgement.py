"""From readings to signals and to a row: which view tells what, and what is certain whatever the model says."""

from __future__ import annotations

import pytest

from guardrail import Passage
from guardrail.engines.local.judgement import Reading, contradicted_by_model, gate, judge_readings, row_signals
from guardrail.engines.local.passage_index import Library, SegmentViews
from guardrail.engines.local.rules import CERTAIN
from guardrail.engines.local.scorer import load_scorer, log_odds
from guardrail.types import ErrorType, Segment, Span

PASSAGES = (
    Passage(id="f", title="Ferry", text="The ferry leaves at nine. It carries forty cars. Dogs travel free of charge."),
    Passage(id="h", title="Hotel", text="The hotel serves breakfast from seven. Its garage holds sixty cars."),
)
LIBRARY = Library(PASSAGES)
CLAIM = "The ferry carries forty cars, the hotel garage sixty."


def read(text: str, window: float, joint: float, single: float) -> tuple[Segment, SegmentViews, list[Reading]]:
    """The claim's views, each supported with the probability that its kind is given here."""
    segment = Segment(id="s1", span=Span(0, len(text)), text=text)
    views = LIBRARY.views(segment, (0, 1))
    given = [single if view.single else joint if view.window is None else window for view in views.all]
    return segment, views, [Reading(view, p, 0.9 * (1 - p)) for view, p in zip(views.all, given, strict=True)]


def test_each_signal_comes_from_its_own_view() -> None:
    _, _, readings = read(CLAIM, window=0.2, joint=0.6, single=0.9)
    signals = row_signals(readings, ())
    assert signals.joint_support == pytest.approx(log_odds(0.6))
    assert signals.sentence_support == pytest.approx(log_odds(0.9))
    assert signals.window_contradiction == pytest.approx(log_odds(0.72))
    assert signals.nearest_support in (pytest.approx(log_odds(0.2)), pytest.approx(log_odds(0.6)))


def test_without_a_joint_view_the_windows_stand_in_and_without_readings_nothing_is_known() -> None:
    _, _, readings = read(CLAIM, window=0.2, joint=0.6, single=0.9)
    alone = row_signals([r for r in readings if r.view.window is not None], ())
    assert alone.joint_support == alone.sentence_support == pytest.approx(log_odds(0.2))
    assert set(row_signals([], ())) == {0.0}


def test_a_single_sentence_contradicts_nothing_by_itself() -> None:
    _, _, readings = read(CLAIM, window=0.95, joint=0.9, single=0.0)
    windows = [r for r in readings if r.view.window is not None]
    joint = next(r for r in readings if r.view.window is None and not r.view.single)
    assert contradicted_by_model(windows, joint) == pytest.approx(0.09)


def test_the_row_has_a_cell_for_each_passage_read_and_scores_rise_with_what_is_read() -> None:
    rows = []
    for p in (0.1, 0.9):
        segment, views, readings = read(CLAIM, p, p, p)
        rows.append(judge_readings(segment, LIBRARY, views, readings, load_scorer(), 1))
    assert rows[0].supported < rows[1].supported
    assert all(cell is not None for cell in rows[1].cells)
    assert {passage for passage, _ in rows[1].evidence} == {0, 1}


def test_a_copy_is_certain_whatever_the_model_says() -> None:
    segment, views, readings = read("Dogs travel free of charge.", 0.01, 0.01, 0.01)
    row = judge_readings(segment, LIBRARY, views, readings, load_scorer(), 1)
    assert row.supported == CERTAIN
    assert row.evidence[0][0] == 0


def test_a_number_that_no_passage_has_is_named_and_lowers_the_score() -> None:
    segment, views, readings = read("The ferry carries ninety cars.", 0.9, 0.9, 0.9)
    mismatches = gate(segment, LIBRARY, readings)
    assert mismatches
    row = judge_readings(segment, LIBRARY, views, readings, load_scorer(), 1)
    right, right_views, right_readings = read("The ferry carries forty cars.", 0.9, 0.9, 0.9)
    assert row.supported < judge_readings(right, LIBRARY, right_views, right_readings, load_scorer(), 1).supported
    assert row.error_type in (ErrorType.CONTRADICTION, ErrorType.HALLUCINATION, ErrorType.CONFLATION)
    assert "ninety" in row.reason


def test_a_name_that_only_the_question_brought_weighs_little() -> None:
    segment, _, readings = read("You may take the ferry to Korsgade.", 0.9, 0.9, 0.9)
    alone, asked = (
        max(m.weight for m in gate(segment, LIBRARY, readings, question) if m.claim_value == "Korsgade")
        for question in (None, "Can I travel to Korsgade with my dog?")
    )
    assert asked < alone


@pytest.mark.parametrize(
    ("text", "question", "slight"),
    [
        ("For 3 trips 120 cars.", None, False),  # nobody has told of 3 trips
        ("That makes 120 cars.", "How many cars in 3 trips?", True),
        ("That makes 120 cars.", "How many cars in all?", False),
    ],
)
def test_a_value_that_follows_from_claim_or_question_weighs_little(
    text: str, question: str | None, slight: bool
) -> None:
    segment, _, readings = read(text, 0.9, 0.9, 0.9)
    found = [m for m in gate(segment, LIBRARY, readings, question) if m.claim_value[:3] in ("120", "150")]
    assert found
    assert all((m.weight <= 0.2 and not m.contradicts) is slight for m in found)

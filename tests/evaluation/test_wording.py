"""Figures as people read them."""

from __future__ import annotations

from guardrail.evaluation.bootstrap import Estimate
from guardrail.evaluation.measures import Mixed
from guardrail.evaluation.wording import interval, mixed_line, number, plain


def test_figures_have_two_decimals_and_intervals_brackets():
    assert (number(None), number(0.125), interval(Estimate(0.5))) == ("–", "0.12", "0.50")
    assert interval(Estimate(0.5, 0.4, 0.61)) == "0.50 [0.40, 0.61]"


def test_names_out_of_the_data_are_made_printable():
    assert plain("a\x1b[2J\ud800b") == "a�[2J�b"


def test_mixed_up_namesakes_in_words():
    mixed = Mixed(n=4, precision=1.0, recall=0.5, f1=2 / 3, false_rate=0.01)
    assert (
        mixed_line(mixed) == "precision 1.00, recall 0.50, F1 0.67 (n 4); said of 0.010 of ordinary supported answers"
    )
    assert mixed_line(Mixed(n=0, precision=None, recall=None, f1=None, false_rate=None)) == ""

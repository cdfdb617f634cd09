"""Every row of the matrix is accounted for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guardrail import Guard, Verdict
from guardrail.types import Cell, Row, Span
from tests.support.checks import ANSWER, PASSAGES, Warped, check_both, verdicts

WARPED = {
    "missing": (lambda rows: rows[:-1], 2, "no verdict"),
    "doubled": (lambda rows: [*rows, rows[2]], 2, "2 verdicts"),
    "cells": (lambda rows: [*rows[:2], replace(rows[2], cells=rows[2].cells[:1])], 2, "1 passages of 2"),
    "nan": (lambda rows: [*rows[:2], replace(rows[2], supported=float("nan"))], 2, "outside 0..1"),
    "nan cell": (
        lambda rows: [*rows[:2], replace(rows[2], cells=(Cell(supported=float("nan"), contradicted=0.0), None))],
        2,
        "outside 0..1",
    ),
    "above one": (lambda rows: [*rows[:2], replace(rows[2], contradicted=1.5)], 2, "outside 0..1"),
    "passage 9": (lambda rows: [*rows[:2], replace(rows[2], evidence=((9, Span(0, 1)),))], 2, "not in the passages"),
    "span": (lambda rows: [*rows[:2], replace(rows[2], evidence=((0, Span(5, 9999)),))], 2, "not in the passages"),
    "surplus": (lambda rows: [*rows, Row(segment_id="s99", cells=rows[0].cells, supported=1.0)], 0, "'s99'"),
    "no matrix": (lambda _: 1 / 0, 0, "ZeroDivisionError"),
}


@pytest.mark.parametrize(("spoil", "good", "why"), WARPED.values(), ids=WARPED)
def test_a_warped_reply_is_unverified_and_never_supported(spoil, good, why):
    """Rows in order are kept up to the spoilt one; that one is UNVERIFIED and says why."""
    for report in check_both(Guard(engine=Warped(spoil))):
        assert verdicts(report) == [Verdict.SUPPORTED] * good + [Verdict.UNVERIFIED] * (3 - good)
        assert report.verdict is Verdict.UNVERIFIED
        assert why in report.findings[-1].reason


def test_rows_in_another_order_are_matched_by_id():
    """An engine that answers out of order is not mixed up."""
    guard = Guard(engine=Warped(lambda rows: [replace(rows[0], supported=0.0), *rows[1:]][::-1]))
    assert verdicts(guard.check(ANSWER, PASSAGES)) == [Verdict.UNSUPPORTED, Verdict.SUPPORTED, Verdict.SUPPORTED]

"""A report as headings, paragraphs and tables: what it says of which figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from guardrail.audit.report import write_report
from guardrail.audit.report.figures import Figures, Rate
from guardrail.audit.report.parts import Heading, Part, Table, Text, parts_of
from tests.support.audited import audit_rows

FIGURES = Figures(
    answers=1200,
    distinct=1100,
    unjudged=0,
    verdicts={"supported": 900, "contradicted": 100, "unverified": 200},
    whole=Rate("all", 100, 1000),
    days=[Rate("2026-11-03", 100, 1000)],
    slices={"model": [Rate("m1", 60, 200, 31.4), Rate("m0", 40, 800)]},
    errors={"contradiction": 100},
    causes={"timeout": 200},
    documents=[Rate("Manual 7", 50, 90, 12.0)],
    contradicted={},
    conflicts={},
    mixed=0,
    without_passages={},
    worst=[],
    rejected={},
    lost=0,
)


def said(parts: list[Part]) -> str:
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def headings(parts: list[Part]) -> list[str]:
    return [part.text for part in parts if isinstance(part, Heading)]


def tables(parts: list[Part]) -> dict[str, Table]:
    return {part.header[0]: part for part in parts if isinstance(part, Table)}


def test_the_rate_stands_with_its_interval_and_is_not_that_of_people() -> None:
    parts = list(parts_of(FIGURES, "local"))
    assert "1,200 answers (1,100 different ones) were judged by local." in said(parts)
    assert "10.0% of the answers that could be judged" in said(parts)
    assert "100 of 1,000 (95 % interval 8.3% to 12.0%). 200 answers could not be judged" in said(parts)
    assert "let people label some" in said(parts)


def test_slices_are_rows_with_what_is_too_many() -> None:
    found = tables(list(parts_of(FIGURES, "local")))
    assert [row[0] for row in found["model"].rows] == ["m1", "m0"]
    assert found["model"].rows[0][1:3] == ("60 of 200", "30.0%")
    assert [row[-1] for row in found["model"].rows] == ["31", "0"]
    assert found["verdict"].rows[0] == ("supported", "900", "75.0%")


def test_what_there_is_none_of_has_no_heading() -> None:
    parts = list(parts_of(FIGURES, "local"))
    for absent in ("The worst answers", "Questions without evidence", "Rows that could not be audited"):
        assert absent not in headings(parts)
    more = replace(FIGURES, without_passages={"Why?": 3}, rejected={"is not UTF-8 text": 2}, lost=2)
    parts = list(parts_of(more, "local"))
    assert tables(parts)["question"].rows == [("Why?", "3")]
    assert tables(parts)["reason"].rows == [("is not UTF-8 text", "2")]


def test_changes_stand_before_the_documents() -> None:
    found = headings(list(parts_of(FIGURES, "local", changes=[Heading("What changed")])))
    assert found.index("Where") < found.index("What changed") < found.index("Which documents")


def test_many_days_and_long_texts_are_cut_and_that_is_said() -> None:
    days = [Rate(f"day {n}", 1, 10) for n in range(80)]
    worst = {
        "content": 1, "verdict": "contradicted", "score": 0.125, "times": 1000, "id": "a1", "question": None,
        "answer": "x" * 2000,
        "findings": [
            {"text": "It closes.", "verdict": "contradicted", "error_type": "role_swap", "reason": "No.",
             "evidence": [{"quote": "It opens.", "document": "d1"}, {"quote": None, "document": "d2"}]},
        ],
    }  # fmt: skip
    parts = list(parts_of(replace(FIGURES, days=days, worst=[worst]), "local"))
    assert "The last 62 of 80 days" in said(parts)
    assert [row[0] for row in tables(parts)["day"].rows] == [f"day {n}" for n in range(18, 80)]
    assert "a1: contradicted, score 0.12, 1,000 times" in headings(parts)
    assert [part.text for part in parts if isinstance(part, Text) and part.quote] == ["x" * 600 + "…"]
    assert "“It closes.” is contradicted (role swap). No. Evidence: “It opens.” (d1)" in said(parts)


def test_an_audit_of_nothing_has_a_report(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    pytest.importorskip("pyarrow")
    audit_rows(tmp_path, ["{"])
    assert write_report(tmp_path / "out").answers == 0
    text = (tmp_path / "out" / "report.md").read_text()
    assert "There is nothing to report yet" in text
    assert "is not valid JSON" in text

"""Citation marks: which bracketed texts are marks, and which passages they name."""

import pytest

from guardrail.check.decompose import decompose


def test_citation_after_full_stop_belongs_to_the_sentence_before():
    """A mark behind the full stop is part of the sentence that it cites for."""
    answer = "He wrote it.[1] Next one. [2] Third one."
    assert [s.span.of(answer) for s in decompose(answer).segments] == ["He wrote it.[1]", "Next one. [2]", "Third one."]
    assert [s.citations for s in decompose(answer).segments] == [("1",), ("2",), ()]


def test_citation_that_opens_a_sentence_stays_there():
    """A mark that is the subject of its sentence is not given to the sentence before."""
    answer = "It is tall. [1] states that it is old."
    assert [s.span.of(answer) for s in decompose(answer).segments] == ["It is tall.", "[1] states that it is old."]


@pytest.mark.parametrize(
    ("mark", "ids"),
    [
        ("[1]", ("p1",)),
        ("[1][2]", ("p1", "x 2")),
        ("[1, 2]", ("p1", "x 2")),
        ("[1-3]", ("p1", "x 2", "1")),
        ("[p1]", ("p1",)),
        ("[P1]", ("p1",)),
        ("[x 2]", ("x 2",)),
        ("【1】", ("p1",)),
        ("【2†source】", ("x 2",)),
        ("(Source: 2)", ("x 2",)),
        ("(passages 1 and 2)", ("p1", "x 2")),
        ("（来源：1）", ("p1",)),
        ("[^2]", ("x 2",)),
        ("[7]", ("7",)),
        ("[2](https://x.org/a)", ("x 2",)),
        ("<sup>[2]</sup>", ("x 2",)),
    ],
)
def test_citation_marks_name_passages(mark, ids):
    """Marks are removed from the text and mapped: exact id, else number; a number without a passage stays itself."""
    segment = decompose(f"The tower is tall {mark}.", passage_ids=("p1", "x 2", "1"))
    expected = tuple({"p1": "1"}.get(i, i) if mark[:2] != "[p" and mark[:2] != "[P" else i for i in ids)
    assert segment.segments[0].text == "The tower is tall."
    assert segment.segments[0].citations == tuple(dict.fromkeys(expected))


@pytest.mark.parametrize("mark", ["[0, 1]", "(2)", "[1999]", "[sic]", "(in Paris)"])
def test_other_brackets_are_no_citations(mark):
    """Intervals, enumerations, years and remarks stay in the text."""
    segment = decompose(f"The value {mark} is known.", passage_ids=("p1", "p2")).segments[0]
    assert mark in segment.text
    assert segment.citations == ()


def test_marks_stay_as_written_without_passages():
    """Without passage ids the marks are kept as labels."""
    assert decompose("It is tall [p2][3].").segments[0].citations == ("p2", "3")

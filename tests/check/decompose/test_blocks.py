"""Lists, tables and code: markers are no part of a span, and prose in disguise is read."""

import pytest

from guardrail.check.decompose import decompose
from tests.support.decomposed import texts


def checked(answer):
    return " / ".join(texts(answer))


@pytest.mark.parametrize(
    "marker", ["- ", "* ", "• ", "1. ", "12) ", "(3) ", "a) ", "  - [x] ", "> - ", "（一）", "一、", "①", "1、"]
)
def test_list_markers_are_no_part_of_the_span(marker):
    """List markers are trimmed off, and never sentences of their own."""
    item = "北京是中国的首都。" if marker.strip()[-1] in "）、①" else "Paris is the capital."
    answer = f"{marker}{item}\n{marker}{item}"
    assert [s.span.of(answer) for s in decompose(answer).segments] == [item, item]


def test_list_fragment_gets_its_lead():
    """A bare list item is read with the line that leads the list in."""
    assert texts("The members are:\n- France\n- Spain") == ["The members are: France", "The members are: Spain"]


def test_code_is_skipped_and_reported():
    """Fenced and indented code is left unread, and the answer says so."""
    for answer in ("Run it:\n\n```py\nx = 1. Then two.\n```\n", "Run it:\n\n    x = f(1)\n    return x\n"):
        found = decompose(answer)
        assert found.unreadable
        assert [s.skipped for s in found.segments] == ["heading", "code"]


@pytest.mark.parametrize(
    "answer", ["```\nThe sky is green.", "```markdown\nThe sky is green.\n```", "    The sky is green."]
)
def test_prose_in_disguise_is_checked(answer):
    """An unclosed fence, a Markdown fence or mere indentation does not hide a claim."""
    found = decompose(answer)
    assert not found.unreadable
    assert [s.text for s in found.checked] == ["The sky is green."]


def test_table_rows():
    """Each data row is one segment with its column titles; header and separator are skipped."""
    answer = "| City | Height |\n|---|:--|\n| Paris | 330 m [1] |\n| Rome | |\n"
    found = decompose(answer).segments
    assert [s.skipped for s in found] == ["table header", "table header", None, None]
    assert [s.text for s in found[2:]] == ["City: Paris; Height: 330 m.", "City: Rome."]
    assert found[2].span.of(answer) == "| Paris | 330 m [1] |"
    assert found[2].citations == ("1",)


@pytest.mark.parametrize(
    ("answer", "claim", "unreadable"),
    [
        ("```\nThe dam collapsed in 2015 and killed 41 people.\n```", "collapsed in 2015", False),
        ("```\nx = f(1)\nThe dam collapsed in 2015 and killed 41 people.\n```", "collapsed in 2015", True),
        ("```The dam collapsed in 2015\nx = f(1)\n```", "collapsed in 2015", True),
        ("```\n42\n```", "42", False),
        ("Intro.\n\n    The ticket costs $900 and includes lunch.", "costs $900", False),
        ("Intro.\n\n    x = f(1)\n    The ticket costs $900 and includes lunch.", "costs $900", True),
    ],
)
def test_prose_among_code_is_checked(answer, claim, unreadable):
    assert claim in checked(answer)
    assert decompose(answer).unreadable is unreadable


@pytest.mark.parametrize(
    "answer", ["```python\nThe = 1\n```", "```\nx = f(1)\nreturn x\n```", "```\npip install foo bar\n```"]
)
def test_code_stays_code(answer):
    assert decompose(answer).unreadable
    assert not checked(answer)


@pytest.mark.parametrize(
    ("answer", "claims"),
    [
        ("Answer:\n\n42.", ["42."]),
        ("The dam is 64 metres high.\n900.", ["The dam is 64 metres high.", "900."]),
        ("12.", ["12."]),
        ("> 7)", ["7)"]),
        ("- \n- Paris", ["Paris"]),
    ],
)
def test_number_alone_is_content(answer, claims):
    found = decompose(answer).checked
    assert [s.text for s in found] == claims
    assert [s.span.of(answer) for s in found] == claims

"""Claims that try to pass as refusals, boilerplate, code, titles or markers are checked; the real ones stay skipped."""

import time

import pytest

from guardrail.check.decompose import decompose


def checked(answer, **given):
    return " / ".join(s.text for s in decompose(answer, **given).checked)


@pytest.mark.parametrize(
    "answer",
    [
        "We are unable to refund tickets after purchase.",
        "I cannot provide refunds without a receipt.",
        "There is no information desk at the dam.",
        "The documents do not say who designed it and Albert Einstein built the turbine hall.",
        "The documents do not say who designed it but NASA owns Larkmoor.",
        "The documents do not say who designed it; NASA owns Larkmoor.",
        "The documents do not say who designed it: NASA owns Larkmoor.",
        "I don't know the exact figure - the dam killed hundreds of workers.",
        "I don't know the exact figure — the dam killed hundreds of workers.",
        "NASA blew it up, I don't know when.",
        "I cannot answer because the dam collapsed last year.",
        "我不知道，爱因斯坦建造了大坝。",
    ],
)
def test_claims_are_no_refusals(answer):
    found = decompose(answer)
    assert not found.abstained
    assert found.checked


@pytest.mark.parametrize(
    "answer",
    [
        "I am unable to answer this question.",
        "I'm not able to provide information about the dam.",
        "I cannot provide an answer.",
        "I cannot help with that.",
        "I am unable to find it in the documents.",
        "There is no information about the tower.",
        "The documents do not say who built it and when it was opened.",
        "The documents do not mention the tower, its height, or its builder.",
        "While the documents mention the dam, they do not say who built it.",
        "Based on the passages provided, I cannot determine the height and the width.",
        "I don't know.",
        "Nie wiem.",
    ],
)
def test_refusals_stay_refusals(answer):
    assert decompose(answer).abstained


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("According to the documents Vattenfall owns Larkmoor.", "Vattenfall owns Larkmoor."),
        ("According to the text dogs are banned.", "Dogs are banned."),
        ("Anything else is strictly prohibited.", "Anything else is strictly prohibited."),
        ("Let me explain Vattenfall owns Larkmoor.", "Let me explain Vattenfall owns Larkmoor."),
        ("Let me know, dogs are banned there.", "Let me know, dogs are banned there."),
    ],
)
def test_boilerplate_swallows_no_claim(answer, claim):
    assert checked(answer) == claim


@pytest.mark.parametrize(
    "answer",
    [
        "Anything else?",
        "Is there anything else I can help you with?",
        "According to the documents provided:",
        "Let me explain.",
        "Let me know if you have any questions, and I'll help.",
    ],
)
def test_boilerplate_stays_skipped(answer):
    assert not checked(answer)


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
    ("answer", "claim"),
    [
        ("# Flood kills 41 at Larkmoor Dam", "kills 41"),
        ("# Flood kills dozens at Larkmoor Dam\n\nText is here.", "kills dozens"),
        ("# Flood kills 41 at Larkmoor Dam:\n\nText is here.", "kills 41"),
        ("**Admission free for everyone under 90**\n\nThe dam is old.", "Admission free"),
        ("| The dam is 900 metres high and was built by NASA |\n| --- |", "built by NASA"),
        ("| The dam is 900 metres high | Note |\n| --- | --- |\n| a | b |", "900 metres"),
        ("References\n[1] The dam collapsed in 2015, killing 41 people.", "collapsed"),
        ("References\n[1] Smith, J. (2020). The dam collapsed in 2015.", "collapsed"),
        ("Source: NASA sabotaged the dam in 2015, see https://x.org", "sabotaged"),
        ("The dam is high <and it was designed by Albert Einstein in 1923>.", "designed by Albert Einstein in 1923"),
        ("The dam is high <b and it was designed by Albert Einstein in 1923>.", "designed by Albert Einstein in 1923"),
    ],
)
def test_titles_references_and_tags_hide_no_claim(answer, claim):
    assert claim in checked(answer)


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("# Overview\n\nThe dam is old.", "The dam is old."),
        ("## Opening hours\n\nThe dam is old.", "The dam is old."),
        ("# 2. Results\n\nThe dam is old.", "The dam is old."),
        ("## History of the Eiffel Tower\n\nThe dam is old.", "The dam is old."),
        ("**Health benefits of tea**\n\nThe dam is old.", "The dam is old."),
        ("References\n[1] Smith, J. (2020). Title.\n[2] Report, https://x.org\n[3] 《大坝》", ""),
        ("Source: Wikipedia, https://x.org", ""),
        ('It is <a href="https://x.org" class=c>tall</a><br />.', "It is tall ."),
    ],
)
def test_titles_references_and_tags_stay_skipped(answer, claim):
    assert checked(answer) == claim


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


@pytest.mark.parametrize(
    "answer",
    [
        "```\n" + "x = 1\nThe dam is very old indeed.\n" * 8_000 + "```",
        "```\n\n```\n" * 25_000,
        "# " + "flood kills dozens " * 12_000,
        "<a b=" * 50_000,
        "<a " * 80_000,
        "    x = 1\n    The dam is very old.\n" * 8_000,
        "|" + "a is b|" * 25_000 + "\n|-|",
        "References\n" + "[1] Smith (2020).\n" * 10_000,
        "12.\n" * 50_000,
    ],
    ids=lambda answer: repr(answer[:8]),
)
def test_hostile_answers_take_linear_time(answer):
    start = time.process_time()
    decompose(answer)
    assert time.process_time() - start < 6

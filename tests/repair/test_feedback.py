"""What a generator is told about an answer that did not pass."""

from __future__ import annotations

from tests.support.repairs import PASSAGES, RIGHT, WRONG, Says, guard


def test_each_attempt_is_told_what_was_wrong_with_the_last():
    says = Says("The mayor paid for it.", RIGHT)
    guard().run(WRONG, PASSAGES, question="How high is it?", regenerate=says)
    first, second = says.told
    assert (first.answer, first.question) == (WRONG, "How high is it?")
    assert [f.text for f in first.wrong] == ["Rita Halloway built it."]
    assert "Rita Halloway built it." in first.text
    assert "the passages say otherwise" in first.text
    assert [f.text for f in second.wrong] == ["The mayor paid for it."]
    assert "Halloway" not in second.text


def test_feedback_speaks_the_language_of_the_question():
    says = Says(RIGHT)
    guard().run(WRONG, PASSAGES, question="有多高？", regenerate=says)
    assert says.told[0].text.startswith("你之前的回答")

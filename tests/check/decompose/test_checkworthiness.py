"""What needs no check, and why; claims in the same dress are checked."""

import pytest

from guardrail.check.decompose import decompose
from tests.support.decomposed import skipped, texts


def checked(answer):
    return " / ".join(texts(answer))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("# Early life", "heading"),
        ("### Fennbrook Folk Festival: accounts", "heading"),
        ("Main causes:", "heading"),
        ("主要原因：", "heading"),
        ("Here are the main points:", "meta"),
        ("The following countries are members:", "heading"),
        ("Based on the provided documents, here is the answer:", "meta"),
        ("根据提供的资料，回答如下：", "meta"),
        ("Hello!", "greeting"),
        ("I hope this helps!", "greeting"),
        ("Let me know if you have any questions.", "greeting"),
        ("I'm very sorry for your loss.", "greeting"),
        ("You can do it like this:", "heading"),
        ("你好！", "greeting"),
        ("希望这能帮到您！", "greeting"),
        ("What is the capital of France?", "question"),
        ("法国的首都是什么？", "question"),
        ("[1][2]", "citation"),
        ("https://example.org/a?b=c", "citation"),
        ("Sources: [1], [2]", "citation"),
        ("Response 1:", "heading"),
        ("### Answer 2", "heading"),
        ("Response 1: You're welcome!", "greeting"),
        ("Response 2: I don't know.", "declines"),
        ("---", "markup"),
        ("<br/>", "markup"),
        ("🎉🎉", "markup"),
    ],
)
def test_not_check_worthy(answer, reason):
    """Headings, greetings, questions, meta sentences and citations are skipped, with the reason."""
    assert [s.skipped for s in decompose(answer).segments] == [reason]


@pytest.mark.parametrize(
    "answer",
    [
        "# The tower is 330 m tall.",
        "# Paris is the capital of France",
        "### Verdict: guilty",
        "**The sky is green.**",
        "Restart the server.",
        "The tower is 500 m tall, isn't it?",
        "Did you know that Einstein won the prize in 1950?",
        "Hello, the tower was built in 1889.",
        "I hope this helps, since the tower was built in 1889.",
        "The tower, built in 1889 by Eiffel, has three levels:",
        "[1] The tower is tall.",
        "Paris",
        "**Paris**",
        "**Answer: Paris**",
        "Certainly.",
        "These are toxic.",
        "Here are the findings: the tower is red.",
        "Here is Paris, the capital of Germany.",
        "Feel free to take eight pills a day.",
        "以下是巴黎，德国的首都。",
        "No.",
        "1889",
    ],
)
def test_claims_are_checked_when_in_doubt(answer):
    """Whatever may hold a claim is checked."""
    assert decompose(answer).checked


@pytest.mark.parametrize(
    ("answer", "claim"),
    [
        ("Based on the passages, the tower is 330 m tall.", "The tower is 330 m tall."),
        ("The provided documents state that the tower is red.", "The tower is red."),
        ("根据提供的资料，塔高330米。", "塔高330米。"),
    ],
)
def test_meta_prefix_is_stripped(answer, claim):
    """Words about where a claim was read are not part of the claim; the span keeps them."""
    segment = decompose(answer).segments[0]
    assert (segment.text, segment.span.of(answer)) == (claim, answer)


@pytest.mark.parametrize("label", ["Response 1: ", "**Answer 2:** ", "Source 3: ", "Answer: "])
def test_a_label_is_no_part_of_the_claim(label):
    """Nor of its span: what is taken out, rewritten or noted is the text behind the label."""
    answer = f"{label}The tower is red."
    segment = decompose(answer).segments[0]
    assert (segment.text, segment.span.of(answer)) == ("The tower is red.", "The tower is red.")


@pytest.mark.parametrize(
    "answer",
    [
        "You're welcome! Anything else?",
        "You're very welcome, Anna! Let me know if you need anything else.",
        "You are welcome! I'm glad I could help.",
        "Glad I could help! 😊",
        "I'm happy to hear that!",
        "No problem at all! Take care!",
        "My pleasure. Enjoy your visit!",
        "Thank you! I appreciate it.",
        "Hello Anna, how may I help you?",
        "I'm doing well, thank you! How can I help?",
        "I'm here if you need anything else.",
        "Just let me know if there's anything else.",
        "I hope that helps, and enjoy your stay at the hotel!",
        "Sorry for the confusion!",
        "I apologize for the inconvenience.",
        "Good luck with your exam!",
    ],
)
def test_small_talk_claims_nothing(answer):
    """In a turn of a chat that looked nothing up it must pass, though passages of earlier turns are there."""
    assert not checked(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "No problem!",
        "Sure, no problem.",
        "Sounds good.",
        "You're welcome to bring your dog.",
        "You are welcome, entry is free.",
        "I'm glad to help: the card is free.",
        "I'm happy to hear that the fee is waived.",
        "Enjoy your free drink at the bar!",
        "Enjoy your stay at the hotel's own pool!",
        "Sorry for the delay of 40 minutes.",
        "I'm here if you need a refund, which is free.",
        "I hope that helps, and enjoy your dinner in the hotel's own restaurant!",
        "Of course, Paris!",
        "Any time.",
    ],
)
def test_claims_in_the_dress_of_small_talk_are_checked(answer):
    assert decompose(answer).checked


def test_bold_line_above_text_is_a_heading():
    """A bold line heads what follows it; a bold line with nothing below is an answer."""
    assert skipped("**Early life**\n\nThe tower is tall.") == {"Early life": "heading", "The tower is tall.": None}


def test_reference_list_is_skipped():
    """Lines under "References" that name works are no claims; the next section is checked again."""
    answer = "# References\n\n[1] Smith, J. (2020). Title.\n- https://x.org\n\n# Notes\n\nThe tower (2020) is tall."
    assert skipped(answer) == {
        "References": "heading",
        "Smith, J. (2020).": "citation",
        "Title.": "citation",
        "https://x.org": "citation",
        "Notes": "heading",
        "The tower (2020) is tall.": None,
    }


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

"""decompose: segments, spans, stand-alone text, what needs no check."""

import time

import pytest

from guardrail.check.decompose import decompose
from guardrail.types import RelationKind


def texts(answer, **given):
    return [s.text for s in decompose(answer, **given).checked]


def skipped(answer, **given):
    return {s.text: s.skipped for s in decompose(answer, **given).segments}


# Sentences and spans


def test_sentences_become_segments_with_exact_spans():
    """Each sentence is one segment whose span quotes the answer."""
    answer = "  Dr. Smith left the U.S. in 1990.  The tower is 3.5 m high!\n"
    found = decompose(answer).segments
    assert [s.id for s in found] == ["s1", "s2"]
    assert [s.span.of(answer) for s in found] == ["Dr. Smith left the U.S. in 1990.", "The tower is 3.5 m high!"]


def test_chinese_sentences():
    """Chinese full stops end sentences; quotes stay whole."""
    answer = "他出生于北京。他说：“你好。再见。”GDP是3.5万亿元！"
    assert [s.span.of(answer) for s in decompose(answer).segments] == [
        "他出生于北京。",
        "他说：“你好。再见。”",
        "GDP是3.5万亿元！",
    ]


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
    "marker", ["- ", "* ", "• ", "1. ", "12) ", "(3) ", "a) ", "  - [x] ", "> - ", "（一）", "一、", "①", "1、"]
)
def test_list_markers_are_no_part_of_the_span(marker):
    """List markers are trimmed off, and never sentences of their own."""
    item = "北京是中国的首都。" if marker.strip()[-1] in "）、①" else "Paris is the capital."
    answer = f"{marker}{item}\n{marker}{item}"
    assert [s.span.of(answer) for s in decompose(answer).segments] == [item, item]


def test_inline_numbering_joins_its_sentence():
    """ "1." inside a line numbers the sentence after it."""
    answer = "There are two. 1. Foo is a bar. 2. Bar is a foo."
    assert [s.span.of(answer) for s in decompose(answer).segments] == [
        "There are two.",
        "1. Foo is a bar.",
        "2. Bar is a foo.",
    ]


def test_wrapped_lines_are_one_sentence():
    """A sentence may cross a soft line break, also with CRLF."""
    answer = "The longest bridge of the northern region was built by\r\nthe city in 1990. It is red."
    assert (
        decompose(answer).segments[0].text == "The longest bridge of the northern region was built by the city in 1990."
    )


def test_emphasis_and_tags_do_not_hide_a_full_stop():
    """Bold and HTML around the end of a sentence do not glue it to the next, and are gone from the text."""
    assert texts("It is **Paris**. Next is <b>Rome</b>.<br>H<sub>2</sub>O &amp; salt mix.") == [
        "It is Paris.",
        "Next is Rome.",
        "H2O & salt mix.",
    ]


# Connectives


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The bank failed.", "Consequently, savers lost money."),
        ("The bank failed.", "As a result, savers lost money."),
        ("The bank failed.", "Because of this, savers lost money."),
        ("The bank failed.", "This led to losses."),
        ("Pay in time.", "Otherwise, the contract ends."),
        ("The bank failed.", "However, savers lost nothing."),
        ("The bank failed.", "After that, savers left."),
        ("Many banks failed.", "For example, Northern Bank closed."),
    ],
)
def test_connective_keeps_both_sides_together(first, second):
    """A sentence that a connective ties to the one before stays with it."""
    assert texts(f"{first} {second} The sky is blue.") == [f"{first} {second}", "The sky is blue."]


@pytest.mark.parametrize("connective", ["因此", "所以", "于是", "然而", "但是", "否则", "因为这个"])
def test_chinese_connective_keeps_both_sides_together(connective):
    """The same in Chinese, without a space between the two."""
    assert texts(f"银行倒闭了。{connective}储户损失了钱。天空是蓝色的。") == [
        f"银行倒闭了。{connective}储户损失了钱。",
        "天空是蓝色的。",
    ]


def test_merged_segment_holds_its_relation():
    """The relation across the full stop is found, with both sides."""
    relation = decompose("The bank failed. Therefore, savers lost money.").segments[0].relations[0]
    assert relation.kind is RelationKind.CAUSE
    assert "bank failed" in relation.first
    assert "savers lost money" in relation.second


def test_merged_segments_are_limited():
    """At most three sentences for consequences, two for contrasts, and 600 characters."""
    assert [t.count(".") for t in texts("A one is. " + "Therefore, it goes. " * 5)] == [3, 3]
    assert [t.count(".") for t in texts("A one is. " + "However, it goes. " * 3)] == [2, 2]
    long = "The bank " + "very " * 120 + "surely failed."
    assert len(texts(f"{long} Therefore, savers lost money.")) == 2


def test_connectives_do_not_cross_blocks():
    """A new paragraph or item starts a new segment."""
    assert len(texts("The bank failed.\n\nTherefore, savers lost money.")) == 2
    assert len(texts("- The bank failed.\n- Therefore, savers lost money.")) == 2


# Pronouns


@pytest.mark.parametrize(
    ("answer", "last"),
    [
        ("Marie Curie was born in Warsaw. She won two Nobel Prizes.", "Marie Curie won two Nobel Prizes."),
        ("Marie Curie was born in Warsaw. Her father taught physics.", "Marie Curie's father taught physics."),
        ("Barack Obama was born in Hawaii. In 2008, he was elected.", "In 2008, Barack Obama was elected."),
        ("The Eiffel Tower was built by Gustave Eiffel. It is 330 m tall.", "The Eiffel Tower is 330 m tall."),
        ("Apple Inc. is a company. It's based in Cupertino.", "Apple Inc. is based in Cupertino."),
        ("Marie and Pierre Curie were physicists. They found radium.", "Marie and Pierre Curie found radium."),
        ("居里夫人于1867年出生于华沙。她获得了两次诺贝尔奖。", "居里夫人获得了两次诺贝尔奖。"),
        ("华为公司成立于1987年。该公司总部位于深圳。", "华为公司总部位于深圳。"),
        ("埃菲尔铁塔位于巴黎。其高度为330米。", "埃菲尔铁塔的高度为330米。"),
    ],
)
def test_leading_pronoun_gets_its_referent(answer, last):
    """The text names whom the pronoun means; the span still quotes the answer."""
    segment = decompose(answer).segments[-1]
    assert segment.text == last
    assert segment.span.of(answer) != last


@pytest.mark.parametrize(
    "answer",
    [
        "Marie Curie met Albert Einstein. They talked.",
        "Queen Victoria was born in London. He was tall.",
        "Paris and Rome are cities. The latter is in Italy.",
        "The company launched a phone. It has a large screen.",
        "Apple acquired Beats. It was founded in 2006.",
        "John was succeeded by Mark Twain. He died in 1910.",
        "John Smith's dog was big. He barked.",
        "The Eiffel Tower is in Paris. It is known that iron rusts.",
        "The Eiffel Tower is in Paris. It rained all day.",
        "李明和王芳是同事。他很高。",
        "埃菲尔铁塔位于巴黎。其中有很多人。",
    ],
)
def test_unsafe_pronoun_is_left_alone(answer):
    """A wrong referent is worse than none."""
    segment = decompose(answer).segments[-1]
    assert segment.text == segment.span.of(answer)


def test_question_names_the_subject():
    """A pronoun at the start means the one name in the question, if there is exactly one."""
    assert texts("He was born in 1990.", question="Who is Dick Hanley the swimmer?") == [
        "Dick Hanley was born in 1990."
    ]
    assert texts("He was born in 1990.", question="Did Bob Smith meet Ann Jones?") == ["He was born in 1990."]
    assert texts("他出生于绍兴。", question="鲁迅是谁？") == ["鲁迅出生于绍兴。"]


# What needs no check


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("# Early life", "heading"),
        ("Main causes:", "heading"),
        ("主要原因：", "heading"),
        ("Here are the main points:", "meta"),
        ("The following countries are members:", "heading"),
        ("Based on the provided documents, here is the answer:", "meta"),
        ("根据提供的资料，回答如下：", "meta"),
        ("Hello!", "greeting"),
        ("I hope this helps!", "greeting"),
        ("Let me know if you have any questions.", "greeting"),
        ("你好！", "greeting"),
        ("希望这能帮到您！", "greeting"),
        ("What is the capital of France?", "question"),
        ("法国的首都是什么？", "question"),
        ("[1][2]", "citation"),
        ("https://example.org/a?b=c", "citation"),
        ("Sources: [1], [2]", "citation"),
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


# Citations


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


# Robustness


def test_odd_characters_keep_offsets():
    """Lone surrogates, NUL, zero-width, bidirectional and emoji characters do not shift spans or reach the text."""
    answer = "A\ud800 tower\x00 is\u200b tall 🎉. \u202eمرحبا بك. It is\ufeff old."
    found = decompose(answer).segments
    assert "".join(s.span.of(answer) for s in found).replace(" ", "") == answer.replace(" ", "")
    assert found[0].text.startswith("A\ufffd tower is tall")


@pytest.mark.parametrize("answer", ["", " \n\t\r\n\u3000", "\n" * 1000])
def test_whitespace_only_has_no_segments(answer):
    """Nothing comes of nothing."""
    assert decompose(answer).segments == ()


@pytest.mark.parametrize(
    "answer",
    [
        "a" * 300_000,
        "[" * 100_000,
        "**" * 100_000,
        "\n" * 100_000,
        "He said. " * 110_000,
        "他出生于北京。" * 10_000,
        "<!--" * 100_000,
        "“a" * 60_000,
        "_" * 100_000 + "a",
        "[1](" * 100_000,
        "|a|\n|-|\n\n" * 8_000,
        "".join("`" * (3 + i % 400) + "md\n" for i in range(2000)),
        "the passages do not " * 20_000,
    ],
    ids=lambda answer: repr(answer[:6]),
)
def test_hostile_answers_take_linear_time(answer):
    """Nothing takes longer than a few seconds of CPU, on a slow machine either."""
    start = time.process_time()
    decompose(answer)
    assert time.process_time() - start < 8


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Does the X200 support gaming?", "X200"),
        ("Is Larkmoor Dam open?", "Larkmoor Dam"),
        ("Did Queen Victoria win a prize?", "it"),
        ("Tell me about Larkmoor Dam.", "Larkmoor Dam"),
        ("Can dogs enter the park?", "it"),
    ],
)
def test_the_verb_that_opens_a_question_is_no_part_of_its_subject(question, subject):
    [segment] = decompose("However, it does not open on Mondays.", question=question).segments
    assert segment.text == f"However, {subject} does not open on Mondays."

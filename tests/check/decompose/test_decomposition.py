"""decompose: sentences, spans and plain text, for any answer."""

import pytest

from guardrail.check.decompose import decompose
from tests.support.decomposed import texts
from tests.support.growth import grows_linearly


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
        "a" * 30_000,
        "[" * 30_000,
        "**" * 30_000,
        "\n" * 30_000,
        "He said. " * 6_000,
        "他出生于北京。" * 5_000,
        "<!--" * 30_000,
        "“a" * 8_000,
        "_" * 30_000 + "a",
        "[1](" * 30_000,
        "|a|\n|-|\n\n" * 4_000,
        "".join("`" * (3 + i % 400) + "md\n" for i in range(2000)),
        "the passages do not " * 8_000,
        "```\n" + "x = 1\nThe dam is very old indeed.\n" * 2_500 + "```",
        "```\n\n```\n" * 3_000,
        "# " + "flood kills dozens " * 12_000,
        "<a b=" * 12_000,
        "<a " * 8_000,
        "    x = 1\n    The dam is very old.\n" * 2_500,
        "|" + "a is b|" * 6_000 + "\n|-|",
        "References\n" + "[1] Smith (2020).\n" * 3_000,
        "12.\n" * 6_000,
    ],
    ids=lambda answer: repr(answer[:8]),
)
def test_hostile_answers_take_linear_time(answer):
    assert grows_linearly(decompose, answer)

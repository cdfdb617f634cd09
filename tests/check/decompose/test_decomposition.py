"""decompose: sentences, spans and plain text, for any answer."""

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from guardrail.check.decompose import decompose
from guardrail.text.labels import LABEL
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
        "\n" * 10_000,
        "He said. " * 2_000,
        "他出生于北京。" * 1_700,
        "<!--" * 10_000,
        "“a" * 8_000,
        "_" * 30_000 + "a",
        "[1](" * 10_000,
        "|a|\n|-|\n\n" * 2_000,
        "".join("`" * (3 + i % 400) + "md\n" for i in range(2000)),
        "the passages do not " * 8_000,
        "```\n" + "x = 1\nThe dam is very old indeed.\n" * 1_200 + "```",
        "```\n\n```\n" * 2_000,
        "# " + "flood kills dozens " * 12_000,
        "<a b=" * 12_000,
        "<a " * 8_000,
        "    x = 1\n    The dam is very old.\n" * 1_200,
        "|" + "a is b|" * 6_000 + "\n|-|",
        "References\n" + "[1] Smith (2020).\n" * 2_000,
        "12.\n" * 3_000,
    ],
    ids=lambda answer: repr(answer[:8]),
)
def test_hostile_answers_take_linear_time(answer):
    assert grows_linearly(decompose, answer)


_PIECES = st.sampled_from(
    [
        "He said. ", "Marie Curie was born in Warsaw. ", "It is 330 m tall [1]. ", "However, ", "Therefore, she left. ", "\n", "\n\n", "\r\n",
        "- ", "1. ", "2) ", "# ", "> ", "```\n", "```md\n", "~~~\n", "    x = 1\n", "| a | b |\n", "|---|---|\n", "---\n", "===\n", "**", "*", "_", "`",
        "[", "]", "[1]", "[2][3]", "(Source: 1)", "【1】", "(", ")", "<b>", "</p>", "<!--", "-->", "&amp;", "https://x.y/z?q=1. ", "[a](b)", "他出生于北京。",
        "因此", "她很有名。", "（一）", "①", "一、", "\ud800", "\x00", "\u200b", "\u202e", "\u2028", "\x1c", "🎉", "مرحبا. ", "?", ":", "：", "Hello! ", "“", "”",
        "\t", " ", "\u3000", "X:\n", "References:\n", "I don't know. ", "他（她）。", "...", "e.g. ", "Dr. ", "3.5 ",
        "Response 1: ", "**Answer 2:** ", "Source 3: ", "Sources:\n", "a.pdf, p. 3\n", "[^1]: ",
    ]
)  # fmt: skip
_ANSWERS = st.lists(_PIECES, max_size=30).map("".join) | st.text(
    st.characters(codec=None, exclude_categories=()), max_size=200
)
_MARKER = re.compile(rf"[\s>#•‣▪◦●○·–—➢✓✔*+\-]*(?:[(（]?\w{{1,4}}[.)．）、]|[①-⑳])?[\s#]*(?:\[[ xX]\]\s*)?(?:{LABEL})?")


@settings(max_examples=400, deadline=None)
@given(answer=_ANSWERS)
@example("a\u2028b. c")
@example("1. 2. 3.")
def test_spans_are_ordered_disjoint_and_trimmed(answer):
    """Ids count up; spans lie in the answer, in order, without overlap, empty spans or outer whitespace."""
    end = 0
    for number, segment in enumerate(decompose(answer).segments, 1):
        assert segment.id == f"s{number}"
        assert end <= segment.span.start < segment.span.end <= len(answer)
        quoted = segment.span.of(answer)
        assert quoted == quoted.strip()
        end = segment.span.end


@settings(max_examples=400, deadline=None)
@given(answer=_ANSWERS)
@example("> > a\n> b")
@example("- \n- [ ] x")
def test_nothing_is_lost(answer):
    """What no segment covers is whitespace, or a list, quote or heading marker, or a label, at the start of a line."""
    covered = bytearray(len(answer))
    for segment in decompose(answer).segments:
        covered[segment.span.start : segment.span.end] = b"\x01" * (segment.span.end - segment.span.start)
    at = 0
    for line in answer.splitlines(keepends=True):
        bare = "".join(c for i, c in enumerate(line) if not covered[at + i])
        rest = next((i for i in range(len(line)) if covered[at + i]), len(line))
        assert not "".join(c for i, c in enumerate(line) if i >= rest and not covered[at + i]).strip(), (line, bare)
        assert _MARKER.fullmatch(line[:rest]), line
        at += len(line)


@settings(max_examples=300, deadline=None)
@given(answer=_ANSWERS, question=st.none() | _ANSWERS, ids=st.lists(st.text(max_size=3), max_size=4))
@example("He said. Response 1: ]", None, [])
def test_text_is_clean_and_result_is_stable(answer, question, ids):
    """Checked segments have words on one line without lone surrogates; the same input gives the same result."""
    found = decompose(answer, question=question, passage_ids=ids)
    assert found == decompose(answer, question=question, passage_ids=ids)
    for segment in found.checked:
        assert re.search(r"[^\W_]", segment.text)
        assert "\n" not in segment.text
        segment.text.encode()
        for relation in segment.relations:
            assert relation.span.of(segment.text) == relation.connective


@settings(max_examples=200, deadline=None)
@given(answer=_ANSWERS)
def test_abstained_answers_have_nothing_to_check(answer):
    """An abstained answer has a declining segment and no checked one."""
    found = decompose(answer)
    if found.abstained:
        assert not found.checked
        assert any(s.skipped == "declines" for s in found.segments)

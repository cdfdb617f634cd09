"""Properties of decompose that hold for any text."""

import re

from hypothesis import example, given, settings
from hypothesis import strategies as st

from guardrail.check.decompose import decompose
from guardrail.text.labels import LABEL

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

"""Verdicts without the model, for texts that it cannot read: a copy, a clear clash of numbers, else nobody judged."""

from __future__ import annotations

import pytest

from guardrail import Guard, Passage, Verdict
from guardrail.engines.local.engine import LocalEngine
from guardrail.engines.local.rules import CERTAIN, bare, judge_by_rules
from guardrail.text.passages import sentences
from guardrail.types import Cause, Row, Segment, Span

DAM = (
    "Larkmoor Dam was built between 1958 and 1963 to supply the town of Fennick with drinking water. "
    "It is 64 metres high and holds 41 million cubic metres. The repair took eleven weeks and cost 2.3 million euros."
)


def only(answer, *passages):
    """The one finding of an answer of one segment."""
    [finding] = Guard(engine=LocalEngine(languages=None)).check(answer, passages).findings
    return finding


@pytest.mark.parametrize(
    "answer", ["Le barrage est fermé pour les visiteurs depuis le mois de mai.", "Плотина высокая.", "ダムは高いです。"]
)
def test_languages_that_the_model_does_not_read_are_unverified(answer):
    """It never guesses."""
    finding = only(answer, DAM)
    assert (finding.verdict, finding.score) == (Verdict.UNVERIFIED, 0.0)
    assert "does not read this language" in finding.reason


CHINESE = "大坝于1963年启用，高64米，供应芬尼克镇的饮用水。"


def test_copied_chinese_is_supported():
    """Copying is certain in any script."""
    finding = only(CHINESE, f"这座城市很古老。{CHINESE}游客很多。")
    assert finding.verdict is Verdict.SUPPORTED
    assert finding.evidence[0].quote == CHINESE


def test_chinese_with_a_clearly_clashing_number_is_contradicted():
    """The same sentence but for one number."""
    wrong = CHINESE.replace("64", "98")
    finding = only(wrong, CHINESE)
    assert finding.verdict is Verdict.CONTRADICTED
    assert finding.focus.of(wrong).startswith("98")


@pytest.mark.parametrize("answer", ["大坝非常美丽，深受当地居民的喜爱。", "大坝供应饮用水，因为镇上缺水。"])
def test_other_chinese_is_unverified(answer):
    """No rule settles it, and the model cannot read it."""
    assert only(answer, CHINESE).verdict is Verdict.UNVERIFIED


def test_english_against_chinese_passages_is_unverified():
    """The passages cannot be read, so silence would be a guess."""
    assert only("The dam was opened in 1963 for the town.", CHINESE).verdict is Verdict.UNVERIFIED


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("所有游客都可以免费入园。", "并非所有游客都可以免费入园。"),
        ("Der Damm ist 64 Meter hoch.", "Es ist nicht wahr, der Damm ist 64 Meter hoch und wird von allen bewundert."),
    ],
)
def test_part_of_a_sentence_is_no_copy(answer, passage):
    """What a sentence contains it may deny."""
    assert only(answer, passage).verdict is not Verdict.SUPPORTED


@pytest.mark.parametrize(
    ("answer", "passage"),
    [
        ("The dam is 6.4 metres high.", "The dam is 64 metres high."),
        ("A ticket costs €5.", "A ticket costs $5."),
        ("Samples are kept at 20 °C.", "Samples are kept at -20 °C."),
    ],
)
def test_signs_points_and_units_count_in_a_copy(answer, passage):
    """Only case, spacing and the full stop may differ for the certainty of a copy."""
    assert only(answer, passage).score < 0.97


@pytest.mark.parametrize(
    ("one", "other", "copied"),
    [
        ("“The  Dam is HIGH.”", "**the dam is high**", True),
        ("大坝很高。", "大坝很高", True),
        ("20 °C", "-20 °C", False),
        ("Is it high?", "Is it high.", False),
        ("6.4 m", "64 m", False),
    ],
)
def test_what_counts_for_a_copy(one: str, other: str, copied: bool) -> None:
    assert (bare(one) == bare(other)) is copied


def judged(text: str, *passages: str, covered: float) -> Row:
    """The row of a segment, whose best sentences are those of the passages."""
    segment = Segment(id="s1", span=Span(0, len(text)), text=text)
    best = [(number, sentence) for number, passage in enumerate(passages) for sentence in sentences(passage)]
    return judge_by_rules(segment, [Passage(text=passage) for passage in passages], best, covered)


def test_a_copy_is_told_by_its_passage_whichever_it_is() -> None:
    row = judged("大坝高64米。", "水库很大。", "大坝高64米", covered=1.0)
    assert (row.supported, row.contradicted, row.unverified) == (CERTAIN, 0.0, None)
    assert [cell is not None for cell in row.cells] == [False, True]
    assert row.evidence[0][0] == 1


def test_a_clash_counts_only_where_the_sentence_holds_most_of_the_segment() -> None:
    near, far = (judged("大坝高98米。", "大坝高64米。", covered=covered) for covered in (0.75, 0.74))
    assert near.contradicted == CERTAIN
    assert "98米" in near.reason
    assert "64米" in near.reason
    assert far.unverified is not None
    assert (far.supported, far.contradicted, far.cause) == (0.0, 0.0, Cause.LANGUAGE)


def test_without_words_or_sentences_nothing_is_judged() -> None:
    assert judged("", "大坝。", covered=0.0).unverified is not None
    row = judged("大坝很高。", covered=0.0)
    assert (row.unverified is None, row.cells, row.evidence) == (False, (), ())

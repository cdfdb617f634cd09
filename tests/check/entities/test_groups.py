"""Which segments a reader without prior knowledge takes to be about one individual."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from guardrail.check.entities import cluster, group, link, mixed
from guardrail.types import Cell, Row, Segment, Span, SupportMatrix
from tests.support.namesakes import HANLEYS, LU, ORDINARY, PASSAGES, TEXTS, pieces


@pytest.mark.parametrize("pronoun", ["他", "她", "它", "其"])
def test_chinese_answers_may_begin_with_a_pronoun(pronoun):
    """Running Chinese has no blank after the pronoun; "其他" is none."""
    answer, segments = pieces(f"{pronoun}曾任水文站站长。")
    assert group(segments, answer, cluster(LU))[0].name == "陆文启"
    answer, segments = pieces("其他人员也在水文站工作。")
    assert group(segments, answer, cluster(LU))[0].name == ""


GROUPING = {
    "another": (
        HANLEYS,
        ["Dick Hanley was a coach.", "Another Dick Hanley was a swimmer.", "He swam in Melbourne."],
        [0, 1, 1],
    ),
    "also named": (
        HANLEYS,
        ["Dick Hanley was a coach.", "There is also a swimmer named Dick Hanley.", "He swam."],
        [0, 1, 1],
    ),
    "ordinals": (
        HANLEYS,
        ["There are two people named Dick Hanley.", "The first is a coach.", "The second is a swimmer.", "He swam."],
        [0, 1, 2, 2],
    ),
    "tags": (
        HANLEYS,
        ["Dick Hanley (American football) was a coach.", "Dick Hanley (swimmer) swam.", "He won silver."],
        [0, 1, 1],
    ),
    "own birth date": (
        HANLEYS,
        ["Dick Hanley (born 1894) was a coach.", "He won.", "Dick Hanley (born 1936) was a coach too.", "Hanley swam."],
        [0, 0, 1, 1],
    ),
    "own description": (
        HANLEYS,
        ["Dick Hanley was a football coach.", "Dick Hanley was an American swimmer.", "He won."],
        [0, 1, 1],
    ),
    "list": (HANLEYS, ["1. Dick Hanley: a coach.", "He won.", "2. Dick Hanley: he swam.", "He lost."], [0, 0, 1, 1]),
    "pronouns go on": (
        HANLEYS,
        ["Dick Hanley was a coach.", "He was born in 1894.", "He was born in 1936."],
        [0, 0, 0],
    ),
    "surname and also go on": (
        HANLEYS,
        ["Dick Hanley was a coach.", "Hanley also swam.", "In addition to coaching, Dick Hanley is also a swimmer."],
        [0, 0, 0],
    ),
    "another prize is no person": (
        HANLEYS,
        ["Dick Hanley was a coach.", "Another achievement was his silver.", "One of his pupils won."],
        [0, 0, 0],
    ),
    "return by tag": (
        HANLEYS,
        ["Dick Hanley (coach) won.", "Dick Hanley (swimmer) swam.", "Dick Hanley (coach) retired."],
        [0, 1, 0],
    ),
    "chinese another": (
        LU,
        ["陆文启是水文站站长。", "他记录水位。", "另一位陆文启是画家。", "他举办画展。"],
        [0, 0, 1, 1],
    ),
    "chinese also one": (LU, ["陆文启是水文站站长。", "另有一位同名的画家。"], [0, 1]),
    "chinese goes on": (LU, ["陆文启是水文站站长。", "他还是一名画家。", "陆文启1987年退休。"], [0, 0, 0]),
    "ordinary": (ORDINARY["topics of one firm"], ["Leave is 18 weeks.", "Another policy is flexible hours."], [0, 0]),
}


@pytest.mark.parametrize("name", GROUPING)
def test_groups_follow_the_reader(name):
    """A new individual begins where a reader without prior knowledge sees one."""
    passages, texts, expected = GROUPING[name]
    answer, segments = pieces(*texts)
    groups = group(segments, answer, cluster(passages))
    of = {segment: n for n, one in enumerate(groups) for segment in one.segments}
    assert [of[segment.id] for segment in segments] == expected


def test_replaced_pronoun_is_no_introduction():
    """The answer's own words decide, not the stand-alone text that has the name in place of a pronoun."""
    answer = "Dick Hanley was a coach. He was a swimmer."
    segments = [
        Segment(id="a", span=Span(0, 24), text=answer[:24]),
        Segment(id="b", span=Span(25, 42), text="Dick Hanley was a swimmer."),
    ]
    assert len(group(segments, answer, cluster(HANLEYS))) == 1


def test_skipped_segments_are_read_but_not_grouped():
    """A skipped announcement still prepares for "the second"; it is in no group itself."""
    answer, segments = pieces("There are two people named Dick Hanley.", "One is a coach.", "The other is a swimmer.")
    skipped = Segment(id="s0", span=segments[0].span, text=segments[0].text, skipped="meta")
    groups = group([skipped, *segments[1:]], answer, cluster(HANLEYS))
    assert [one.segments for one in groups] == [("s1",), ("s2",)]


@settings(max_examples=60, deadline=None)
@given(PASSAGES, st.lists(TEXTS, max_size=7), st.randoms(use_true_random=False))
def test_any_input(passages, texts, dice):
    """Nothing raises; passages and checked segments are each in exactly one place; linking keeps the groups."""
    answer, segments = pieces(*texts)
    segments = [s if dice.random() < 0.8 else Segment(id=s.id, span=s.span, text=s.text, skipped="x") for s in segments]
    entities = cluster(passages)
    assert sorted(n for entity in entities for n in entity.passages) == list(range(len(passages)))
    groups = group(segments, answer, entities)
    assert sorted(s for one in groups for s in one.segments) == sorted(s.id for s in segments if s.skipped is None)
    cell = Cell(supported=0.7, contradicted=0.1)
    rows = tuple(
        Row(segment_id=s.id, cells=tuple(cell if dice.random() < 0.5 else None for _ in passages)) for s in segments
    )
    linked = link(groups, entities, SupportMatrix(rows=rows), segments, passages)
    assert [one.segments for one in linked] == [one.segments for one in groups]
    assert all(one.entity is None or one.entity.shares_name for one in linked)
    for mix in mixed(linked, entities, SupportMatrix(rows=rows), segments, passages):
        assert mix.linked.shares_name
        assert mix.other.shares_name
        assert mix.linked != mix.other

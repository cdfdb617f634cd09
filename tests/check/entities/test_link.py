"""The assignment problem against all permutations, and namesakes shared out by it."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.check.entities import cluster, group, link
from guardrail.check.entities.link import assign
from guardrail.types import Cell, Passage, Row, Segment, Span, SupportMatrix
from tests.support.namesakes import HANLEYS, LU, MIXED, ORDINARY, analyse


@st.composite
def tables(draw):
    rows, columns = draw(st.integers(1, 6)), draw(st.integers(1, 6))
    number = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(-5, 5, allow_nan=False))
    return draw(st.lists(st.lists(number, min_size=columns, max_size=columns), min_size=rows, max_size=rows))


def best(table):
    """The greatest total, by trying everything."""
    wide = table if len(table) <= len(table[0]) else list(zip(*table, strict=True))
    orders = permutations(range(len(wide[0])), len(wide))
    return max(sum(row[column] for row, column in zip(wide, order, strict=True)) for order in orders)


@given(tables())
def test_it_is_as_good_as_the_best_of_all(table):
    """Also where rows and columns differ in number; no column is given twice, and as many are given as can be."""
    found = assign(table)
    given_out = [column for column in found if column is not None]
    assert len(found) == len(table)
    assert len(set(given_out)) == len(given_out) == min(len(table), len(table[0]))
    total = sum(row[column] for row, column in zip(table, found, strict=True) if column is not None)
    assert total == pytest.approx(best(table))


def test_a_row_may_have_to_leave_its_best():
    """The greedy choice (0, 0) would cost more than it gains."""
    assert assign([[10.0, 9.0], [9.0, 1.0]]) == (1, 0)


def test_nothing_to_assign():
    """No rows, or no columns."""
    assert assign([]) == ()
    assert assign([[], []]) == (None, None)


def test_a_hundred_by_a_hundred_is_no_effort():
    """Cubic, where all permutations would never end."""
    found = assign([[(r * 37 + c * 61) % 101 for c in range(100)] for r in range(100)])
    assert sorted(found) == list(range(100))


LINKS = {
    "by date": (HANLEYS, ["Dick Hanley was born on May 12, 1936."], ["Dick Hanley (swimmer)"]),
    "by rare words": (HANLEYS, ["Dick Hanley worked at Northwestern."], ["Dick Hanley (American football)"]),
    "by tag": (HANLEYS, ["Dick Hanley (swimmer) lived in Ohio."], ["Dick Hanley (swimmer)"]),
    "each its own": (
        HANLEYS,
        ["Dick Hanley was a football coach.", "Another Dick Hanley won silver in Melbourne."],
        ["Dick Hanley (American football)", "Dick Hanley (swimmer)"],
    ),
    "tie": (HANLEYS, ["Dick Hanley liked cheese."], ["Dick Hanley (American football)"]),
    "chinese": (LU, ["陆文启1990年举办了个人画展。"], ["陆文启（画家）"]),
    "ordinary": (ORDINARY["same title"], ["Marie Curie won two prizes."], [None]),
    "other subject": (HANLEYS, ["Melbourne hosted the games in 1956."], [None]),
}


@pytest.mark.parametrize("name", LINKS)
def test_link(name):
    """Groups go to the namesake that bears them out; other groups go to nobody."""
    passages, texts, expected = LINKS[name]
    _, groups, _ = analyse(passages, texts)
    assert [one.entity.title if one.entity else None for one in groups] == expected


def test_cells_count_in_linking():
    """Where words are silent the matrix decides."""
    row = Row(segment_id="s0", cells=(Cell(supported=0.1, contradicted=0.0), Cell(supported=0.9, contradicted=0.0)))
    _, groups, _ = analyse(HANLEYS, ["Dick Hanley liked water."], [row])
    assert groups[0].entity is not None
    assert groups[0].entity.title == "Dick Hanley (swimmer)"


def test_mixed_is_found():
    """A namesake's fact in a group is a Mix that names both."""
    _, groups, mixes = analyse(HANLEYS, MIXED)
    assert len(groups) == 1
    assert [(mix.segment_id, mix.linked.title, mix.other.title) for mix in mixes] == [
        ("s2", "Dick Hanley (American football)", "Dick Hanley (swimmer)")
    ]
    assert 0 < mixes[0].margin <= 1


def test_mixed_is_found_in_chinese():
    """The same with characters for words."""
    _, _, mixes = analyse(
        LU,
        [
            "陆文启1931年出生，是青岩水文站站长。",
            "他1958年起在青岩水文站记录水位，1987年退休。",
            "他1990年在临溪镇举办个人画展。",
        ],
    )
    assert [mix.segment_id for mix in mixes] == ["s2"]


@pytest.mark.parametrize(("ours", "theirs", "fires"), [(0.9, 0.9, False), (0.1, 0.2, False), (0.1, 0.9, True)])
def test_read_cells_can_veto_a_mix(ours, theirs, fires):
    """Words alone do not make a mix where the model has read and says otherwise."""
    row = Row(segment_id="s2", cells=(Cell(supported=ours, contradicted=0.0), Cell(supported=theirs, contradicted=0.0)))
    assert bool(analyse(HANLEYS, MIXED, [row])[2]) is fires


@pytest.mark.parametrize(
    "texts",
    [
        [
            "Dick Hanley was an American football coach.",
            "Another Dick Hanley won silver in the relay at Melbourne in 1956.",
        ],
        ["There are two people named Dick Hanley, a football coach and a swimmer.", "Which one do you mean?"],
        ["Dick Hanley won silver in the relay at Melbourne in 1956.", "He was happy."],
    ],
)
def test_right_answers_are_not_mixed(texts):
    """Answers that keep namesakes apart give no Mix."""
    assert analyse(HANLEYS, texts)[2] == ()


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_answers_are_never_linked_or_mixed(name):
    """Without namesakes there is one group, no entity, no Mix, whatever the answer takes from where."""
    passages = ORDINARY[name]
    entities, groups, mixes = analyse(passages, [page.text for page in passages])
    assert not any(one.entity for one in groups)
    assert len(groups) == 1
    assert mixes == ()
    assert entities


TWO_HANLEYS = [
    Passage(id="c", title="Dick Hanley (American football)", text="Dick Hanley coached Northwestern."),
    Passage(id="s", title="Dick Hanley (swimmer)", text="Dick Hanley won silver in the relay at Melbourne in 1956."),
]


def linked(sentences, cells, **options):
    """Titles of the groups' entities; each sentence opens a group; ``cells`` are P(supported) by passage."""
    answer, segments = " ".join(sentences), []
    for n, text in enumerate(sentences):
        start = answer.index(text)
        segments.append(Segment(id=f"s{n}", span=Span(start, start + len(text)), text=text))
    rows = [
        Row(segment_id=f"s{n}", cells=tuple(Cell(supported=p, contradicted=0.0) for p in line))
        for n, line in enumerate(cells)
    ]
    entities = cluster(TWO_HANLEYS)
    groups = group(segments, answer, entities)
    assert len(groups) == len(sentences)
    return [
        one.entity.title
        for one in link(groups, entities, SupportMatrix(rows=tuple(rows)), segments, TWO_HANLEYS, **options)
    ]


COACHED, SWAM = "Dick Hanley (American football)", "Dick Hanley (swimmer)"


def test_two_groups_may_take_one_namesake_unless_assigned():
    """D-FActScore, appendix C.1: by equation 1 alone both are the swimmer's."""
    sentences = ["Dick Hanley was in Melbourne in 1956.", "Another Dick Hanley won silver in the relay in 1956."]
    cells = [(0.55, 0.6), (0.1, 0.9)]
    assert linked(sentences, cells) == linked(sentences, cells, assignment="argmax") == [SWAM, SWAM]
    assert linked(sentences, cells, assignment="hungarian") == [COACHED, SWAM]


def test_a_group_left_over_gets_its_best():
    """Three biographies, two namesakes: none stays without an entity."""
    sentences = ["Dick Hanley (swimmer) swam.", "Dick Hanley (coach) won.", "Another Dick Hanley won silver."]
    found = linked(sentences, [(0.0, 0.9), (0.9, 0.0), (0.0, 0.5)], assignment="hungarian")
    assert found == [SWAM, COACHED, SWAM]

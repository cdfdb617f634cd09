"""The assignment problem against all permutations, and namesakes shared out by it."""

from __future__ import annotations

import time
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from guardrail.check.entities import cluster, group, link
from guardrail.check.entities.link import assign
from guardrail.types import Cell, Passage, Row, Segment, Span, SupportMatrix


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
    start = time.process_time()
    found = assign([[(r * 37 + c * 61) % 101 for c in range(100)] for r in range(100)])
    assert sorted(found) == list(range(100))
    assert time.process_time() - start < 2.0


HANLEYS = [
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
    entities = cluster(HANLEYS)
    groups = group(segments, answer, entities)
    assert len(groups) == len(sentences)
    return [
        one.entity.title
        for one in link(groups, entities, SupportMatrix(rows=tuple(rows)), segments, HANLEYS, **options)
    ]


COACH, SWIMMER = "Dick Hanley (American football)", "Dick Hanley (swimmer)"


def test_two_groups_may_take_one_namesake_unless_assigned():
    """D-FActScore, appendix C.1: by equation 1 alone both are the swimmer's."""
    sentences = ["Dick Hanley was in Melbourne in 1956.", "Another Dick Hanley won silver in the relay in 1956."]
    cells = [(0.55, 0.6), (0.1, 0.9)]
    assert linked(sentences, cells) == linked(sentences, cells, assignment="argmax") == [SWIMMER, SWIMMER]
    assert linked(sentences, cells, assignment="hungarian") == [COACH, SWIMMER]


def test_a_group_left_over_gets_its_best():
    """Three biographies, two namesakes: none stays without an entity."""
    sentences = ["Dick Hanley (swimmer) swam.", "Dick Hanley (coach) won.", "Another Dick Hanley won silver."]
    found = linked(sentences, [(0.0, 0.9), (0.9, 0.0), (0.0, 0.5)], assignment="hungarian")
    assert found == [SWIMMER, COACH, SWIMMER]

"""Scores: reductions of hand-made matrices, checked against numbers worked out by hand."""

from __future__ import annotations

import pytest

from guardrail.judge import judge
from guardrail.scores import answer_score, answer_verdict, reduce_matrix
from guardrail.types import (
    Cell,
    Entity,
    EntityGroup,
    ErrorType,
    Finding,
    Passage,
    Row,
    Scores,
    Segment,
    Span,
    Verdict,
)

V = Verdict
PASSAGES = tuple(Passage(id=f"p{n}", text=f"Passage number {n} is here.") for n in range(3))


def matrix(table, *, citations=(), contradicted=()):
    """Segments s0, s1, ... and rows from P(supported) per passage; None = not read, a row of "?" = unverified."""
    segments, rows = [], {}
    for n, line in enumerate(table):
        ident = f"s{n}"
        cited = citations[n] if citations else ()
        segments.append(Segment(id=ident, span=Span(n, n + 1), text="x", citations=cited))
        if line == "?":
            rows[ident] = Row(segment_id=ident, cells=(None,) * 3, unverified="late")
            continue
        cells = tuple(None if p is None else Cell(supported=p, contradicted=0.0) for p in line)
        best = max(range(3), key=lambda i: line[i] or 0.0)
        rows[ident] = Row(
            segment_id=ident,
            cells=cells,
            supported=max(p or 0.0 for p in line),
            contradicted=0.9 if n in contradicted else 0.0,
            evidence=((best, Span(0, 7)),),
        )
    return segments, rows


def score(table, *, groups=(), entities=(), citations=(), contradicted=(), threshold=0.5):
    segments, rows = matrix(table, citations=citations, contradicted=contradicted)
    findings = judge(segments, rows, {}, groups, {}, "x" * len(table), PASSAGES, threshold)
    return reduce_matrix(segments, rows, findings, groups, entities, PASSAGES, threshold)


def test_factscore_is_the_share_of_segments_that_some_passage_supports():
    """2 of 4: one by the last passage alone, one by the first; an unjudged one counts as not supported."""
    found = score([(0.1, 0.1, 0.9), (0.5, None, None), (0.4, 0.4, 0.4), "?"])
    assert (found.factscore, found.faithfulness) == (0.5, 0.5)


def test_the_threshold_is_where_support_begins():
    """The same matrix under three thresholds."""
    table = [(0.3, 0.0, 0.0), (0.6, 0.0, 0.0), (0.9, 0.0, 0.0)]
    assert [score(table, threshold=t).factscore for t in (0.3, 0.6, 0.95)] == [1.0, pytest.approx(2 / 3), 0.0]


def test_refchecker_ratios_share_out_what_was_judged():
    """1 supported, 1 neutral, 2 contradicted, 1 unverified of 5."""
    found = score([(0.9, 0, 0), (0.1, 0, 0), (0.1, 0, 0), (0.2, 0, 0), "?"], contradicted=(2, 3))
    assert (found.entailment, found.neutral, found.contradiction) == (0.2, 0.2, 0.4)


COACH = Entity(id="e0", name="Dick Hanley", title="Dick Hanley (coach)", passages=(0,), shares_name=True)
SWIMMER = Entity(id="e1", name="Dick Hanley", title="Dick Hanley (swimmer)", passages=(1,), shares_name=True)
MELBOURNE = Entity(id="e2", name="Melbourne", title="Melbourne", passages=(2,))


def test_d_factscore_counts_only_what_the_linked_individual_bears_out():
    """3 facts of the coach: one by his passage, one by the swimmer's, one by a passage of another subject."""
    group = EntityGroup(id="g0", name="Dick Hanley", segments=("s0", "s1", "s2"), entity=COACH)
    table = [(0.9, 0.1, 0.1), (0.1, 0.9, 0.1), (0.1, 0.1, 0.9)]
    found = score(table, groups=[group], entities=[COACH, SWIMMER, MELBOURNE])
    assert (found.factscore, found.d_factscore) == (1.0, pytest.approx(2 / 3))


def test_d_factscore_equals_factscore_without_namesakes():
    """Different documents about one thing stay usable together."""
    group = EntityGroup(id="g0", name="Melbourne", segments=("s0", "s1"))
    found = score([(0.9, 0.1, 0.1), (0.1, 0.1, 0.9)], groups=[group], entities=[MELBOURNE])
    assert found.d_factscore == found.factscore == 1.0


def test_groups_and_entities_are_counted():
    """Two named groups linked to two individuals; a nameless group is not an individual."""
    groups = [
        EntityGroup(id="g0", name="Dick Hanley", segments=("s0",), entity=COACH),
        EntityGroup(id="g1", name="Dick Hanley", segments=("s1",), entity=SWIMMER),
        EntityGroup(id="g2", name="", segments=("s2",)),
    ]
    found = score([(0.9, 0, 0)] * 3, groups=groups, entities=[COACH, SWIMMER])
    assert (found.n_groups, found.n_entities) == (2, 2)


def test_citation_recall_and_precision():
    """4 segments, 5 citations: 2 segments backed (recall 1/2), 3 citations good (precision 3/5)."""
    found = score(
        [(0.9, 0.8, 0.1), (0.9, 0.1, 0.1), (0.9, 0.1, None), (0.1, 0.1, 0.9)],
        citations=[("p0", "p1"), ("p1",), (), ("p2", "p9")],
    )
    assert (found.citation_recall, found.citation_precision) == (0.5, pytest.approx(3 / 5))


def test_a_citation_of_an_unread_or_missing_passage_is_not_good():
    """Never padded."""
    found = score([(0.9, None, 0.9)], citations=[("p1", "nowhere")])
    assert (found.citation_recall, found.citation_precision) == (0.0, 0.0)


def test_citation_scores_are_undefined_without_citations():
    """None, not 0 and not 1."""
    found = score([(0.9, 0.9, 0.9)])
    assert (found.citation_recall, found.citation_precision) == (None, None)


def test_no_segments_give_no_scores():
    """Undefined, not perfect."""
    assert score([]) == Scores()


def conflict_row(second):
    cells = (Cell(supported=0.9, contradicted=0.0), second, None)
    return Row(segment_id="s0", cells=cells, supported=0.9, evidence=((0, Span(0, 7)),))


@pytest.mark.parametrize(
    ("second", "conflict"),
    [
        (Cell(supported=0.1, contradicted=0.95), True),
        (Cell(supported=0.1, contradicted=0.6), False),
        (Cell(supported=0.8, contradicted=0.95), False),
        (None, False),
    ],
)
def test_a_passage_that_clearly_contradicts_another_is_a_conflict(second, conflict):
    """The finding stays supported and says that the sources disagree."""
    segment = Segment(id="s0", span=Span(0, 1), text="x")
    [finding] = judge([segment], {"s0": conflict_row(second)}, {}, (), {}, "x", PASSAGES, 0.5)
    assert (finding.verdict, finding.conflict) == (V.SUPPORTED, conflict)


def finding(verdict, value=0.5, ident="s0"):
    return Finding(id=ident, text="x", span=Span(0, 1), claim="x", verdict=verdict, score=value)


@pytest.mark.parametrize(
    ("verdicts", "expected"),
    [
        ([V.SUPPORTED, V.SUPPORTED], V.SUPPORTED),
        ([V.SUPPORTED, V.UNVERIFIED], V.UNVERIFIED),
        ([V.UNVERIFIED, V.UNSUPPORTED], V.UNSUPPORTED),
        ([V.UNSUPPORTED, V.CONTRADICTED, V.UNVERIFIED], V.CONTRADICTED),
    ],
)
def test_the_answer_is_as_bad_as_its_worst_finding(verdicts, expected):
    """RefChecker's strict aggregation, in any order."""
    findings = [finding(v) for v in verdicts]
    assert answer_verdict(findings) is answer_verdict(findings[::-1]) is expected


def test_the_answers_score_is_its_weakest_part():
    """The number to put a threshold on."""
    assert answer_score([finding(V.SUPPORTED, 0.9), finding(V.UNSUPPORTED, 0.2), finding(V.SUPPORTED, 0.7)]) == 0.2
    assert answer_score([]) == 0.0


def test_evidence_is_quoted_to_the_character():
    """Quote, span and passage id belong together; an unsupported finding has an error type."""
    segments, rows = matrix([(0.1, 0.3, 0.2)])
    [found] = judge(segments, rows, {}, (), {}, "x", PASSAGES, 0.5)
    [evidence] = found.evidence
    assert (evidence.passage_id, evidence.span, evidence.quote) == ("p1", Span(0, 7), "Passage")
    assert (found.verdict, found.error_type) == (V.UNSUPPORTED, ErrorType.HALLUCINATION)

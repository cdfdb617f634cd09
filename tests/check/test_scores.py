"""Scores: reductions of hand-made matrices, checked against numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from guardrail.check.entities import Mix
from guardrail.check.scores import answer_score, answer_verdict
from guardrail.types import (
    BiographyCategory,
    Cell,
    Claim,
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
from tests.support.verified import citation_scores, judge, reduce_matrix

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


def score(table, *, groups=(), entities=(), citations=(), contradicted=(), threshold=0.5, claims=(), mixes=()):
    """``claims`` holds for each segment the lines of its claims, as ``table`` holds those of the segments."""
    segments, rows = matrix(table, citations=citations, contradicted=contradicted)
    findings = judge(segments, rows, {}, groups, {}, "x" * len(table), PASSAGES, threshold)
    judged = {}
    for n, lines in enumerate(claims):
        _, found = matrix(lines)
        named = {f"s{n}.{k}": row for k, row in enumerate(found.values())}
        segments[n] = replace(segments[n], claims=tuple(Claim(id=ident, text="x") for ident in named))
        judged |= {ident: replace(row, segment_id=ident) for ident, row in named.items()}
    return reduce_matrix(segments, rows, findings, groups, entities, PASSAGES, threshold, claims=judged, mixes=mixes)


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


def test_fact_scores_count_claims_where_they_were_judged():
    """Segment 0 has 3 claims, 2 of them borne out; segment 1 has none and counts as one fact: 3 of 4."""
    found = score([(0.1, 0, 0), (0.9, 0, 0)], claims=[[(0.9, 0, 0), (0.1, 0, 0), (0, 0.9, 0)], []])
    assert (found.factscore, found.entailment, found.neutral) == (0.75, 0.75, 0.25)
    assert found.faithfulness == 0.5  # over findings, as before


def test_claims_that_nobody_judged_are_not_supported():
    """Neither is support anything that the threshold 0 would let through."""
    found = score([(0.9, 0, 0)], claims=[[(0.9, 0, 0), "?"]], threshold=0.0)
    assert (found.factscore, found.d_factscore) == (0.5, 0.5)
    assert found.entailment + found.neutral + found.contradiction == 0.5


def test_a_claim_without_a_row_is_counted():
    """Beyond the limit of segments, say: the fact is not lost."""
    segments, rows = matrix([(0.9, 0, 0)])
    segment = replace(segments[0], claims=(Claim(id="a", text="x"), Claim(id="b", text="x")))
    findings = judge([segment], rows, {}, (), {}, "x", PASSAGES, 0.5)
    found = reduce_matrix([segment], rows, findings, (), (), PASSAGES, 0.5, claims={"a": rows["s0"]})
    assert (found.factscore, found.entailment) == (0.5, 0.5)


def test_d_factscore_over_claims_leaves_out_namesakes():
    """2 claims of the coach in one segment: his own passage, and the swimmer's."""
    group = EntityGroup(id="g0", name="Dick Hanley", segments=("s0",), entity=COACH)
    found = score(
        [(0.9, 0.1, 0.1)],
        claims=[[(0.9, 0.1, 0.1), (0.1, 0.9, 0.1)]],
        groups=[group],
        entities=[COACH, SWIMMER, MELBOURNE],
    )
    assert (found.factscore, found.d_factscore) == (1.0, 0.5)
    assert (found.n_groups, found.n_entities) == (1, 2)  # the second claim is linked by itself
    assert found.category is BiographyCategory.ONE_BIO_N_ENTITIES


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
    assert found.category is BiographyCategory.N_BIOS_N_ENTITIES


BIO = EntityGroup(id="g0", name="Dick Hanley", segments=("s0", "s1"), entity=COACH)
MIX = Mix(segment_id="s1", linked=COACH, other=SWIMMER, margin=0.5)


def test_one_biography_of_two_namesakes():
    """Figure 1 of the paper: the reader sees one person, the facts are two persons'."""
    table = [(0.9, 0.1, 0), (0.1, 0.9, 0)]
    found = score(table, groups=[BIO], entities=[COACH, SWIMMER], mixes=[MIX])
    assert (found.n_groups, found.n_entities) == (1, 2)
    assert found.category == "one_bio_n_entities"
    clean = score(table, groups=[BIO], entities=[COACH, SWIMMER])
    assert (clean.n_groups, clean.n_entities, clean.category) == (1, 1, "one_bio_one_entity")


def test_a_claim_of_both_namesakes_adds_nobody():
    """That the swimmer is American too does not mean that the answer draws on him; nor does an unjudged claim."""
    lines = [[(0.9, 0.9, 0.1), (0.1, 0.1, 0.9), "?"], []]
    found = score([(0.9, 0, 0)] * 2, claims=lines, groups=[BIO], entities=[COACH, SWIMMER, MELBOURNE])
    assert (found.n_entities, found.category) == (1, "one_bio_one_entity")


def test_an_answer_about_none_of_the_namesakes_is_no_biography():
    """Only a nameless group: it says that several bear the name, or speaks of something else."""
    group = EntityGroup(id="g0", name="", segments=("s0",))
    assert score([(0.9, 0, 0)], groups=[group], entities=[COACH, SWIMMER]).category == "no_bio"


def test_there_is_no_category_without_namesakes():
    """Individuals are counted all the same: two that an engine named, or the one that nobody named."""
    groups = [EntityGroup(id=f"g{n}", name=name, segments=(f"s{n}",)) for n, name in enumerate(["Larkmoor", "Fennick"])]
    found = score([(0.9, 0, 0)] * 2, groups=groups, entities=[MELBOURNE])
    assert (found.n_groups, found.n_entities, found.category) == (2, 2, None)
    nameless = EntityGroup(id="g0", name="", segments=("s0",))
    found = score([(0.9, 0, 0)], groups=[nameless], entities=[MELBOURNE])
    assert (found.n_groups, found.n_entities, found.category) == (1, 1, None)


def test_citation_recall_and_precision():
    """4 segments, 5 citations: 2 segments backed (recall 1/2), 3 citations good (precision 3/5)."""
    found = score(
        [(0.9, 0.8, 0.1), (0.9, 0.1, 0.1), (0.9, 0.1, None), (0.1, 0.1, 0.9)],
        citations=[("p0", "p1"), ("p1",), (), ("p2", "p9")],
    )
    assert (found.citation_recall, found.citation_precision) == (0.5, pytest.approx(3 / 5))


def joint(citations, evidence, *, supported=0.9):
    """Citation scores of one segment that no passage supports alone."""
    cells = (Cell(supported=0.3, contradicted=0.0),) * 3
    quoted = tuple((n, Span(0, 7)) for n in evidence)
    row = Row(segment_id="s0", cells=cells, supported=supported, evidence=quoted)
    segment = Segment(id="s0", span=Span(0, 1), text="x", citations=citations)
    return citation_scores([segment], {"s0": row}, PASSAGES, 0.5)


def test_cited_passages_may_support_a_segment_together():
    """Appendix D: "can be supported by its citation(s)"; a third one that adds nothing is not good."""
    assert joint(("p0", "p1"), (0, 1)) == (1.0, 1.0)
    assert joint(("p0", "p1", "p2"), (0, 1)) == (1.0, pytest.approx(2 / 3))
    assert joint(("p0",), (0, 1)) == (0.0, 0.0)  # half of the evidence is not cited
    assert joint(("p0", "p1"), (0, 1), supported=0.3) == (0.0, 0.0)
    assert joint(("p0", "p1"), ()) == (0.0, 0.0)  # no evidence, no support


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

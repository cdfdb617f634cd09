"""A part of a data set, drawn with a fixed seed."""

from __future__ import annotations

from guardrail.evaluation import LabelledAnswer
from guardrail.evaluation.data.labelled import select
from guardrail.types import Verdict

S, C, U = Verdict.SUPPORTED, Verdict.CONTRADICTED, Verdict.UNSUPPORTED


def labelled(ident, part_of="", group=""):
    return LabelledAnswer(id=ident, answer="x", passages=(), label=S, part_of=part_of, claim=bool(part_of), group=group)


def test_a_selection_is_the_same_each_time_in_order_and_keeps_claims_with_their_answer():
    rows = [
        r for n in range(20) for r in (labelled(f"a{n}"), labelled(f"a{n}/1", f"a{n}"), labelled(f"a{n}/2", f"a{n}"))
    ]
    chosen = select(rows, 10)
    assert chosen == select(rows, 10)
    assert len(chosen) == 9
    assert [r for r in rows if r in chosen] == chosen
    wholes = {r.id for r in chosen if not r.claim}
    assert {r.part_of for r in chosen if r.claim} == wholes
    assert chosen != rows[:9]


def test_a_selection_does_not_tie_two_questions_with_the_same_answer():
    rows = [labelled(f"{group}{n}", "Yes.", group) for group in "abc" for n in range(2)]
    chosen = select(rows, 2)
    assert len(chosen) == 2
    assert len({r.group for r in chosen}) == 1
    assert len(select(rows, 3)) == 2


def test_a_selection_of_less_than_one_answer_takes_its_first_claims():
    rows = [labelled(f"{n}", "one") for n in range(5)]
    assert [r.id for r in select(rows, 3)] == ["0", "1", "2"]
    assert select(rows, None) == rows
    assert select(rows, 5) == rows

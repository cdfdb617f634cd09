"""Sentences that mix namesakes up say by title whom they mean."""

from __future__ import annotations

from dataclasses import replace

from guardrail import Action, Guard, Passage
from guardrail.repair import LocalRewriter
from guardrail.types import ErrorType
from tests.support.rewrites import CASE, DOCUMENTS, REWRITE, feedback_of


def test_the_sentence_after_a_namesakes_says_whom_it_means():
    """Else its pronoun would point at the namesake."""
    answer = (
        "Dick Hanley was an American football player and coach. He won a silver medal in the 4×200-meter freestyle "
        "relay at the 1956 Summer Olympics. He was head coach at Haskell Institute from 1922 to 1926."
    )
    guarded = Guard(policy=REWRITE).run(answer, DOCUMENTS[:2])
    assert guarded.text == (
        "Dick Hanley (American football) was an American football player and coach. Dick Hanley (swimmer) won a silver "
        "medal in the 4×200-meter freestyle relay at the 1956 Summer Olympics. Dick Hanley (American football) was head "
        "coach at Haskell Institute from 1922 to 1926."
    )
    assert (guarded.action, guarded.attempts) == (Action.ALLOW, 2)


def test_without_titles_that_tell_them_apart_the_sentence_goes():
    untitled = [Passage(id=p.id, text=p.text) for p in DOCUMENTS[:2]]
    report = Guard().check(CASE["questions"][0]["answer"], DOCUMENTS[:2])
    mixed = [f for f in report.findings if f.error_type is ErrorType.MIXED_ENTITIES]
    assert mixed
    text = LocalRewriter().rewrite(feedback_of(replace(report, passages=tuple(untitled))))
    assert text is not None
    assert "silver" not in text
    assert "(" not in text

"""An engine that judges claims: scores over claims, text form, spans."""

from __future__ import annotations

import io

import pytest

from guardrail import Guard
from guardrail.cli.show import show
from guardrail.telemetry.attributes import report_attributes
from guardrail.types import Usage, Verdict
from tests.support.claim_judge import ANSWER, PASSAGES, ClaimJudge


def test_fact_scores_count_claims_and_faithfulness_segments():
    """4 claims: 2 supported, 1 contradicted, 1 that nobody judged; 1 of 2 segments holds."""
    report = Guard(engine=ClaimJudge()).check(ANSWER, PASSAGES)
    found = report.scores
    assert (found.factscore, found.d_factscore, found.faithfulness) == (0.5, 0.5, 0.5)
    assert (found.entailment, found.neutral, found.contradiction) == (0.5, 0.0, 0.25)
    assert [claim.verdict for claim in report.claims] == [
        Verdict.SUPPORTED,
        Verdict.CONTRADICTED,
        Verdict.UNVERIFIED,
        Verdict.SUPPORTED,
    ]


def shown(guard):
    target = io.StringIO()
    show(guard.run(ANSWER, PASSAGES), target)
    return target.getvalue()


def test_the_text_form_lists_claims_under_their_finding():
    """Who supports and who contradicts stands behind each; the last line is the bill."""
    text = shown(Guard(engine=ClaimJudge()))
    assert "      ✗ Larkmoor Dam | is | green  [lake ✗]\n" in text
    assert "      ? Larkmoor Dam | is | a dam  [dam ?, lake ?]\n" in text
    assert "      ✓ Boats are banned  [lake ✓]\n" in text
    assert text.index("| green") < text.index("  ✓ Boats are banned.  [42–59]")
    assert "2 calls in 2 rounds, 600 tokens in, 80 out, cost 0.0040" in text


def test_the_text_form_says_how_much_a_cascade_saved():
    """Where something was screened."""
    usage = Usage(calls=1, rounds=1, screened=1, escalated=1)
    assert "2 calls in 2 rounds, 0 tokens in, 0 out, 2 of 2 segments escalated" in shown(
        Guard(engine=ClaimJudge(usage))
    )


def test_the_text_form_has_no_bill_where_nothing_was_asked():
    """The local engine asks nobody."""
    assert "calls" not in shown(Guard())


def test_spans_tell_what_an_answer_cost():
    """Counts only: no text of claims, and no key at all where no model was asked or remembered."""
    told = report_attributes(Guard(engine=ClaimJudge()).check(ANSWER, PASSAGES))
    assert told["guardrail.llm.calls"] == 2
    assert told["guardrail.llm.input_tokens"] == 600
    assert told["guardrail.llm.cost"] == pytest.approx(0.004)
    assert not any("dam" in str(value).casefold() for value in told.values())
    free = report_attributes(Guard().check(ANSWER, PASSAGES))
    assert not any(key.startswith("guardrail.llm") for key in free)
    remembered = report_attributes(Guard(engine=ClaimJudge(Usage(cache_hits=1))).check(ANSWER, PASSAGES))
    assert remembered["guardrail.llm.cache_hits"] == 2
    assert "guardrail.llm.cost" not in remembered

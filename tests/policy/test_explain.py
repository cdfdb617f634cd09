"""Which rule fired, and why."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from guardrail import Action, Policy, Verdict
from guardrail.policy.keys import KEYS
from guardrail.types import LOGIC_ERRORS
from tests.support.findings import A, E, V, bands, finding, found, report


def test_of_equal_rules_the_verdicts_own_is_named_and_its_default_last():
    flagged = Policy(score_below={0.9: "flag", 0.8: "flag"}, actions={"logic": "flag", "contradicted": "flag"})
    assert flagged.decide(report(finding(V.CONTRADICTED, E.OTHER_LOGIC))).rule == "contradicted"
    assert flagged.decide(report(finding(V.UNSUPPORTED, E.OTHER_LOGIC))).rule == "logic"
    assert flagged.decide(report(finding(V.UNSUPPORTED))).rule == "score_below 0.8"


def test_an_explanation_is_a_line_for_people():
    """Which rule fired, what was found, and what else would have."""
    policy = Policy(actions={"contradicted": "redact", "logic": "flag"}, score_below={0.1: "annotate"})
    logical = finding(V.CONTRADICTED, E.CAUSAL_CONFUSION, ident="s2", score=0.05)
    found = policy.explain(report(finding(V.SUPPORTED, score=0.9), logical, finding(V.UNVERIFIED, ident="s3")))
    assert [str(one) for one in found] == [
        "s1 allow: rule 'supported (default)'; supported, score 0.90; no rule names it",
        "s2 redact: rule 'contradicted'; contradicted (causal_confusion), score 0.05; also fit: 'logic' flag, 'score_below 0.1' annotate",
        "s3 block: rule 'unverified (default)'; unverified, no score; no rule names it, fail=closed decides",
    ]
    torn = Policy.strict().explain(report(finding(V.SUPPORTED, conflict=True)))
    assert str(torn[0]) == (
        "s1 annotate: rule 'conflict'; supported, score 0.50, the sources disagree; also fit: 'supported' allow"
    )


def test_an_answer_without_findings_is_explained_as_a_whole():
    declined = report(verdict=V.ABSTAINED, reason="The answer declines and claims nothing.")
    [whole] = Policy.strict().explain(declined)
    assert (whole.finding_id, whole.action, whole.rule) == (None, A.ALLOW, "abstained")
    assert str(whole) == "answer allow: rule 'abstained'; The answer declines and claims nothing"
    [closed] = Policy().explain(report())
    assert str(closed) == (
        "answer block: rule 'unverified (default)'; unverified; no rule names it, fail=closed decides"
    )


keys = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(Action))


@given(keys, bands, st.lists(found, max_size=4), st.sampled_from(Verdict), st.sampled_from(["closed", "open"]))
def test_what_is_explained_is_what_is_decided(actions, score_below, findings, verdict, fail):
    """And the severest of all that fits, whatever the policy."""
    policy = Policy(actions=actions, score_below=score_below, fail=fail)
    checked = report(*(replace(f, id=f"s{n}") for n, f in enumerate(findings)), verdict=verdict)
    decision, told = policy.decide(checked), policy.explain(checked)
    assert tuple((one.finding_id, one.action) for one in told if one.finding_id) == decision.finding_actions
    worst = max(told, key=lambda one: one.action.severity)
    assert (worst.action, worst.rule) == (decision.action, decision.rule)
    for one, judged in zip(told, checked.findings, strict=bool(findings)):
        allowed = {policy.rule_for(judged.verdict)[0]}
        names = {
            judged.error_type if judged.verdict is not V.SUPPORTED else None,
            "conflict" if judged.conflict else None,
        }
        names |= {"logic"} if names & set(LOGIC_ERRORS) else set()
        allowed |= {action for key, action in actions.items() if key in names}
        if judged.verdict is not V.UNVERIFIED:
            allowed |= {action for bound, action in score_below.items() if judged.score < bound}
        assert one.action is max(allowed, key=lambda action: action.severity)

"""Policies: presets, files, bounds, and what a decision follows from."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict

import pytest

from guardrail import Action, ConfigurationError, Decision, ErrorType, Guard, Policy
from guardrail.policy.keys import KEYS
from guardrail.testing import FakeEngine
from tests.support.findings import A, E, V, finding, report

PRESETS = {
    "monitor": [A.ALLOW, A.FLAG, A.FLAG, A.FLAG, A.ALLOW],
    "annotate": [A.ALLOW, A.ANNOTATE, A.ANNOTATE, A.ANNOTATE, A.ALLOW],
    "repair": [A.ALLOW, A.REGENERATE, A.REGENERATE, A.REDACT, A.ALLOW],
    "strict": [A.ALLOW, A.BLOCK, A.BLOCK, A.BLOCK, A.ALLOW],
}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_act_as_documented_and_load_by_name(name):
    """Actions for supported, contradicted, unsupported, unverified findings and for an abstained answer."""
    policy = Policy.load(name)
    assert policy == getattr(Policy, name)()
    found = [
        policy.decide(report(finding(v))).action for v in (V.SUPPORTED, V.CONTRADICTED, V.UNSUPPORTED, V.UNVERIFIED)
    ]
    assert [*found, policy.decide(report(verdict=V.ABSTAINED)).action] == PRESETS[name]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("error", [*ErrorType, None])
@pytest.mark.parametrize("verdict", [V.CONTRADICTED, V.UNSUPPORTED])
def test_no_preset_allows_an_error_of_any_type(name, error, verdict):
    """An error type never makes an action milder than its verdict does."""
    policy = Policy.load(name)
    action = policy.decide(report(finding(verdict, error))).action
    assert action.severity >= policy.decide(report(finding(verdict))).action.severity > A.ALLOW.severity


WRONG = {
    "field": (lambda: Policy(action={"logic": "block"}), "Policy has no field 'action'. Did you mean 'actions'"),
    "changed field": (lambda: Policy().with_(treshold=0.4), "Policy has no field 'treshold'. Did you mean 'threshold'"),
    "exhausted key": (lambda: Policy(on_exhausted={"logik": "block"}), "unknown key 'logik' in on_exhausted.*'logic'"),
    "exhausted key again": (
        lambda: Policy(on_exhausted={"logic": "rewrite"}),
        "on_exhausted cannot be 'rewrite' again",
    ),
    "key": (lambda: Policy(actions={"contradictd": "block"}), "unknown key 'contradictd'.*Did you mean 'contradicted'"),
    "action": (lambda: Policy(actions={"logic": "blok"}), "unknown action 'blok'.*Did you mean 'block'"),
    "far key": (lambda: Policy(actions={"zzz": "block"}), "unknown key 'zzz'.*Known: supported"),
    "actions": (lambda: Policy(actions=None), "actions must be a mapping, got NoneType"),
    "messages": (lambda: Policy(messages="no"), "messages must be a mapping, got str"),
    "language": (lambda: Policy(messages={"english": "no"}), "unknown language 'english'.*ISO 639"),
    "language number": (lambda: Policy(messages={1: "no"}), "unknown language 1"),
    "bands": (lambda: Policy(score_below=0.3), "score_below must be a mapping, got float"),
    "band high": (lambda: Policy(score_below={1.1: "block"}), "score_below must be within 0..1, got 1.1"),
    "band low": (lambda: Policy(score_below={-0.1: "block"}), "score_below must be within 0..1, got -0.1"),
    "band nan": (lambda: Policy(score_below={float("nan"): "block"}), "score_below must be within 0..1, got nan"),
    "band infinite": (lambda: Policy(score_below={float("inf"): "block"}), "within 0..1, got inf"),
    "band text": (lambda: Policy(score_below={"0.3": "block"}), "score_below must be within 0..1, got '0.3'"),
    "band bool": (lambda: Policy(score_below={True: "block"}), "score_below must be within 0..1, got True"),
    "band action": (lambda: Policy(score_below={0.3: "blok"}), "unknown action 'blok'.*Did you mean 'block'"),
    "exhausted": (lambda: Policy(on_exhausted="regenerate"), "on_exhausted cannot be 'regenerate' again"),
    "exhausted too": (lambda: Policy(on_exhausted="rewrite"), "on_exhausted cannot be 'rewrite' again"),
    "exhausted name": (lambda: Policy(on_exhausted="stop"), "unknown action 'stop'"),
    "fail": (lambda: Policy(fail="soft"), "fail must be one of .*'soft'"),
    "style": (lambda: Policy(style="html"), "style must be one of .*'html'"),
    "threshold high": (lambda: Policy(threshold=1.01), "threshold must be within 0..1, got 1.01"),
    "threshold low": (lambda: Policy(threshold=-0.1), "threshold must be within 0..1"),
    "threshold nan": (lambda: Policy(threshold=float("nan")), "threshold must be within 0..1, got nan"),
    "threshold text": (lambda: Policy(threshold="0.5"), "threshold must be within 0..1, got '0.5'"),
    "threshold none": (lambda: Policy(threshold=None), "threshold must be within 0..1, got None"),
    "deadline zero": (lambda: Policy(deadline=0), "deadline must be positive seconds or null, got 0"),
    "deadline nan": (lambda: Policy(deadline=float("nan")), "deadline must be positive"),
    "deadline text": (lambda: Policy(deadline="10s"), "deadline must be positive seconds or null, got '10s'"),
    "attempts": (lambda: Policy(max_attempts=0), "max_attempts must be a whole number from 1 on, got 0"),
    "attempts half": (lambda: Policy(max_attempts=1.5), "max_attempts must be a whole number"),
    "copy": (lambda: Policy.strict().with_(threshold=7), "policy 'strict': threshold"),
}


@pytest.mark.parametrize(("make", "message"), WRONG.values(), ids=WRONG)
def test_a_wrong_policy_is_refused_with_the_value_named(make, message):
    """When it is made, not when it is needed."""
    with pytest.raises(ConfigurationError, match=message):
        make()


def test_bounds_themselves_are_allowed():
    """0 and 1 are thresholds; no deadline is a deadline."""
    assert Policy(threshold=0, deadline=None).threshold == 0
    assert Policy(threshold=1, deadline=0.001, max_attempts=1).threshold == 1


def test_every_key_and_action_is_accepted_by_name():
    """KEYS and Action are the whole vocabulary."""
    policy = Policy(actions={key: action.value for key, action in zip(KEYS, itertools.cycle(Action))})
    assert set(policy.actions) == set(KEYS)
    assert all(isinstance(action, Action) for action in policy.actions.values())


RULES = {"unsupported": "flag", "logic": "annotate", "causal_confusion": "redact", "conflict": "block"}


def test_the_severest_fitting_key_wins_in_any_order_of_keys():
    """24 orders of the same rules give one decision."""
    logical = finding(V.UNSUPPORTED, E.CAUSAL_CONFUSION)
    for order in itertools.permutations(RULES.items()):
        decision = Policy(actions=dict(order)).decide(report(logical))
        assert (decision.action, decision.rule) == (A.REDACT, "causal_confusion")


def test_the_severest_finding_wins_in_any_order_of_findings():
    """And each finding keeps its own action."""
    findings = [
        finding(V.SUPPORTED, ident="a"),
        finding(V.UNSUPPORTED, ident="b"),
        finding(V.SUPPORTED, ident="c", conflict=True),
        finding(V.UNSUPPORTED, E.INCLUSION_RELATION, ident="d"),
    ]
    for order in itertools.permutations(findings):
        decision = Policy(actions=RULES).decide(report(*order))
        assert (decision.action, decision.rule) == (A.BLOCK, "conflict")
        assert dict(decision.finding_actions) == {"a": A.ALLOW, "b": A.FLAG, "c": A.BLOCK, "d": A.ANNOTATE}


def test_an_error_type_of_a_supported_finding_does_not_count():
    """Only what is wrong has an error."""
    assert Policy(actions={"logic": "block"}).decide(report(finding(V.SUPPORTED, E.OTHER_LOGIC))).action is A.ALLOW


@pytest.mark.parametrize(("fail", "action"), [("closed", A.BLOCK), ("open", A.FLAG)])
def test_fail_mode_decides_where_unverified_has_no_action(fail, action):
    """For findings and for answers without findings."""
    policy = Policy(fail=fail)
    assert policy.decide(report(finding(V.UNVERIFIED))).action is action
    assert policy.decide(report(verdict=V.UNVERIFIED)).action is action


def test_an_action_for_unverified_overrides_the_fail_mode():
    """``fail`` is a default, not a second opinion."""
    policy = Policy(fail="closed", actions={"unverified": "annotate"})
    assert policy.decide(report(finding(V.UNVERIFIED))).action is A.ANNOTATE


BANDS = Policy(
    score_below={0.6: "annotate", 0.3: "block"}, actions={"supported": "allow", "unsupported": "redact"}, fail="open"
)


@pytest.mark.parametrize(
    ("verdict", "score", "action", "rule"),
    [
        (V.SUPPORTED, 0.6, A.ALLOW, "supported"),
        (V.SUPPORTED, 0.599, A.ANNOTATE, "score_below 0.6"),
        (V.SUPPORTED, 0.1, A.BLOCK, "score_below 0.3"),
        (V.UNSUPPORTED, 0.3, A.REDACT, "unsupported"),
        (V.UNSUPPORTED, 0.29, A.BLOCK, "score_below 0.3"),
        (V.CONTRADICTED, 0.9, A.FLAG, "contradicted (default)"),
        (V.CONTRADICTED, 0.5, A.ANNOTATE, "score_below 0.6"),
        (V.UNVERIFIED, 0.0, A.FLAG, "unverified (default)"),
    ],
)
def test_a_score_band_acts_on_what_was_judged_below_it(verdict, score, action, rule):
    """The bound itself is not below; the severest of bands and keys wins; what nobody judged has no score."""
    decision = BANDS.decide(report(finding(verdict, score=score)))
    assert (decision.action, decision.rule) == (action, rule)


def test_a_band_says_nothing_of_an_answer_without_findings():
    """An abstained answer claims nothing that a score could be of."""
    assert Policy(score_below={1.0: "block"}).decide(report(verdict=V.ABSTAINED)).action is A.ALLOW


def test_the_threshold_moves_the_verdict():
    """FakeEngine's support is 0.95."""
    for threshold, verdict in ((0.95, V.SUPPORTED), (0.96, V.UNSUPPORTED)):
        guard = Guard(policy=Policy(threshold=threshold), engine=FakeEngine())
        assert guard.check("The dam is 64 metres high.", ["The dam."]).verdict is verdict


def test_a_decision_is_plain_data():
    """It survives JSON."""
    decision = Policy(actions=RULES).decide(report(finding(V.UNSUPPORTED, ident="s7")))
    raw = json.loads(json.dumps(asdict(decision)))
    assert raw == {"action": "flag", "rule": "unsupported", "policy": "custom", "finding_actions": [["s7", "flag"]]}
    assert Decision(**raw | {"finding_actions": decision.finding_actions}) == decision

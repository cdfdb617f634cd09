"""Policies: presets, files, bounds, and what a decision follows from."""

from __future__ import annotations

import dataclasses
import itertools
import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from guardrail import Action, ConfigurationError, Decision, ErrorType, Finding, Guard, Policy, Report, Span, Verdict
from guardrail.policy.file import policy_schema
from guardrail.policy.policy import KEYS
from guardrail.testing import FakeEngine
from guardrail.types import LOGIC_ERRORS

V, E, A = Verdict, ErrorType, Action

YAML = """
preset: strict
name: house
threshold: 0.7
deadline: null
fail: open
on_exhausted: redact
style: plain
max_attempts: 3
actions: {unsupported: annotate, logic: flag}
score_below: {0.3: block, 0.6: annotate, 1: flag}
messages: {en: Ask a librarian.}
"""


def finding(verdict, error=None, *, ident="s1", conflict=False, score=0.5):
    return Finding(
        id=ident,
        text="x",
        span=Span(0, 1),
        claim="x",
        verdict=verdict,
        score=score,
        error_type=error,
        conflict=conflict,
    )


def report(*findings, verdict=Verdict.UNVERIFIED, reason=""):
    return Report(verdict=verdict, score=0.5, answer="x", passages=(), findings=findings, reason=reason)


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
bands = st.dictionaries(st.floats(0, 1), st.sampled_from(Action), max_size=3)
found = st.builds(
    finding,
    st.sampled_from([V.SUPPORTED, V.CONTRADICTED, V.UNSUPPORTED, V.UNVERIFIED]),
    st.sampled_from([None, *ErrorType]),
    conflict=st.booleans(),
    score=st.floats(0, 1),
)


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


def test_the_published_schema_is_the_one_of_the_code():
    """``guardrail policy schema > docs/policy.schema.json`` brings it up to date."""
    path = Path(__file__).parents[2] / "docs" / "policy.schema.json"
    assert json.loads(path.read_text(encoding="utf-8")) == policy_schema()


def test_every_field_and_name_is_in_the_schema_with_a_description():
    schema = policy_schema()
    Draft202012Validator.check_schema(schema)
    fields = schema["properties"]
    assert set(fields) == {f.name for f in dataclasses.fields(Policy)} | {"preset", "$schema"}
    assert all(field["description"] for field in fields.values())
    assert all(field["description"] for field in schema["$defs"]["Calibration"]["properties"].values())
    assert set(fields["actions"]["properties"]) == set(KEYS)
    assert [one["const"] for one in schema["$defs"]["Action"]["oneOf"]] == [action.value for action in Action]


GOOD_FILES = {
    "nothing set": "{}",
    "all fields": YAML,
    "nulls": "preset: null\nname: null\ndeadline: null\ncalibration: null",
    "bounds": "threshold: 0\ndeadline: 1\nscore_below: {0: flag, 1: flag, 0.25: allow}",
    "messages": "messages: {en: a, zh: b, de: c, haw: d}",
    "every action": json.dumps({"actions": dict(zip(KEYS, itertools.cycle(a.value for a in Action)))}),
    "example": json.dumps(policy_schema()["examples"][0]),
}


@pytest.mark.parametrize("text", GOOD_FILES.values(), ids=GOOD_FILES)
def test_what_the_schema_allows_is_read(tmp_path, text):
    path = tmp_path / "p.yaml"
    path.write_text(f"# yaml-language-server: $schema=policy.schema.json\n{text}", encoding="utf-8")
    Draft202012Validator(policy_schema()).validate(json.loads(json.dumps(yaml.safe_load(text))))
    assert isinstance(Policy.load(path), Policy)


MORE_BAD_FILES = {
    "no such field": "treshold: 0.5",
    "null threshold": "threshold: null",
    "null fail": "fail: null",
    "null attempts": "max_attempts: null",
    "null exhausted": "on_exhausted: null",
    "null style": "style: null",
    "preset": "preset: strikt",
    "key": "actions: {contradict: block}",
    "action": "actions: {contradicted: redakt}",
    "band": "score_below: {low: block}",
    "band high": "score_below: {1.5: block}",
    "band action": "score_below: {0.5: blok}",
    "exhausted": "on_exhausted: regenerate",
    "deadline": "deadline: 0",
    "attempts": "max_attempts: 0",
    "attempts half": "max_attempts: 1.5",
    "language": "messages: {english: a}",
    "message": "messages: {en: 1}",
    "threshold": "threshold: 1.5",
    "calibration": "calibration: {n: 1}",
}


@pytest.mark.parametrize("text", MORE_BAD_FILES.values(), ids=MORE_BAD_FILES)
def test_what_the_schema_refuses_is_refused(tmp_path, text):
    """An editor that marks nothing is right."""
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    assert not Draft202012Validator(policy_schema()).is_valid(json.loads(json.dumps(yaml.safe_load(text))))
    with pytest.raises(ConfigurationError):
        Policy.load(path)


def test_the_threshold_moves_the_verdict():
    """FakeEngine's support is 0.95."""
    for threshold, verdict in ((0.95, V.SUPPORTED), (0.96, V.UNSUPPORTED)):
        guard = Guard(policy=Policy(threshold=threshold), engine=FakeEngine())
        assert guard.check("The dam is 64 metres high.", ["The dam."]).verdict is verdict


@pytest.mark.parametrize("suffix", ["yaml", "json"])
def test_a_policy_file_says_the_same_in_yaml_and_json(tmp_path, suffix):
    """Named fields replace those of the preset; actions and messages are merged."""
    path = tmp_path / f"rules.{suffix}"
    as_json = json.dumps(
        {
            "preset": "strict", "name": "house", "threshold": 0.7, "deadline": None, "fail": "open", "style": "plain",
            "on_exhausted": "redact", "max_attempts": 3, "actions": {"unsupported": "annotate", "logic": "flag"},
            "messages": {"en": "Ask a librarian."}, "score_below": {"0.3": "block", "0.6": "annotate", "1": "flag"},
            "$schema": "policy.schema.json",
        }
    )  # fmt: skip
    path.write_text(YAML if suffix == "yaml" else as_json, encoding="utf-8")
    assert Policy.load(path) == Policy.strict().with_(
        name="house",
        threshold=0.7,
        deadline=None,
        fail="open",
        style="plain",
        on_exhausted=A.REDACT,
        max_attempts=3,
        actions={**Policy.strict().actions, "unsupported": A.ANNOTATE, "logic": A.FLAG},
        messages={"en": "Ask a librarian."},
        score_below={0.3: A.BLOCK, 0.6: A.ANNOTATE, 1.0: A.FLAG},
    )


def test_a_file_without_a_name_is_named_after_itself(tmp_path):
    """For reports and traces; what the file leaves out keeps the preset's value."""
    path = tmp_path / "house-rules.yml"
    path.write_text("preset: repair\nthreshold: 0.6\n", encoding="utf-8")
    assert Policy.load(str(path)) == Policy.repair().with_(name="house-rules", threshold=0.6)


BAD_FILES = {
    "field": ("treshold: 0.5", "'treshold'.*Did you mean 'threshold'"),
    "preset": ("preset: strikt", "unknown preset 'strikt'.*Did you mean 'strict'"),
    "key": ("actions: {contradict: block}", "unknown key 'contradict'.*Did you mean 'contradicted'"),
    "action": ("actions: {contradicted: redakt}", "unknown action 'redakt'.*Did you mean 'redact'"),
    "type": ("threshold: high", "threshold .*'high'"),
    "null": ("threshold: null", "threshold must be within 0..1, got None"),
    "bound": ("threshold: 1.5", "threshold must be within 0..1, got 1.5"),
    "bool": ("fail: no", "fail .*False"),
    "band": ("score_below: {low: block}", "p.yaml.*score_below .*'low'"),
    "band high": ("score_below: {30: block}", "score_below must be within 0..1, got 30"),
    "band list": ("score_below: [0.3]", "score_below must be a mapping, got list"),
    "list": ("- threshold: 0.5", "must hold a mapping, got list"),
    "empty": ("", "must hold a mapping, got NoneType"),
    "syntax": ("actions: {", "is not valid YAML"),
    "code": ("!!python/object/apply:os.system [true]", "is not valid YAML"),
}


@pytest.mark.parametrize(("text", "message"), BAD_FILES.values(), ids=BAD_FILES)
def test_a_wrong_policy_file_is_refused_with_the_place_named(tmp_path, text, message):
    """Nothing in a file is ignored."""
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        Policy.load(path)


def test_no_such_preset_or_file_says_both(tmp_path):
    """And offers the nearest preset; folders and bytes are refused too."""
    with pytest.raises(ConfigurationError, match=r"no policy file or preset 'stric'.*Did you mean 'strict'"):
        Policy.load("stric")
    with pytest.raises(ConfigurationError, match="cannot read policy file"):
        Policy.load(tmp_path)
    (tmp_path / "latin.yaml").write_bytes(b"name: caf\xe9")
    with pytest.raises(ConfigurationError, match="cannot read policy file"):
        Policy.load(tmp_path / "latin.yaml")


def test_a_decision_is_plain_data():
    """It survives JSON."""
    decision = Policy(actions=RULES).decide(report(finding(V.UNSUPPORTED, ident="s7")))
    raw = json.loads(json.dumps(asdict(decision)))
    assert raw == {"action": "flag", "rule": "unsupported", "policy": "custom", "finding_actions": [["s7", "flag"]]}
    assert Decision(**raw | {"finding_actions": decision.finding_actions}) == decision

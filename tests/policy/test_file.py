"""Policy files and their JSON schema."""

from __future__ import annotations

import dataclasses
import itertools
import json
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft202012Validator

from guardrail import Action, ConfigurationError, Policy
from guardrail.policy.file import policy_schema
from guardrail.policy.keys import KEYS
from tests.support.findings import A

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


def test_the_published_schema_is_the_one_of_the_code():
    """``guardrail policy schema > docs/policy.schema.json`` brings it up to date."""
    path = Path(__file__).parents[2] / "docs" / "policy.schema.json"
    assert json.loads(path.read_text(encoding="utf-8")) == policy_schema()


def test_every_field_and_name_is_in_the_schema_with_a_description():
    schema = policy_schema()
    Draft202012Validator.check_schema(schema)
    fields = schema["$defs"]["Policy"]["properties"]
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
    "exhausted by key": "on_exhausted: {contradicted: block, logic: flag, unsupported: redact}",
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
    "exhausted key": "on_exhausted: {contradict: block}",
    "exhausted again": "on_exhausted: {contradicted: rewrite}",
    "policies and fields": "policies: {a: {}}\nthreshold: 0.5",
    "policies in policies": "policies: {a: {policies: {}}}",
    "no policies": "policies: {}",
    "policies list": "policies: [strict]",
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
    "twice": ("actions:\n  logic: flag\nfail: open\nactions: {}", "'actions' stands twice, in lines 1 and 4"),
    "twice inside": ("actions:\n  logic: flag\n  logic: block", "'logic' stands twice, in lines 2 and 3"),
    "twice in JSON": ('{"threshold": 0.5,\n"threshold": 0.9}', "'threshold' stands twice, in lines 1 and 2"),
    "exhausted": ("on_exhausted: {contradictd: block}", "unknown key 'contradictd' in on_exhausted.*'contradicted'"),
    "exhausted again": ("on_exhausted: {logic: rewrite}", "on_exhausted cannot be 'rewrite' again"),
    "policies beside": ("policies: {a: {}}\nfail: open", "'fail' stands beside 'policies'"),
    "policies list": ("policies: [strict]", "'policies' must be a mapping of names to policies, got list"),
    "policies inside": ("policies: {a: strict}", "policy 'a' must hold a mapping, got str"),
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


SEVERAL = """
policies:
  tenant-a: {preset: strict, deadline: 2}
  tenant-b:
    preset: annotate
    threshold: 0.4
"""


@pytest.fixture
def several(tmp_path):
    path = tmp_path / "tenants.yaml"
    path.write_text(SEVERAL, encoding="utf-8")
    return path


def test_one_of_several_policies_in_a_file_is_loaded_by_name(several):
    """Each is named after its key, unless it says otherwise."""
    assert Policy.load(several, name="tenant-a") == Policy.strict().with_(name="tenant-a", deadline=2)
    assert Policy.load(str(several), name="tenant-b") == Policy.annotate().with_(name="tenant-b", threshold=0.4)
    assert Policy.load_all(several) == {name: Policy.load(several, name=name) for name in ("tenant-a", "tenant-b")}
    Draft202012Validator(policy_schema()).validate(yaml.safe_load(several.read_text()))


NAMES = {
    "none": (None, "holds several policies. Load one of tenant-a, tenant-b by name"),
    "unknown": ("tenant-c", "no policy 'tenant-c'. Known: tenant-a, tenant-b"),
}


@pytest.mark.parametrize(("name", "message"), NAMES.values(), ids=NAMES)
def test_a_policy_that_a_file_does_not_hold_is_refused_with_the_names(several, name, message):
    with pytest.raises(ConfigurationError, match=message):
        Policy.load(several, name=name)


def test_a_name_is_refused_where_there_are_none(tmp_path):
    """A preset, or a file of one policy."""
    path = tmp_path / "p.yaml"
    path.write_text("preset: strict\nname: house\n")
    for source in (path, "strict"):
        with pytest.raises(ConfigurationError, match=r"one policy.*without `name`"):
            Policy.load(source, name="house")
    assert Policy.load_all(path) == {"house": Policy.load(path)}


def test_a_policy_of_several_may_have_a_name_for_reports(tmp_path):
    path = tmp_path / "p.yaml"
    path.write_text("policies: {a: {name: Tenant A}}")
    assert {name: policy.name for name, policy in Policy.load_all(path).items()} == {"a": "Tenant A"}


def test_a_merge_key_is_no_second_key(tmp_path):
    """YAML's own way to share what several policies say; what stands beside it counts."""
    path = tmp_path / "p.yaml"
    path.write_text(
        "policies:\n  a: &a {fail: open, deadline: 3}\n  b: &b {<<: *a, deadline: 2}\n  c: {<<: *b, fail: closed}\n"
    )
    found = Policy.load_all(path)
    assert [(p.fail, p.deadline) for p in found.values()] == [("open", 3), ("open", 2), ("closed", 2)]

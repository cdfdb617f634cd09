"""Policy files: YAML or JSON, and their JSON schema (docs/policy.schema.json, ``guardrail policy schema``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter, ValidationError

from guardrail.errors import ConfigurationError, did_you_mean
from guardrail.policy.calibration import Calibration
from guardrail.policy.keys import CONFLICT, KEYS, LOGIC, NEW_ANSWER, PRESETS
from guardrail.types import LOGIC_ERRORS, Action, ErrorType, Verdict

SCHEMA = "$schema"
"""A key that editors read in JSON files; it says nothing of the policy."""

POLICIES = "policies"
"""The key of a file that holds several policies by name, and nothing else."""

ACTIONS = {
    Action.ALLOW: "Deliver the answer.",
    Action.FLAG: "Deliver the answer; the report says what is wrong.",
    Action.ANNOTATE: "Deliver the answer with a note at each segment concerned.",
    Action.REDACT: "Take the segments concerned out; block if none is left.",
    Action.REWRITE: "Have the answer edited from the passages, and check it again.",
    Action.REGENERATE: "Have the answer generated again on the same passages, and check it again.",
    Action.BLOCK: "Deliver a message in place of the answer.",
}
"""What each action does, in words."""

_MEANINGS = {
    Verdict.SUPPORTED: "The passages say it.",
    Verdict.CONTRADICTED: "The passages say otherwise.",
    Verdict.UNSUPPORTED: "The passages do not say it.",
    Verdict.UNVERIFIED: "Not verified: no passages, an engine that failed, a deadline that passed.",
    Verdict.ABSTAINED: "The whole answer declines, or claims nothing that could be checked.",
    ErrorType.MIXED_ENTITIES: "The passages say it of a namesake.",
    LOGIC: f"Any logic error: {', '.join(sorted(LOGIC_ERRORS))}.",
    CONFLICT: "One passage supports it and another contradicts it.",
}
_CALIBRATION = {
    "data": "SHA-256 of the labelled data.",
    "n": "Labelled answers, or cases of answers that share a question or a passage, that count.",
    "risk": "What is bounded: missed, delivered-wrong or false-alarm.",
    "target": "The bound (0..1).",
    "threshold": "The threshold chosen; the policy's own must be the same.",
    "engine": "Identity of the engine whose scores were seen.",
    "guarantee": "What is guaranteed, in words.",
    "delta": "The guarantee holds with probability 1 - delta over the labels; null = in expectation.",
    "date": "When, if given.",
}

_EXAMPLE = {
    "preset": "annotate",
    "name": "support-desk",
    "threshold": 0.45,
    "actions": {"contradicted": "redact", "mixed_entities": "redact", "unverified": "flag"},
    "score_below": {"0.1": "block"},
    "deadline": 2,
    "messages": {"en": "Please ask our support desk.", "de": "Bitte fragen Sie unseren Kundendienst."},
}


class UniqueKeyLoader(yaml.SafeLoader):
    """Refuses a key that stands twice in one mapping, of which YAML would drop the first."""

    def compose_mapping_node(self, anchor: dict[Any, yaml.Node]) -> yaml.MappingNode:
        node: yaml.MappingNode = super().compose_mapping_node(anchor)
        lines: dict[str, int] = {}
        for key, _ in node.value:
            line = key.start_mark.line + 1
            if isinstance(key, yaml.ScalarNode) and (first := lines.setdefault(key.value, line)) != line:
                raise ConfigurationError(f"{key.value!r} stands twice, in lines {first} and {line}. Keep one.")
        return node


def read_policy_file(path: Path, known: Sequence[str], name: str | None = None) -> dict[str, Any]:
    """The fields that the file sets, of those ``known``; their values are checked where they are used.

    Args:
        path: The file.
        known: Names of fields.
        name: Which policy, of a file that holds several.

    Raises:
        ConfigurationError: the file cannot be read, is not YAML, holds no policy of that name, or an unknown field.
    """
    raw, where = _mapping_in(path), f"policy file {str(path)!r}"
    if POLICIES in raw:
        names = _names(raw[POLICIES], where)
        if name is None:
            raise ConfigurationError(f"{where} holds several policies. Load one of {', '.join(names)} by name.")
        if name not in names:
            raise ConfigurationError(f"{where} holds no policy {name!r}. Known: {', '.join(names)}.")
        raw, where = raw[POLICIES][name], f"{where}, policy {name!r}"
    elif name is not None:
        raise ConfigurationError(f"{where} holds one policy, and none by name: load it without `name`.")
    found = {key: value for key, value in raw.items() if key != SCHEMA}
    for key in found:
        if key not in known:
            raise ConfigurationError(f"{where}: {key!r}: {did_you_mean(str(key), known)}")
    if isinstance(found.get("score_below"), dict):  # JSON has no keys but texts
        found["score_below"] = {_number(key): action for key, action in found["score_below"].items()}
    if isinstance(found.get("calibration"), dict):
        try:
            found["calibration"] = TypeAdapter(Calibration).validate_python(found["calibration"])
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(("calibration", *map(str, first["loc"])))
            raise ConfigurationError(f"{where}: {field!r}: {first['msg']}") from None
    return found


def names_in(path: Path) -> tuple[str | None, ...]:
    """The names of the policies that a file holds; (None,) where it holds one without.

    Raises:
        ConfigurationError: the file cannot be read, or is not YAML.
    """
    raw = _mapping_in(path)
    return _names(raw[POLICIES], f"policy file {str(path)!r}") if POLICIES in raw else (None,)


def _mapping_in(path: Path) -> dict[Any, Any]:
    """What the file says; of several policies nothing may stand beside them."""
    where = f"policy file {str(path)!r}"
    try:
        raw = yaml.load(path.read_text(encoding="utf-8"), UniqueKeyLoader)  # noqa: S506  a SafeLoader
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read {where}: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{where} is not valid YAML: {error}") from error
    except ConfigurationError as error:
        raise ConfigurationError(f"{where}: {error}") from None
    if not isinstance(raw, dict):
        raise ConfigurationError(f"{where} must hold a mapping, got {type(raw).__name__}.")
    beside = [key for key in raw if key not in (POLICIES, SCHEMA)]
    if POLICIES in raw and beside:
        raise ConfigurationError(f"{where}: {beside[0]!r} stands beside {POLICIES!r}. Write it into each policy.")
    return raw


def _names(policies: object, where: str) -> tuple[str, ...]:
    if not isinstance(policies, dict) or not policies:
        said = "nothing" if policies in ({}, None) else type(policies).__name__
        raise ConfigurationError(f"{where}: {POLICIES!r} must be a mapping of names to policies, got {said}.")
    for name, policy in policies.items():
        if not isinstance(policy, Mapping):
            raise ConfigurationError(f"{where}: policy {name!r} must hold a mapping, got {type(policy).__name__}.")
        if not isinstance(name, str):
            raise ConfigurationError(f"{where}: the name of a policy must be a text, got {name!r}. Put it in quotes.")
    return tuple(policies)


def _number(key: object) -> object:
    try:
        return float(key) if isinstance(key, str) else key
    except ValueError:
        return key


def meaning(key: str) -> str:
    """What a key of ``actions`` stands for, in words."""
    return next((said for known, said in _MEANINGS.items() if known == key), f"Errors of the type {key}.")


def policy_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a policy file."""
    action = {"$ref": "#/$defs/Action"}
    calibration = TypeAdapter(Calibration).json_schema()
    for name, field in calibration["properties"].items():
        field.pop("title", None)
        field["description"] = _CALIBRATION[name]
    exhausted = {"enum": [action.value for action in Action if action not in NEW_ANSWER]}
    schema = {"type": "string", "description": "Where this schema is, for editors."}
    policy = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "preset": {
                "enum": [*PRESETS, None],
                "description": "The policy to start from; without it, what is wrong is flagged.",
            },
            "name": {
                "type": ["string", "null"],
                "description": "For reports and traces; default: the key of the policy, or the name of the file.",
            },
            "threshold": {
                "type": "number",
                "minimum": 0,
                "maximum": 1,
                "description": "Score (0..1) from which a segment counts as supported; default 0.5. "
                "See `guardrail calibrate`.",
            },
            "actions": {
                "type": "object",
                "additionalProperties": False,
                "properties": {key: {**action, "description": meaning(key)} for key in KEYS},
                "description": "Action per key. Of all keys that fit a finding the severest wins.",
            },
            "score_below": {
                "type": "object",
                "additionalProperties": action,
                "propertyNames": {"pattern": r"^(0(\.\d*)?|1(\.0*)?|\.\d+)$"},
                "description": "Action per bound (0..1) for findings that were judged with a score below it. "
                "Unverified ones have no score. Of these and of `actions` the severest wins.",
            },
            "fail": {
                "enum": ["closed", "open"],
                "description": "For what is not verified, where `actions` has no `unverified`: closed (default) "
                "blocks, open delivers with a flag.",
            },
            "deadline": {
                "type": ["number", "null"],
                "exclusiveMinimum": 0,
                "description": "Seconds for one check; what is not judged by then is unverified. Default 10; "
                "null = no limit.",
            },
            "max_attempts": {
                "type": "integer",
                "minimum": 1,
                "description": "Answers to try, the first included, where a rewrite or regeneration is asked for; "
                "default 2.",
            },
            "on_exhausted": {
                "anyOf": [
                    exhausted,
                    {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {key: {**exhausted, "description": meaning(key)} for key in KEYS},
                    },
                ],
                "description": "Action where a rewrite or regeneration was asked for and none passes, for all findings "
                "or per key (of those that fit the severest; block where none is named); default block.",
            },
            "style": {
                "enum": ["markdown", "plain"],
                "description": "Notes as Markdown footnotes (default) or as plain text.",
            },
            "messages": {
                "type": "object",
                "additionalProperties": {"type": "string"},
                "propertyNames": {"pattern": "^[a-z]{2,3}$"},
                "description": "Text in place of a blocked answer by language (ISO 639 code); en where a language "
                "has none.",
            },
            "calibration": {
                "anyOf": [{"$ref": "#/$defs/Calibration"}, {"type": "null"}],
                "description": "How `guardrail calibrate` chose the threshold. Not to be edited by hand.",
            },
            SCHEMA: schema,
        },
    }
    return {
        SCHEMA: "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            "Calibration": {**calibration, "description": "Where a threshold comes from."},
            "Action": {
                "oneOf": [{"const": action.value, "description": said} for action, said in ACTIONS.items()],
                "description": "What is done, mildest first.",
            },
            "Policy": policy,
        },
        "title": "rag-guardrail policy",
        "description": "A policy: which finding leads to which action. Every field may be left out. `preset` names the "
        "policy to start from; other fields replace its values, `actions` and `messages` key by key. Or several, by "
        "name, under `policies`.",
        "anyOf": [
            {"$ref": "#/$defs/Policy"},
            {
                "type": "object",
                "additionalProperties": False,
                "required": [POLICIES],
                "properties": {
                    POLICIES: {
                        "type": "object",
                        "minProperties": 1,
                        "additionalProperties": {"$ref": "#/$defs/Policy"},
                        "description": "Policies by name.",
                    },
                    SCHEMA: schema,
                },
            },
        ],
        "examples": [_EXAMPLE],
    }

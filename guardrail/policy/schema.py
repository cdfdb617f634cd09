"""The JSON schema of policy files: published as docs/policy.schema.json, printed by ``guardrail policy schema``."""

from __future__ import annotations

from typing import Any

from guardrail.policy.file import SCHEMA, PolicyFile
from guardrail.policy.policy import CONFLICT, KEYS, LOGIC, PRESETS
from guardrail.types import LOGIC_ERRORS, Action, ErrorType, Verdict

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
    Verdict.UNVERIFIED: "Nobody could judge: no passages, an engine that failed, a deadline that passed.",
    Verdict.ABSTAINED: "The whole answer declines, or claims nothing that could be checked.",
    ErrorType.MIXED_ENTITIES: "The passages say it of a namesake.",
    LOGIC: f"Any logic error: {', '.join(sorted(LOGIC_ERRORS))}.",
    CONFLICT: "One passage supports it and another contradicts it.",
}
_CALIBRATION = {
    "data": "SHA-256 of the labelled data.",
    "n": "Labelled answers, or groups of them, that the guarantee rests on.",
    "risk": "What is bounded: missed, delivered-wrong or false-alarm.",
    "target": "The bound (0..1).",
    "threshold": "The threshold chosen; the policy's own must be the same.",
    "engine": "Identity of the engine whose scores were seen.",
    "guarantee": "What is guaranteed, in words.",
    "delta": "The guarantee holds with probability 1 - delta over the labels; null = in expectation.",
    "date": "When, if given.",
}
_NEVER_NULL = ("threshold", "fail", "max_attempts", "on_exhausted", "style")
"""Policy refuses null for these; leaving them out is meant."""

_EXAMPLE = {
    "preset": "annotate",
    "name": "support-desk",
    "threshold": 0.45,
    "actions": {"contradicted": "redact", "mixed_entities": "redact", "unverified": "flag"},
    "score_below": {"0.1": "block"},
    "deadline": 2,
    "messages": {"en": "Please ask our support desk.", "de": "Bitte fragen Sie unseren Kundendienst."},
}


def meaning(key: str) -> str:
    """What a key of ``actions`` stands for, in words."""
    return next((said for known, said in _MEANINGS.items() if known == key), f"Errors of the type {key}.")


def policy_schema() -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of a policy file: PolicyFile, with all names and bounds that Policy knows."""
    schema = PolicyFile.model_json_schema()
    fields = schema["properties"]
    for name, field in fields.items():
        field.pop("title", None)
        if field.get("default", ...) is None:
            del field["default"]  # not null by default, but left out
        if name in _NEVER_NULL:
            field.update(next(kind for kind in field.pop("anyOf") if kind != {"type": "null"}))
    actions = [action.value for action in Action]
    described = [{"const": action.value, "description": said} for action, said in ACTIONS.items()]
    fields["preset"] |= {"anyOf": [{"enum": list(PRESETS)}, {"type": "null"}]}
    fields["threshold"] |= {"minimum": 0, "maximum": 1}
    fields["actions"] |= {
        "additionalProperties": False,
        "properties": {key: {"$ref": "#/$defs/Action", "description": meaning(key)} for key in KEYS},
    }
    fields["score_below"] |= {
        "additionalProperties": {"$ref": "#/$defs/Action"},
        "propertyNames": {"pattern": r"^(0(\.\d*)?|1(\.0*)?|\.\d+)$"},
    }
    fields["deadline"]["anyOf"] = [{"type": "number", "exclusiveMinimum": 0}, {"type": "null"}]
    fields["max_attempts"] |= {"minimum": 1}
    repairs = (Action.REWRITE.value, Action.REGENERATE.value)
    fields["on_exhausted"] = {"description": fields["on_exhausted"]["description"]} | {
        "enum": [action for action in actions if action not in repairs]
    }
    fields["messages"] |= {"propertyNames": {"pattern": "^[a-z]{2,3}$"}}
    for name, field in schema["$defs"]["Calibration"]["properties"].items():
        field.pop("title", None)
        field["description"] = _CALIBRATION[name]
    schema["$defs"]["Calibration"]["description"] = "Where a threshold comes from."
    schema["$defs"]["Action"] = {"oneOf": described, "description": "What is done, mildest first."}
    fields[SCHEMA] = {"type": "string", "description": "Where this schema is, for editors."}
    return {SCHEMA: "https://json-schema.org/draft/2020-12/schema", **schema, "examples": [_EXAMPLE]}

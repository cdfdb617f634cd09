"""Policy files: YAML or JSON, checked strictly before a Policy is made of them. Their JSON schema comes from here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, field_validator

from guardrail.errors import ConfigurationError, did_you_mean
from guardrail.policy.calibration import Calibration

SCHEMA = "$schema"
"""A key that editors read in JSON files; it says nothing of the policy."""


class PolicyFile(BaseModel):
    """A policy: which finding leads to which action. Every field may be left out.

    ``preset`` names the policy to start from; other fields replace its values, ``actions`` and ``messages`` key by key.
    """

    model_config = ConfigDict(extra="forbid", strict=True, title="rag-guardrail policy")

    preset: str | None = Field(None, description="The policy to start from; without it, what is wrong is flagged.")
    name: str | None = Field(None, description="For reports and traces; default: the name of the file.")
    threshold: float | None = Field(
        None,
        description="Score (0..1) from which a segment counts as supported; default 0.5. See `guardrail calibrate`.",
    )
    actions: dict[str, str] = Field({}, description="Action per key. Of all keys that fit a finding the severest wins.")
    score_below: dict[float, str] = Field(
        {},
        description="Action per bound (0..1) for findings that were judged with a score below it. Unverified ones have "
        "no score. Of these and of `actions` the severest wins.",
    )
    fail: Literal["closed", "open"] | None = Field(
        None,
        description="Where nobody could judge and `actions` has no `unverified`: closed (default) blocks, open "
        "delivers with a flag.",
    )
    deadline: float | int | None = Field(
        None,
        description="Seconds for one check; what is not judged by then is unverified. Default 10; null = no limit.",
    )
    max_attempts: int | None = Field(
        None, description="Answers to try, the first included, where a rewrite or regeneration is asked for; default 2."
    )
    on_exhausted: str | None = Field(
        None, description="Action where a rewrite or regeneration was asked for and none passes; default block."
    )
    style: Literal["markdown", "plain"] | None = Field(
        None, description="Notes as Markdown footnotes (default) or as plain text."
    )
    messages: dict[str, str] = Field(
        {}, description="Text in place of a blocked answer by language (ISO 639 code); en where a language has none."
    )
    calibration: Calibration | None = Field(
        None, description="How `guardrail calibrate` chose the threshold. Not to be edited by hand."
    )

    @field_validator("calibration", mode="before")
    @classmethod
    def _block(cls, raw: Any) -> Any:
        """Strict mode takes no mapping for a dataclass, so the block is read by itself."""
        return TypeAdapter(Calibration).validate_python(raw) if isinstance(raw, dict) else raw

    @field_validator("score_below", mode="before")
    @classmethod
    def _bounds(cls, raw: Any) -> Any:
        """JSON has no keys but texts."""
        return {_number(key): action for key, action in raw.items()} if isinstance(raw, dict) else raw


def read_policy_file(path: Path) -> PolicyFile:
    """The fields that the file sets.

    Raises:
        ConfigurationError: the file cannot be read, is not YAML, or holds an unknown field or a value of a wrong type.
    """
    try:
        raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"cannot read policy file {str(path)!r}: {error}") from error
    except yaml.YAMLError as error:
        raise ConfigurationError(f"policy file {str(path)!r} is not valid YAML: {error}") from error
    if not isinstance(raw, dict):
        raise ConfigurationError(f"policy file {str(path)!r} must hold a mapping, got {type(raw).__name__}.")
    try:
        return PolicyFile.model_validate({key: value for key, value in raw.items() if key != SCHEMA})
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        hint = did_you_mean(where, PolicyFile.model_fields) if first["type"] == "extra_forbidden" else first["msg"]
        raise ConfigurationError(f"policy file {str(path)!r}: {where!r} ({first['input']!r:.60}): {hint}") from None


def _number(key: object) -> object:
    try:
        return float(key) if isinstance(key, str) else key
    except ValueError:
        return key

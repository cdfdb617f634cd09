"""Policy files: YAML or JSON, checked strictly before a Policy is made of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError, field_validator

from guardrail.calibration import Calibration
from guardrail.errors import ConfigurationError, did_you_mean


class PolicyFile(BaseModel):
    """Fields of a policy file. ``preset`` names the policy to start from; every other field replaces its value."""

    model_config = ConfigDict(extra="forbid", strict=True)

    preset: str | None = None
    name: str | None = None
    threshold: float | None = None
    actions: dict[str, str] = {}
    fail: Literal["closed", "open"] | None = None
    deadline: float | int | None = None
    max_attempts: int | None = None
    on_exhausted: str | None = None
    style: Literal["markdown", "plain"] | None = None
    messages: dict[str, str] = {}
    calibration: Calibration | None = None

    @field_validator("calibration", mode="before")
    @classmethod
    def _block(cls, raw: Any) -> Any:
        """Strict mode takes no mapping for a dataclass, so the block is read by itself."""
        return TypeAdapter(Calibration).validate_python(raw) if isinstance(raw, dict) else raw


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
        return PolicyFile.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        hint = did_you_mean(where, PolicyFile.model_fields) if first["type"] == "extra_forbidden" else first["msg"]
        raise ConfigurationError(f"policy file {str(path)!r}: {where!r} ({first['input']!r:.60}): {hint}") from None

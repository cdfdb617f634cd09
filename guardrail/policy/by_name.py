"""The policy that is meant by a preset, a FILE, or by FILE#NAME where the file holds several."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from guardrail.policy.keys import PRESETS
from guardrail.policy.policy import Policy

PRESET_OR_FILE = "monitor, annotate, repair, strict, or a policy file (FILE#NAME where it holds several)."


def read_policy(given: str) -> Policy:
    """The policy of a preset, a FILE, or the one called NAME of a FILE#NAME.

    Raises:
        ConfigurationError: as ``Policy.load``.
    """
    source, name = _source(given)
    return Policy.load(source, name=name)


def policy_file(given: str) -> Path | None:
    """The file that is meant; None for a preset, even where a file or folder has its name."""
    source, _ = _source(given)
    return None if source in PRESETS else Path(source)


def policy_fields(given: str) -> dict[str, Any]:
    """The fields that a preset or policy file sets."""
    file, (_, name) = policy_file(given), _source(given)
    return {"preset": given} if file is None else Policy.fields_in(file, name)


def load_policy(given: str) -> Policy:
    """The policy for a file of answers, which may take its time, unless somebody wrote a deadline down.

    Raises:
        ConfigurationError: as ``Policy.load``.
    """
    policy = read_policy(given)
    return policy.with_(deadline=None) if policy_file(given) is None else policy


def _source(given: str) -> tuple[str, str | None]:
    source, mark, name = given.rpartition("#")
    return (source, name) if mark and not Path(given).exists() else (given, None)

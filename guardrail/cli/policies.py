"""The policy that a command's ``--policy`` names: a preset, or else a file."""

from __future__ import annotations

from pathlib import Path

from guardrail.policy.policy import PRESETS, Policy


def policy_file(name: str) -> Path | None:
    """The file that ``name`` stands for; None for a preset, even where a file or folder has its name."""
    return None if name in PRESETS else Path(name)


def load_policy(name: str) -> Policy:
    """The policy for a file of answers, which may take its time, unless somebody wrote a deadline down.

    Raises:
        ConfigurationError: as ``Policy.load``.
    """
    policy = Policy.load(name)
    return policy.with_(deadline=None) if policy_file(name) is None else policy

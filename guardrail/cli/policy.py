"""``guardrail policy``: a policy in words, and the schema of policy files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated

import typer

from guardrail.policy.by_name import PRESET_OR_FILE, read_policy
from guardrail.policy.file import ACTIONS, meaning, policy_schema
from guardrail.policy.keys import KEYS
from guardrail.policy.policy import Policy
from guardrail.types import Action, Verdict

policies = typer.Typer(help="Show what a policy says, or the JSON schema of policy files.", no_args_is_help=True)


@policies.command()
def schema() -> None:
    """Print the JSON schema of policy files, for editors and validators.

    Example: guardrail policy schema > policy.schema.json
    """
    typer.echo(json.dumps(policy_schema(), indent=2, ensure_ascii=False))


@policies.command()
def explain(
    file: Annotated[str, typer.Argument(help=PRESET_OR_FILE)],
    as_json: Annotated[bool, typer.Option("--json", help="All fields with their values, as JSON.")] = False,
) -> None:
    """Say in words what a policy does.

    Example: guardrail policy explain policy.yaml
    """
    policy = read_policy(file)
    if as_json:
        typer.echo(json.dumps(asdict(policy) | {"actions": _effective(policy)}, ensure_ascii=False))
        return
    for line in _lines(policy):
        typer.echo(line)


def _effective(policy: Policy) -> dict[str, Action]:
    """Actions of all keys that are named, and of the verdicts in any case."""
    return {verdict.value: policy.rule_for(verdict)[0] for verdict in Verdict} | dict(policy.actions)


def _lines(policy: Policy) -> Iterator[str]:
    effective = _effective(policy)
    yield f"Policy {policy.name!r}: a segment counts as supported from a score of {policy.threshold:g}."
    yield "Of all that fits a finding, and of all findings, the severest action is taken."
    yield ""
    for key in KEYS:
        if key in effective:
            yield f"  {key:<24} {effective[key].value:<11} {meaning(key)}"
    for bound, action in policy.score_below.items():
        yield f"  {f'score below {bound:g}':<24} {action.value:<11} Findings that were judged with such a score."
    yield ""
    asked = {*effective.values(), *policy.score_below.values()}
    for action in Action:
        if action in asked:
            yield f"  {action.value}: {ACTIONS[action]}"
    if asked & {Action.REWRITE, Action.REGENERATE}:
        yield f"  At most {policy.max_attempts} answers are tried; if none passes: {_exhausted(policy)}."
    limit = "There is no deadline." if policy.deadline is None else f"A check takes at most {policy.deadline:g} s."
    yield f"  {limit} What is not judged is unverified."
    if policy.messages:
        yield f"  Own messages for blocked answers: {', '.join(policy.messages)}."
    if policy.calibration is not None:
        yield f"  {policy.calibration.guarantee}"


def _exhausted(policy: Policy) -> str:
    exhausted = policy.on_exhausted
    if isinstance(exhausted, Action):
        return exhausted.value
    return "; ".join([*(f"{key} {action.value}" for key, action in exhausted.items()), "anything else block"])

"""What a guarded stream tells: checked text, what was found, what was kept back, and the end."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from guardrail.policy.policy import Policy
from guardrail.repair.edits import effective_action
from guardrail.types import Action, Finding, GuardedAnswer

Mode = Literal["buffer", "sentence", "observe"]
"""When text leaves: after the whole answer was checked, after its sentence was, or (unchecked) at once."""

MODES: tuple[Mode, ...] = ("buffer", "sentence", "observe")


@dataclass(frozen=True, slots=True)
class Delta:
    """Text to deliver. ``verified`` is False only in observe mode: nobody has checked it yet."""

    text: str
    verified: bool


@dataclass(frozen=True, slots=True)
class Checked:
    """A segment was checked. Its text follows as a Delta, unless the policy keeps it back (then a Withheld does)."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class Withheld:
    """A segment is not delivered, because of what was found. ``finding`` quotes it: for logs, not for the reader."""

    finding: Finding
    action: Action


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event. ``guarded.text`` is all deltas joined (buffer and sentence mode)."""

    guarded: GuardedAnswer


StreamEvent = Delta | Checked | Withheld | Finished


def events_of(guarded: GuardedAnswer, policy: Policy, before: Collection[str] = ()) -> Iterator[StreamEvent]:
    """What was found in an answer, and what of it is kept back; ``before``: ids of findings already told."""
    actions = dict(guarded.decision.finding_actions)
    for finding in guarded.report.findings:
        if finding.id in before:
            continue
        yield Checked(finding)
        action = effective_action(actions.get(finding.id, Action.ALLOW), policy, finding)
        if action in (Action.REDACT, Action.BLOCK):
            yield Withheld(finding, action)

"""Modes that check the answer once, when all of it is there: buffer and observe."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from guardrail.policy.policy import Policy
from guardrail.repair.edits import possible
from guardrail.streaming.events import Checked, Delta, Finished, StreamEvent, Withheld
from guardrail.streaming.steps import CheckAll, Fetch, Mend, More, Plan, expect
from guardrail.types import Action, GuardedAnswer, Report


def buffered(policy: Policy) -> Plan:
    """Nothing leaves before the whole answer is checked, and repaired where the policy asks for it."""
    pieces = []
    while (more := (yield More())) is not None:
        pieces.append(expect(str, more))
    yield Fetch()
    report = expect(Report, (yield CheckAll("".join(pieces))))
    guarded = expect(GuardedAnswer, (yield Mend(report)))
    yield from told(guarded, policy)
    if guarded.text:
        yield Delta(guarded.text, verified=True)
    yield Finished(guarded)


def observed(policy: Policy) -> Plan:
    """Everything leaves at once, unchecked; the check comes at the end."""
    pieces = []
    while (more := (yield More())) is not None:
        pieces.append(expect(str, more))
        yield Delta(pieces[-1], verified=False)
    yield Fetch()
    report = expect(Report, (yield CheckAll("".join(pieces))))
    guarded = expect(GuardedAnswer, (yield Mend(report, only_edit=True)))
    yield from told(guarded, policy)
    yield Finished(guarded)


def told(guarded: GuardedAnswer, policy: Policy, before: Collection[str] = ()) -> Iterator[StreamEvent]:
    """What was found in an answer, and what of it is kept back; ``before``: ids of findings already told."""
    actions = dict(guarded.decision.finding_actions)
    for finding in guarded.report.findings:
        if finding.id in before:
            continue
        yield Checked(finding)
        action = possible(actions.get(finding.id, Action.ALLOW), policy)
        if action in (Action.REDACT, Action.BLOCK):
            yield Withheld(finding, action)

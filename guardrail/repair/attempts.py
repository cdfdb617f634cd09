"""A report's answer repaired: decided on once, then new answers until one passes or the attempts are used up."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from guardrail.check.drivers import Program
from guardrail.errors import UsageError, rust_panics_as_errors
from guardrail.policy.keys import NEW_ANSWER
from guardrail.policy.policy import Policy
from guardrail.repair.edits import repair, undecided
from guardrail.repair.feedback import Feedback
from guardrail.repair.generators import Authors, NewAnswer
from guardrail.telemetry import stage
from guardrail.types import Action, Decision, GuardedAnswer, Passage, Report, Verdict

_RANK = (Verdict.SUPPORTED, Verdict.ABSTAINED, Verdict.UNVERIFIED, Verdict.UNSUPPORTED, Verdict.CONTRADICTED)

_log = logging.getLogger(__name__)

Check = Callable[[str, tuple[Passage, ...]], Program[Report]]
"""Checks a new answer to the same question."""


def applied(report: Report, policy: Policy) -> GuardedAnswer:
    """Decide on a report and edit its answer as the policy says; nobody is asked for a new one."""
    decision = _decided(report, policy)
    return undecided(report, policy) if decision is None else _edited(report, decision, policy)


def repaired(report: Report, policy: Policy, authors: Authors, check: Check) -> Program[GuardedAnswer]:
    """Decide on a report, and have its answer rewritten or regenerated where the policy asks for it.

    Raises:
        UsageError: the driver is sync, and the generator or rewriter can only be awaited.
    """
    decision = _decided(report, policy)
    if decision is None:
        return undecided(report, policy)
    if decision.action not in NEW_ANSWER:
        return _edited(report, decision, policy)
    try:
        with rust_panics_as_errors():
            return (yield from _attempts(report, decision, policy, authors, check))
    except UsageError:
        raise
    except Exception as error:  # a bug of ours must not take the service down
        _log.error("repairing failed; the edited answer is delivered", exc_info=error)
        return replace(_edited(report, decision, policy), exhausted=True)


def _decided(report: Report, policy: Policy) -> Decision | None:
    """The decision; None where deciding broke."""
    try:
        with stage("decide"), rust_panics_as_errors():
            return policy.decide(report)
    except Exception as error:
        _log.error("deciding failed; fail=%s applies", policy.fail, exc_info=error)
        return None


def _edited(report: Report, decision: Decision, policy: Policy) -> GuardedAnswer:
    try:
        if decision.action in (Action.ALLOW, Action.FLAG):
            return repair(report, decision, policy)
        with stage("repair"), rust_panics_as_errors():
            return repair(report, decision, policy)
    except Exception as error:
        _log.error("editing failed; fail=%s applies", policy.fail, exc_info=error)
        return undecided(report, policy)


def _attempts(
    report: Report, decision: Decision, policy: Policy, authors: Authors, check: Check
) -> Program[GuardedAnswer]:
    """Repair an answer until the policy is content with it.

    Of all answers that were checked the best is delivered: the one whose action is mildest, then whose verdict is best,
    then whose score is highest; the earlier of equals, never one with a lower score than what came in, and none of the
    same action that would lose a sentence which passed before. Where the attempts are used up (``max_attempts`` counts
    the first answer and one that only says the same again), the policy's ``on_exhausted`` applies to it and
    ``exhausted`` says so.
    """
    best, tried, seen = report, 1, {(report.answer.strip(), report.passages)}
    current, asked, wish = report, decision, decision.action
    while tried < policy.max_attempts:
        new, answered = yield from _written(wish, current, asked, tried + 1, authors, seen)
        tried += answered
        if new is None:
            break  # it failed, or will only say the same again
        passages = new.passages or ()
        seen.add((new.text.strip(), passages))
        with stage("recheck"):
            current = yield from check(new.text, passages)
        asked = policy.decide(current)
        # An answer that is to be blocked is none that the policy is content with: what was wished for still is.
        wish = wish if asked.action is Action.BLOCK else asked.action
        if _no_worse(current, report) and _better(current, asked, best, decision):
            best, decision = current, asked
    guarded, exhausted = _edited(best, decision, policy), decision.action in NEW_ANSWER
    return replace(guarded, attempts=tried, exhausted=exhausted, original=report if best is not report else None)


def _written(
    wish: Action,
    current: Report,
    decision: Decision,
    attempt: int,
    authors: Authors,
    seen: set[tuple[str, tuple[Passage, ...]]],
) -> Program[tuple[NewAnswer | None, bool]]:
    """The first new answer that comes, with its passages; and whether any came, if only the same again."""
    answered = False
    feedback = Feedback(
        answer=current.answer, question=current.question, report=current, decision=decision, attempt=attempt
    )
    for way in authors.ways(wish):
        new = yield from authors.write(way, feedback)
        answered = answered or new is not None
        if new is not None and any(map(str.isalnum, new.text)):  # dots are no answer
            new = NewAnswer(new.text, current.passages if new.passages is None else new.passages)
            if (new.text.strip(), new.passages) not in seen:
                return new, True
    return None, answered


def _no_worse(new: Report, first: Report) -> bool:
    """An answer that abstains has the score 1.0 for claiming nothing: any that is supported may take its place."""
    if first.verdict is Verdict.ABSTAINED:
        return new.verdict in (Verdict.SUPPORTED, Verdict.ABSTAINED)
    return new.score >= first.score


def _better(new: Report, asked: Decision, best: Report, decision: Decision) -> bool:
    """Also where both have faults: what one of them objects to must not be what the other let pass."""
    if asked.action.severity < decision.action.severity:
        return True
    return not _objected(new, asked) & _passed(best, decision) and _order(new, asked) < _order(best, decision)


def _objected(report: Report, decision: Decision) -> set[str]:
    actions = dict(decision.finding_actions)
    return {f.text for f in report.findings if actions[f.id].severity >= Action.REDACT.severity}


def _passed(report: Report, decision: Decision) -> set[str]:
    return {f.text for f in report.findings} - _objected(report, decision)


def _order(report: Report, decision: Decision) -> tuple[int, int, float]:
    return decision.action.severity, _RANK.index(report.verdict), -report.score

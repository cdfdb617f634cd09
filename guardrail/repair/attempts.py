"""Repair that is checked again: new answers until one passes or the policy's attempts are used up.

As a generator, so that sync and async share it: it yields what has to be done and is sent what came of it.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, replace

from guardrail.policy.policy import Policy
from guardrail.repair.edits import repair
from guardrail.repair.feedback import Feedback
from guardrail.types import Action, Decision, GuardedAnswer, Passage, Report, Verdict

_RANK = (Verdict.SUPPORTED, Verdict.ABSTAINED, Verdict.UNVERIFIED, Verdict.UNSUPPORTED, Verdict.CONTRADICTED)


@dataclass(frozen=True, slots=True)
class Regenerate:
    """Have the caller's generator answer again; the reply is a NewAnswer, None if it failed."""

    feedback: Feedback


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Have a rewriter edit the answer; the reply is a NewAnswer, None if it failed or nothing could be done."""

    feedback: Feedback


@dataclass(frozen=True, slots=True)
class NewAnswer:
    """What came of a Regenerate or Rewrite; ``passages`` where they were retrieved again, None = the same ones."""

    text: str
    passages: tuple[Passage, ...] | None = None


@dataclass(frozen=True, slots=True)
class Check:
    """Check a new answer; the reply is its Report."""

    answer: str
    passages: tuple[Passage, ...]


Step = Regenerate | Rewrite | Check
Attempts = Generator[Step, NewAnswer | Report | None, GuardedAnswer]


def attempts(report: Report, policy: Policy, *, regenerates: bool, rewrites: bool) -> Attempts:
    """Repair an answer until the policy is content with it.

    Of all answers that were checked the best is delivered: the one whose action is mildest, then whose verdict is best,
    then whose score is highest; the earlier of equals, never one with a lower score than what came in, and none of the
    same action that would lose a sentence which passed before. Where the attempts are used up, the policy's
    ``on_exhausted`` applies to it and ``exhausted`` says so.

    Args:
        report: Of the first answer.
        policy: Decides on each answer; ``max_attempts`` counts the first one.
        regenerates: Whether there is a generator to ask again; it is also asked where a rewrite comes to nothing.
        rewrites: Whether the rewriter also stands in where there is no generator. A rewrite has one in any case.
    """
    best, decision = report, policy.decide(report)
    tried, seen = 1, {(report.answer.strip(), report.passages)}
    current, asked, wish = report, decision, decision.action
    while tried < policy.max_attempts:
        feedback = Feedback(
            answer=current.answer, question=current.question, report=current, decision=asked, attempt=tried + 1
        )
        new: NewAnswer | None = None
        for step in _ways(wish, feedback, regenerates=regenerates, rewrites=rewrites):
            said = yield step
            if isinstance(said, NewAnswer) and any(map(str.isalnum, said.text)):  # dots are no answer
                passages = current.passages if said.passages is None else said.passages
                if (said.text.strip(), passages) not in seen:
                    new = NewAnswer(said.text, passages)
                    break
        if new is None:
            break  # it failed, or will only say the same again
        seen.add((new.text.strip(), new.passages or ()))
        checked = yield Check(new.text, new.passages or ())
        if not isinstance(checked, Report):
            break
        tried += 1
        current, asked = checked, policy.decide(checked)
        # An answer that is to be blocked is none that the policy is content with: what was wished for still is.
        wish = wish if asked.action is Action.BLOCK else asked.action
        if _no_worse(checked, report) and _better(checked, asked, best, decision):
            best, decision = checked, asked
    guarded = repair(best, decision, policy)
    exhausted = decision.action in (Action.REGENERATE, Action.REWRITE)
    return replace(guarded, attempts=tried, exhausted=exhausted, original=report if best is not report else None)


def _ways(wish: Action, feedback: Feedback, *, regenerates: bool, rewrites: bool) -> tuple[Regenerate | Rewrite, ...]:
    """What to try for a new answer, until one comes."""
    if wish is Action.REGENERATE:
        return (Regenerate(feedback),) if regenerates else (Rewrite(feedback),) if rewrites else ()
    if wish is Action.REWRITE:
        return (Rewrite(feedback), Regenerate(feedback)) if regenerates else (Rewrite(feedback),)
    return ()


def _no_worse(new: Report, first: Report) -> bool:
    """An answer that abstains has the score 1.0 for claiming nothing: any that is borne out may take its place."""
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

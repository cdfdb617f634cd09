"""Sentence mode: a segment leaves as soon as it, and all before it, is checked."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from guardrail.check.entities import cluster
from guardrail.policy.policy import Policy
from guardrail.repair.edits import blocked_text, possible, repair
from guardrail.streaming.delivery import Delivery
from guardrail.streaming.events import Checked, Delta, Finished, Withheld
from guardrail.streaming.settled import last_ending, settled_until
from guardrail.streaming.steps import CheckAll, CheckSome, Depends, Enough, Fetch, Mend, More, Plan, Step, expect
from guardrail.streaming.whole import told
from guardrail.types import Action, Decision, Finding, GuardedAnswer, Passage, Report, Segment, Span

_MENDED = (Action.REWRITE, Action.REGENERATE)
_PLAIN = (Action.ALLOW, Action.FLAG)
_STEP = 32
"""The answer is taken apart anew once it has grown by this fraction, so that the work on a long one stays bounded."""


@dataclass(slots=True)
class Sentences:
    """One stream.

    Attributes:
        policy: Decides on each finding.
        question: What was asked, if known.
        retrieves: Whether passages are looked up where there are none.
        text: The answer as far as it has come.
        done: Offset up to which every segment is decided.
        hold: The rest is checked as a whole: nothing has left, and it must be mended, or namesakes kept apart.
        over: The stream was blocked.
    """

    policy: Policy
    question: str | None
    retrieves: bool
    text: str = ""
    done: int = 0
    hold: bool = False
    over: bool = False
    passages: tuple[Passage, ...] | None = None
    delivery: Delivery = field(init=False)
    _looked: int = 0
    _next: int = 0  # length of the text from which on the next look is worth it
    _read: bool = False  # some segments have been read already
    _asked_to_mend: bool = False

    def __post_init__(self) -> None:
        self.delivery = Delivery(self.policy)

    def plan(self) -> Plan:
        """The stream, from the first delta to Finished."""
        while (more := (yield More(gather=True))) is not None:
            self.text += expect(str, more)
            if self.hold or len(self.text) < self._next:
                continue
            self._next = len(self.text) + len(self.text) // _STEP
            ending = last_ending(self.text, self._looked)
            if ending > self._looked:
                self._looked = ending
                yield from self._look()
            if self.over:
                return
        yield from self._end()

    def _look(self) -> Plan:
        """Check what has become settled, and let go of it."""
        until = settled_until(self.text, self.done, self.question, self._ids)
        if until > self.done and self.passages is None:
            yield from self._fetch()
            if self.hold:
                return
            until = settled_until(self.text, self.done, self.question, self._ids)
        if until <= self.done:
            return
        self._read = True
        report = outlook = expect(Report, (yield CheckSome(self.text, until)))
        if (yield Depends()):
            outlook = expect(Report, (yield CheckSome(self.text, until, long=True)))
        yield from self._release(report, outlook, until)

    def _fetch(self) -> Plan:
        passages: tuple[Passage, ...] = expect(tuple, (yield Fetch()))
        self.passages = passages
        readable = any(p.text.strip() for p in passages)
        # Whose facts they are can be told only once all of the answer is there.
        self.hold = (self.retrieves and not readable) or any(e.shares_name for e in cluster(passages))

    def _release(self, report: Report, outlook: Report, until: int) -> Plan:
        """Deliver, note or keep back each segment in order, up to the first that cannot be decided yet."""
        later = {f.span: f for f in outlook.findings}
        units: list[Finding | Segment] = sorted((*report.findings, *report.skipped), key=lambda unit: unit.span)
        for unit in units:
            if unit.span.end <= self.done:
                continue
            if unit.span.end > until:
                return
            start = max(unit.span.start, self.done)
            if isinstance(unit, Segment):
                self.done = unit.span.end
                if self.delivery.anything:  # else it waits for the first segment that stays
                    yield from self._deliver(start)
                continue
            action = self._decide(unit, later.get(unit.span, unit))
            if action is None:
                return
            if action in _MENDED:
                if not self.delivery.anything:
                    self.hold = True
                    return
                self._asked_to_mend = True
            action = possible(action, self.policy)
            finding = self._new(unit, start)
            yield Checked(finding)
            if action is Action.BLOCK:
                yield from self._block(finding)
                return
            self.done = unit.span.end
            self.delivery.decide(finding, action)
            if action is Action.REDACT:
                yield Withheld(finding, action)
            else:
                yield from self._deliver(start)

    def _new(self, finding: Finding, start: int) -> Finding:
        """The finding; where it reaches back into what was decided otherwise, its part that was not."""
        if start == finding.span.start and finding.id not in self.delivery.actions:
            return finding
        span = Span(start, finding.span.end)
        return replace(finding, id=f"{finding.id}@{start}", span=span, text=span.of(self.text))

    def _decide(self, now: Finding, long: Finding) -> Action | None:
        """The action, if it is the same however long the answer will be; None where that may still change it."""
        action = self._action(now)
        # Scores rise with the length, so that in between lie at most: supported, and passages do not yet disagree.
        others = {self._action(long), self._action(replace(long, conflict=False))}
        if others == {action} or (action in _PLAIN and others <= set(_PLAIN)):
            return action
        return None

    def _action(self, finding: Finding) -> Action:
        return self.policy.action_for(finding)[0]

    def _deliver(self, start: int) -> Plan:
        new = self.delivery.keep(self.text, start, self.done)
        if new:
            yield Delta(new, verified=True)

    def _block(self, finding: Finding) -> Plan:
        """End the stream with the policy's message; what has left was checked, and stays."""
        self.over = True
        yield Enough()
        report = expect(Report, (yield CheckSome(self.text[: finding.span.end], None)))
        decision = self.policy.decide(report)
        if possible(decision.action, self.policy) is not Action.BLOCK:
            decision = Decision(action=Action.BLOCK, rule=self.policy.action_for(finding)[1], policy=self.policy.name,
                                finding_actions=decision.finding_actions)  # fmt: skip
        yield Withheld(finding, Action.BLOCK)
        yield Delta(self.delivery.say(blocked_text(report, self.policy)), verified=True)
        yield self._finished(repair(report, decision, self.policy), Action.BLOCK)

    def _end(self) -> Plan:
        if self.passages is None:
            yield from self._fetch()
        if not self.delivery.anything:
            whole: Step = CheckSome(self.text, None) if self._read else CheckAll(self.text)
            guarded = expect(GuardedAnswer, (yield Mend(expect(Report, (yield whole)))))
            yield from told(guarded, self.policy, () if guarded.original else tuple(self.delivery.actions))
            if guarded.text:
                yield Delta(guarded.text, verified=True)
            yield Finished(guarded)
            return
        report = expect(Report, (yield CheckSome(self.text, None)))
        yield from self._release(report, report, len(self.text))
        if self.over:
            return
        if rest := self.delivery.finish(report):
            yield Delta(rest, verified=True)
        action = max(self.delivery.actions.values(), key=lambda a: a.severity)
        yield self._finished(repair(report, self.policy.decide(report), self.policy), action)

    def _finished(self, guarded: GuardedAnswer, action: Action) -> Finished:
        return Finished(replace(guarded, text=self.delivery.text, action=action, exhausted=self._asked_to_mend))

    @property
    def _ids(self) -> tuple[str, ...]:
        return tuple(passage.id for passage in self.passages or ())

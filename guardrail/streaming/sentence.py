"""Sentence mode: a segment leaves as soon as it, and all before it, is checked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from guardrail.check.drivers import Events, Program, pure
from guardrail.check.entities import cluster
from guardrail.policy.keys import NEW_ANSWER
from guardrail.policy.policy import Policy
from guardrail.repair.edits import blocked_text, edited_text, effective_action, effective_actions, legend_of, repair
from guardrail.streaming.events import Checked, StreamEvent, Withheld, events_of
from guardrail.streaming.stable_prefix import last_ending, stable_until
from guardrail.streaming.work import StreamWork
from guardrail.types import Action, Finding, GuardedAnswer, Passage, Report, Segment, Span

_PLAIN = (Action.ALLOW, Action.FLAG)
_STEP = 32
"""The answer is taken apart anew once it has grown by this fraction, so that the work on a long one stays bounded."""


@dataclass(slots=True)
class Delivery:
    """What one stream has delivered.

    The edited prefix of an answer that ends with a segment in place is a prefix of the edited answer, so what is new in
    it may leave, and all of it joined is what ``repair`` makes of the whole.
    """

    policy: Policy
    actions: dict[str, Action] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    text: str = ""
    taken: str | None = None

    @property
    def anything(self) -> bool:
        """Whether any text has left."""
        return bool(self.text)

    def decide(self, finding: Finding, action: Action) -> None:
        """Settle what happens to the next segment."""
        self.findings.append(finding)
        self.actions[finding.id] = action

    def keep(self, answer: str, start: int, end: int) -> str:
        """New text, now that all up to ``end`` is decided and ``answer[start:end]`` stays."""
        if self.taken is None and Action.ANNOTATE in self.actions.values():
            self.taken = answer
        return self._extend(edited_text(answer[:end], self.findings, self.actions, self.policy.style, taken=self.taken),
                            answer[start:end])  # fmt: skip

    def finish(self, report: Report) -> str:
        """What is left of the answer once every segment is decided, with the legend of its notes."""
        edited = edited_text(report.answer, self.findings, self.actions, self.policy.style, taken=self.taken)
        judged = {(f.id, f.span): f for f in report.findings}  # the last word on scores and reasons
        told = replace(report, findings=tuple(judged.get((f.id, f.span), f) for f in self.findings))
        legend = legend_of(told, self.actions, self.policy.style, taken=self.taken)
        return self._extend(edited, "") + self._add(legend)

    def _extend(self, edited: str, otherwise: str) -> str:
        if edited.startswith(self.text):
            return self._add(edited[len(self.text) :])
        # An edit would reach back into what has left (a cut that takes "a. " for a list marker): it stays as it is.
        return self._add(f" {otherwise}" if otherwise else "")

    def _add(self, text: str) -> str:
        self.text += text
        return text

    def block(self, message: str) -> str:
        """The message that ends a blocked stream."""
        return self._add(f"\n\n{message}" if self.text else message)


@dataclass(slots=True)
class Sentences:
    """One stream.

    Attributes:
        work: What is done for it.
        text: The answer as far as it has come.
        done: Offset up to which every segment is decided.
        hold: The rest is checked as a whole: nothing has left, and it must be mended, or namesakes kept apart.
        over: The stream was blocked.
    """

    work: StreamWork
    text: str = ""
    done: int = 0
    hold: bool = False
    over: bool = False
    passages: tuple[Passage, ...] | None = None
    delivery: Delivery = field(init=False)
    _looked: int = 0
    _next: int = 0  # length of the text from which on the next look is worth it
    _read: bool = False  # some segments have been read already
    _wants_new_answer: bool = False

    def __post_init__(self) -> None:
        self.delivery = Delivery(self.work.policy)

    def plan(self) -> Events[StreamEvent]:
        """The stream, from the first delta to Finished."""
        while (more := (yield from self.work.read(gather=True))) is not None:
            self.text += more
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

    def _look(self) -> Events[StreamEvent]:
        """Check what has become settled, and let go of it."""
        if self.passages is None and not callable(self.work.given):  # with them the text is taken apart only once
            yield from self._fetch()
        if self.hold:
            return
        until = yield from self._stable_until()
        if until > self.done and self.passages is None:
            yield from self._fetch()
            if self.hold:
                return
            until = yield from self._stable_until()
        if until <= self.done:
            return
        self._read = True
        report = outlook = yield from self.work.check_until(self.text, until)
        if self.work.memory.depends:
            outlook = yield from self.work.check_until(self.text, until, long=True)
        yield from self._release(report, outlook, until)

    def _stable_until(self) -> Program[int]:
        reader = self.work.memory.readers.of(self.work.question, self._ids)
        return pure(stable_until, self.text, self.done, reader)

    def _fetch(self) -> Program[None]:
        passages = self.passages = yield from self.work.fetch()
        readable = any(p.text.strip() for p in passages)
        # Whose facts they are can be told only once all of the answer is there.
        self.hold = (self.work.guard.retriever is not None and not readable) or any(
            e.shares_name for e in cluster(passages)
        )

    def _release(self, report: Report, outlook: Report, until: int) -> Events[StreamEvent]:
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
            if action in NEW_ANSWER:
                if not self.delivery.anything:
                    self.hold = True
                    return
                self._wants_new_answer = True
            action = effective_action(action, self.work.policy, unit)
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
        return self.work.policy.action_for(finding)[0]

    def _deliver(self, start: int) -> Events[StreamEvent]:
        new = self.delivery.keep(self.text, start, self.done)
        if new:
            yield from self.work.deliver(new)

    def _block(self, finding: Finding) -> Events[StreamEvent]:
        """End the stream with the policy's message; what has left was checked, and stays."""
        self.over = True
        yield from self.work.close_source()
        policy = self.work.policy
        report = yield from self.work.check_until(self.text[: finding.span.end], None)
        decision = policy.decide(report)
        if Action.BLOCK not in effective_actions(report, decision, policy).values():
            decision = replace(decision, action=Action.BLOCK, rule=policy.action_for(finding)[1])
        yield Withheld(finding, Action.BLOCK)
        yield from self.work.deliver(self.delivery.block(blocked_text(report, decision, policy)))
        yield from self._finish(repair(report, decision, policy), Action.BLOCK)

    def _end(self) -> Events[StreamEvent]:
        if self.passages is None:
            yield from self._fetch()
        if not self.delivery.anything:
            work = self.work
            report = yield from work.check_until(self.text, None) if self._read else work.check(self.text)
            guarded = yield from work.repair(report)
            yield from events_of(guarded, self.work.policy, () if guarded.original else tuple(self.delivery.actions))
            if guarded.text:
                yield from work.deliver(guarded.text)
            yield from work.finish(guarded)
            return
        report = yield from self.work.check_until(self.text, None)
        yield from self._release(report, report, len(self.text))
        if self.over:
            return
        if rest := self.delivery.finish(report):
            yield from self.work.deliver(rest)
        action = max(self.delivery.actions.values(), key=lambda a: a.severity)
        yield from self._finish(repair(report, self.work.policy.decide(report), self.work.policy), action)

    def _finish(self, guarded: GuardedAnswer, action: Action) -> Iterator[StreamEvent]:
        told = replace(guarded, text=self.delivery.text, action=action, exhausted=self._wants_new_answer)
        return self.work.finish(told)

    @property
    def _ids(self) -> tuple[str, ...]:
        return tuple(passage.id for passage in self.passages or ())

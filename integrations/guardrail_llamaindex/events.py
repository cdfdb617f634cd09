"""Events and spans on LlamaIndex's dispatcher. They hold no text of answers, questions or passages."""

from __future__ import annotations

from llama_index_instrumentation import get_dispatcher
from llama_index_instrumentation.base import BaseEvent
from opentelemetry import context

from guardrail import GuardedAnswer
from guardrail.check.drivers import Program, Work, arun, run
from guardrail.telemetry.spans import quiet
from guardrail_llamaindex.spans import within

dispatcher = get_dispatcher("guardrail_llamaindex")
"""Attach handlers here to get the guard's events alone."""


class GuardrailCheckStartEvent(BaseEvent):
    """An answer is going to be checked. ``kind``: ``query``, ``chat`` or ``agent``; ``mode``: of a stream, or None."""

    kind: str
    mode: str | None = None

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "GuardrailCheckStartEvent"


class GuardrailCheckEndEvent(BaseEvent):
    """An answer was checked, and decided on. ``seconds``: what the check took."""

    kind: str
    mode: str | None = None
    verdict: str
    score: float
    action: str
    rule: str
    policy: str
    engine: str
    findings: int
    attempts: int
    exhausted: bool
    seconds: float

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "GuardrailCheckEndEvent"


class NamesakesEvent(BaseEvent):
    """Retrieved nodes describe namesakes. ``dropped``: node ids; ``ambiguous``: the question does not say which."""

    dropped: list[str]
    ambiguous: bool

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "NamesakesEvent"


def started(kind: str, mode: str | None = None) -> None:
    """Tell that a check begins."""
    tell(GuardrailCheckStartEvent(kind=kind, mode=mode))


def ended(guarded: GuardedAnswer, kind: str, mode: str | None = None) -> None:
    """Tell what came of a check."""
    report, decision = guarded.report, guarded.decision
    tell(
        GuardrailCheckEndEvent(
            kind=kind,
            mode=mode,
            verdict=report.verdict.value,
            score=report.score,
            action=guarded.action.value,
            rule=decision.rule,
            policy=decision.policy,
            engine=report.engine,
            findings=len(report.findings),
            attempts=guarded.attempts,
            exhausted=guarded.exhausted,
            seconds=report.seconds,
        )
    )


def tell(event: BaseEvent) -> None:
    """Tell of an event; OpenTelemetry's instrumentations, which complain of those that they do not know, hear none."""
    with within(quiet()):
        dispatcher.event(event)


def observed(kind: str, check: Work[GuardedAnswer]) -> Work[GuardedAnswer]:
    """A check in a span of its own, between its two events.

    Instrumentations that make OpenTelemetry's spans of the dispatcher's do not see this one: the guard's own
    ``guardrail.check`` hangs in its place.
    """
    found: list[GuardedAnswer] = []
    ours = context.get_current()

    def program() -> Program[None]:  # without arguments and result: handlers are given both
        started(kind)
        with within(ours):
            found.append((yield check))
        ended(found[0], kind)

    def guardrail_check() -> None:
        run(program())

    async def aguardrail_check() -> None:
        await arun(program())

    guardrail_check.__qualname__ = aguardrail_check.__qualname__ = "guardrail.check"

    def here() -> GuardedAnswer:
        with within(quiet()):
            dispatcher.span(guardrail_check)()
        return found[0]

    async def awaited() -> GuardedAnswer:
        with within(quiet()):
            await dispatcher.span(aguardrail_check)()
        return found[0]

    return Work(here, awaited)

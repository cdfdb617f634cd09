"""The texts of a reply, checked one by one."""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guardrail.check.intake import lines_of
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.repair.feedback import Feedback
from guardrail.retrieval.request.found import Evidence
from guardrail.service.errors import Invalid
from guardrail.service.proxy.options import ProxySettings
from guardrail.service.proxy.request import Asked
from guardrail.types import Action, GuardedAnswer
from guardrail.wrap.answer_field import answer_field
from guardrail.wrap.written import Written

if TYPE_CHECKING:
    from guardrail.service.service import Service

AskAgain = Callable[[Feedback], Awaitable[str]]
"""The model's text after feedback; empty where it wrote none."""


@dataclass(frozen=True, slots=True)
class Checked:
    """One text of a reply after the check.

    Attributes:
        text: What is delivered.
        guarded: What was found; None where it was not checked.
        changed: Whether another text is delivered than the model wrote.
        structured: Whether it is JSON.
        seconds: What the check took.
        index: Number of the choice, or of the text of a response.
        observed: It had left before it was checked.
    """

    text: str
    guarded: GuardedAnswer | None
    changed: bool = False
    structured: bool = False
    seconds: float = 0.0
    index: int = 0
    observed: bool = False

    @property
    def blocked(self) -> bool:
        """Whether the answer was withheld as a whole."""
        return self.guarded is not None and self.guarded.action is Action.BLOCK and not self.observed


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What one request needs to have its answers checked.

    Attributes:
        service: Where checks are done.
        guard: By which guard.
        asked: The request.
        options: Of the proxy.
        evidence: What the answers are checked against: the request's, and perhaps what the upstream looked up.
        again: Asks the upstream once more; None = nobody may be asked.
    """

    service: Service
    guard: Guard
    asked: Asked
    options: ProxySettings
    evidence: Evidence
    again: AskAgain | None = None

    @property
    def skips(self) -> bool:
        """Whether the answer passes, since there is nothing to check it against."""
        looked_up = self.guard.retriever is not None
        return not self.evidence.found and not looked_up and self.options.without_passages == "skip"


async def checked_text(work: Work, text: str) -> Checked:
    """One text of a reply, as it is delivered.

    Raises:
        ServiceError: see Service.run.
    """
    asked = work.asked
    if work.skips or not text.strip():
        return Checked(text, None)
    first = _written(asked, text)
    began = time.perf_counter()
    if first is None:
        return await _unreadable(work, text, began)
    attempts: list[Written] = []

    async def again(feedback: Feedback) -> str:
        new = await work.again(feedback) if work.again is not None else ""
        read = _written(asked, new) if new.strip() else None
        if read is None:
            return ""
        attempts.append(read)
        return read.answer

    guarded = await work.service.run(
        work.guard,
        answer=first.answer,
        passages=work.evidence.passages,
        question=work.evidence.question,
        regenerate=again if work.again is not None and asked.can_be_asked_again else None,
    )
    best = next((each for each in attempts if each.answer == guarded.report.answer), first)
    delivered = best.with_answer(guarded.text).text
    seconds = time.perf_counter() - began
    return Checked(delivered, guarded, delivered != text, bool(first.field), seconds)


async def observed_text(work: Work, text: str) -> Checked:
    """The same of a text that has left already: what the policy would have done, and nothing is done.

    Raises:
        ServiceError: see Service.check.
    """
    written = _written(work.asked, text)
    if work.skips or not text.strip():
        return Checked(text, None)
    began = time.perf_counter()
    report = await work.service.check(
        work.guard,
        answer="\n".join(lines_of(json.loads(text))) if written is None else written.answer,
        passages=work.evidence.passages,
        question=work.evidence.question,
    )
    return Checked(text, work.guard.apply(report), seconds=time.perf_counter() - began, observed=True)


async def _unreadable(work: Work, text: str, began: float) -> Checked:
    """JSON without a field of free text: its values are checked as lines, and pass as they are or not at all."""
    guarded = await work.service.run(
        work.guard,
        answer="\n".join(lines_of(json.loads(text))),
        passages=work.evidence.passages,
        question=work.evidence.question,
    )
    seconds = time.perf_counter() - began
    delivers = guarded.action in (Action.ALLOW, Action.FLAG, Action.ANNOTATE)
    if delivers:
        return Checked(text, guarded, structured=True, seconds=seconds)
    return Checked(guarded.text, guarded, changed=True, structured=True, seconds=seconds)


def _written(asked: Asked, text: str) -> Written | None:
    """What the model wrote; None where it is JSON in which no field holds free text."""
    if not asked.structured and asked.field is None:
        return Written(text)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Written(text)
    if not isinstance(value, dict):
        return Written(text) if isinstance(value, str) else None
    try:
        free = asked.field or answer_field({key: value[key] for key in value if _is_free(asked, key)})
        found = answer_field(value, free) if free is not None else None
    except UsageError as error:
        raise Invalid(f"guardrail.answer_field: {error}") from None
    return Written(text, value, found) if found is not None and value.get(found) else None


def _is_free(asked: Asked, key: str) -> bool:
    """Whether the schema lets a field hold any text: no value of a list, no pattern, no format."""
    said = _schema(asked.body).get(key)
    return not isinstance(said, dict) or not any(name in said for name in ("enum", "const", "pattern", "format"))


def _schema(body: Any) -> dict[str, Any]:
    """The properties of the object that a request asks for."""
    form = body.get("response_format") or (body.get("text") or {}).get("format")
    for name in ("json_schema", "schema", "properties"):
        inner = form.get(name) if isinstance(form, dict) else None
        form = inner if isinstance(inner, dict) else form
    return form if isinstance(form, dict) else {}


def severest(checks: Sequence[Checked]) -> Checked | None:
    """The check with the severest action, and of these with the lowest score; None where nothing was checked."""
    judged = [(each, each.guarded) for each in checks if each.guarded is not None]
    ranked = sorted(judged, key=lambda pair: (-pair[1].action.severity, pair[1].report.score))
    return ranked[0][0] if ranked else None

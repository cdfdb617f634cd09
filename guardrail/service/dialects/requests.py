"""What the dialects share: bodies read, guards chosen, what was found in one answer."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from starlette.requests import Request

from guardrail.guard import Guard
from guardrail.service.errors import Invalid, Malformed
from guardrail.service.service import Service
from guardrail.types import Finding, Report, Span, Verdict

HEADER = "x-guardrail-guard"
"""Header that names the guard, where the interface has no field for it."""


class Body(BaseModel):
    """A part of a request; fields that mean nothing here are let through, since vendors add some."""

    model_config = ConfigDict(extra="ignore", frozen=True)


B = TypeVar("B", bound=Body)


async def read_body(request: Request, kind: type[B]) -> B:
    """The body as that kind.

    Raises:
        Malformed: it is no JSON.
        Invalid: a field is missing or of the wrong type; the message names it, and not its value.
    """
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        if first["type"] == "json_invalid":
            raise Malformed(f"the body is not valid JSON: {first['msg']}.") from None
        where = ".".join(str(part) for part in first["loc"]) or "body"
        said = str(first["msg"]).removeprefix("Value error, ")
        raise Invalid(f"{where}: {said}") from None


def guard_of(service: Service, request: Request, named: str | None = None) -> Guard:
    """The guard of a request: of its path (``/guards/NAME/...``) or header, else the one ``named`` in its body.

    Raises:
        Unknown: there is no such guard.
        NotAllowed: the key is not for it.
    """
    return service.guard(request.path_params.get("guard") or request.headers.get(HEADER) or named or None)


def faults(report: Report) -> tuple[Finding, ...]:
    """Findings that the passages do not support, in the order of the answer.

    Those that could not be judged are among them: an interface whose answer is yes or no must not say yes to them.
    """
    return tuple(
        sorted((f for f in report.findings if f.verdict is not Verdict.SUPPORTED), key=lambda finding: finding.span)
    )


def share_of(spans: list[Span], text: str) -> float:
    """Share (0..1) of the characters of a text that the spans cover."""
    covered, at = 0, 0
    for span in sorted(spans):
        covered += max(0, span.end - max(at, span.start))
        at = max(at, span.end)
    return round(covered / len(text), 4) if text else 0.0

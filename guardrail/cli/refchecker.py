"""``guardrail extract`` and ``check`` on RefChecker's items: its ``extract``, ``check`` and ``extract-check``."""

from __future__ import annotations

from guardrail.cli.engines import why_unjudged
from guardrail.cli.work import Done
from guardrail.errors import UsageError
from guardrail.evaluation.data.refchecker import Aggregator, checked, extracted, read_item
from guardrail.guard import Guard
from guardrail.types import Usage


def check_item(guard: Guard, raw: object, aggregator: Aggregator, *, needs_claims: bool) -> Done:
    """Check an item; one without claims is taken apart first, and deadline and call budget count for each of the two.

    Raises:
        UsageError: something in the item is wrong or missing.
    """
    item = read_item(raw)
    if item.references is None and guard.retriever is None:
        raise UsageError("has no 'reference'; give it one, or name documents with --retriever FOLDER")
    if item.claims is None and needs_claims:
        raise UsageError("has no 'claims' or 'triplets'; run `guardrail extract`, or leave out --claims")
    claims, out, spent = item.claims, item.raw, Usage()
    if claims is None:
        draft = guard.draft(item.response, item.question)
        out, spent = extracted(item.raw, draft), draft.usage
        claims = tuple(claim for segment in draft.parts.segments for claim in segment.claims)
    guarded = guard.run(item.response, item.references or (), question=item.question, claims=claims)
    report = guarded.report
    return Done(
        item=checked(out, report, aggregator),
        action=guarded.action,
        why=why_unjudged(report),
        usage=spent + report.usage,
    )


def extract_item(guard: Guard, raw: object) -> Done:
    """Take the response of an item apart. Raises as ``check_item`` does."""
    item = read_item(raw)
    draft = guard.draft(item.response, item.question)
    return Done(item=extracted(item.raw, draft), why=draft.reason or None, usage=draft.usage)

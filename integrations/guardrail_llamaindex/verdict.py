"""The verdict as it goes into metadata: whole, or without any text that was withheld."""

from __future__ import annotations

from dataclasses import replace

from guardrail import GuardedAnswer

KEY = "guardrail"
"""Key of the GuardedAnswer in metadata."""

MODE_KEY = "guardrail_mode"
"""Key of the mode in the metadata of a stream."""


def told(guarded: GuardedAnswer, *, sealed: bool) -> GuardedAnswer:
    """The GuardedAnswer for metadata.

    Args:
        guarded: What the guard said.
        sealed: Take out all words of the answer that are not delivered: the report's answer becomes the delivered
            text, findings on other words keep verdict, score, error type and spans only, and the report of an earlier
            attempt is dropped.
    """
    if not sealed or (guarded.original is None and guarded.text == guarded.report.answer):
        return guarded
    report, text = guarded.report, guarded.text
    kept = replace(
        report,
        answer=text,
        findings=tuple(f if f.text in text else replace(f, text="", claim="", reason="") for f in report.findings),
        claims=tuple(c for c in report.claims if c.text in text),
        skipped=tuple(s for s in report.skipped if s.text in text),
        groups=tuple(g for g in report.groups if g.name in text),
        reason="",
    )
    return replace(guarded, report=kept, original=None)

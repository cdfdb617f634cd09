"""Whether a rewrite left alone what nobody objected to, and brought along nothing that shows or loads something."""

from __future__ import annotations

import re

from guardrail.check.decompose.checkworthiness import HEADING
from guardrail.repair.edits import language_of, resolved_pronoun
from guardrail.repair.feedback import Feedback
from guardrail.repair.local.edits import unhung
from guardrail.types import Finding

_TAG = re.compile(r"\s*[(（][^()（）\n]*[)）]")
_ACTIVE = re.compile(r"https?://|www\.|!\[|\]\(|<[a-z!/]|```|javascript:|data:", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_FLAT = re.compile(r"[\s*_]+")
_GROWTH = 400
"""Characters that a rewrite may have beyond the answer and the evidence together."""


def keeps(new: str, feedback: Feedback) -> bool:
    """Whether ``new`` may stand for the answer: it is another text, in its language, and has lost nothing sound.

    A sentence without a fault may lose an opening connective, have a pronoun replaced, or gain a namesake's tag.
    """
    answer, report = feedback.answer, feedback.report
    given = answer + "".join(each.quote for finding in feedback.faults for each in finding.evidence)
    if not new.strip() or new.strip() == answer.strip() or language_of(new) != language_of(answer):
        return False
    if _HAN.search(new) and not _HAN.search(given):
        return False
    if len(new) > len(given) + _GROWTH or len(_ACTIVE.findall(new)) > len(_ACTIVE.findall(answer)):
        return False
    faulty = {finding.id for finding in feedback.faults}
    spans = [finding.span for finding in feedback.faults]
    sound = [
        f
        for f in report.findings
        if f.id not in faulty and not any(f.span.start < end and start < f.span.end for start, end in spans)
    ]
    skipped = [s.span.of(answer) for s in report.skipped if s.skipped != HEADING]
    texts = (_flat(new), _flat(_TAG.sub("", new)))
    return all(any(_flat(text) in each for each in texts) for text in skipped) and all(
        any(form in each for form in _forms(finding, answer) for each in texts) for finding in sound
    )


def _forms(finding: Finding, answer: str) -> list[str]:
    """How a sentence without a fault may read afterwards."""
    text = finding.span.of(answer)
    forms = [_flat(text), _flat(_TAG.sub("", text))]
    if (pronoun := resolved_pronoun(finding)) is not None:
        forms.append(_flat(answer[pronoun[0].end : finding.span.end]))
    hanging = unhung(answer, finding.span.start) or ()
    forms += [_flat(edit.new + answer[edit.span.end : finding.span.end]) for edit in hanging]
    return [form for form in forms if form]


def _flat(text: str) -> str:
    return _FLAT.sub(" ", text).strip()

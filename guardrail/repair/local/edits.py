"""Edits of an answer, without a dangling connective, and whether a rewrite leaves the rest alone. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from guardrail.check.decompose.connectives import Link, discourse_link
from guardrail.check.decompose.references import HEADING
from guardrail.repair.edits import cut_out, language_of, resolved_pronoun
from guardrail.repair.feedback import Feedback
from guardrail.types import Finding, Span

_LEADING = re.compile(
    r"""(?:and[ ])?(?:
    however|but|yet|nevertheless|nonetheless|even\ so|conversely|still(?=,)|instead|rather(?=,)
    |(?:in|by)\ contrast|on\ the\ (?:other\ hand|contrary)|(?:in\ spite\ of|despite)\ (?:this|that)(?=,)
    |for\ (?:example|instance)|similarly|likewise
    |then|after(?:wards?|\ (?:that|this)(?=,))|thereafter|subsequently|before\ (?:that|this)(?=,)|next(?=,)
    |consequently|therefore|thus|hence|accordingly|otherwise|so(?=,|[ ])
    |as\ (?:a|an)\ (?:direct\ )?(?:result|consequence)(?!\ of)|in\ consequence(?!\ of)
    |(?:because|as\ a\ result|as\ a\ consequence|in\ consequence)\ of\ (?:this|that|these)(?=,)
    |(?:due|owing|thanks)\ to\ (?:this|that|these)(?=,)|for\ (?:this|that|these)\ reasons?
    |in\ this\ (?:case|way)
    )(?:,[ ]*|[ ]+)
    |(?:因此|因而|所以|于是|從而|从而|故而|由此|为此|為此|否则|否則|不然|那么|那麼|然而|但是|但|不过|不過|可是|相反|相比之下
    |与此相反|反之|尽管如此|儘管如此|另一方面|例如|比如|譬如|然后|然後|随后|隨後|之后|之後|接着|此后|此後)[，,]?""",
    re.IGNORECASE | re.VERBOSE,
)

_TAG = re.compile(r"\s*[(（][^()（）\n]*[)）]")
_ACTIVE = re.compile(r"https?://|www\.|!\[|\]\(|<[a-z!/]|```|javascript:|data:", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_FLAT = re.compile(r"[\s*_]+")
_GROWTH = 400
"""Characters that a rewrite may have beyond the answer and the evidence together."""


class Edit(NamedTuple):
    """``answer[span.start:span.end]`` becomes ``new``; "" takes it out, with the list marker and spaces around."""

    span: Span
    new: str = ""


def apply_edits(answer: str, edits: Iterable[Edit]) -> str:
    """The answer with all edits made; of edits that overlap, the one that starts first (then the longer) counts."""
    chosen: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.span.start, -edit.span.end)):
        if not chosen or edit.span.start >= chosen[-1].span.end:
            chosen.append(edit)
    for (start, end), new in reversed(chosen):
        answer = answer[:start] + new + answer[end:] if new else cut_out(answer, start, end)
    return answer


def without_connective(answer: str, start: int) -> Sequence[Edit] | None:
    """What to change where the sentence before ``start`` goes: a connective that hangs on it is dropped.

    None where it hangs on more than a word ("This led to ..."): the sentence cannot stay without the one before.
    """
    head = answer[start : start + 80]
    if discourse_link(head) is Link.NONE:
        return ()
    found = _LEADING.match(head)
    if found is None or found.end() >= len(head):
        return None
    end = start + found.end()
    return (Edit(Span(start, end + 1), answer[end].upper()),)


def preserves_rest(new: str, feedback: Feedback) -> bool:
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
    hanging = without_connective(answer, finding.span.start) or ()
    forms += [_flat(edit.new + answer[edit.span.end : finding.span.end]) for edit in hanging]
    return [form for form in forms if form]


def _flat(text: str) -> str:
    return _FLAT.sub(" ", text).strip()

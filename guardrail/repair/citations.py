"""Citation marks from evidence: put behind each supported segment the numbers of the passages that support it. Pure.

from guardrail.repair.citations import cite
text = cite(guard.check(answer, passages))
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from guardrail.errors import UsageError
from guardrail.text.citations import citation_index, take_citations
from guardrail.text.words import content_words
from guardrail.types import Finding, Report, Span, Verdict

_STOP = re.compile(r"[.!?。！？…]+[*_]*$")
_CODE = re.compile(r"(`+)(?:(?!\1).)+\1", re.DOTALL)
_CJK_END = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\u3000-\u303f\uff00-\uffef][*_]*$")
_ADDS = 0.2
"""Share of a segment's content words that a further passage must bring to be cited beside the first."""

_ENOUGH = 0.6
"""A passage that the answer cites stays if it has this share of the words that the best one has."""


def cite(report: Report, style: str = "[{n}]") -> str:
    """The answer with citation marks that hold.

    A supported segment is marked with the passages that its evidence is from, fewest first; marks that it has and that
    name such passages stay as they are, others are replaced. A segment that is not supported loses its marks; one that
    is not verified keeps them. Headings, code and lists of references are left alone.

    Args:
        report: What a check found; its answer is marked.
        style: How a mark is written; ``{n}`` stands for the passage's number, from 1.

    Raises:
        UsageError: ``style`` has no ``{n}``, or another field.
    """
    try:
        written = style.format(n=1) != style
    except (KeyError, IndexError, ValueError, AttributeError):
        written = False
    if not written:
        raise UsageError(f"style must hold {{n}} and no other field, got {style!r}. For example '[{{n}}]'.")
    index = citation_index([passage.id for passage in report.passages])
    text = report.answer
    codes = [match.span() for match in _CODE.finditer(text)]
    for span, findings in reversed(_apart(report.findings)):
        if any(start < border < end for start, end in codes for border in span):
            continue  # a sentence end inside code: a mark at that border would stand in the code
        new = _marked(span.of(text), findings, report, index, style)
        text = text[: span.start] + new + text[span.end :]
    return text


def _apart(findings: Sequence[Finding]) -> list[tuple[Span, list[Finding]]]:
    """Findings by stretches that do not overlap (those on claims that the caller gave may)."""
    found: list[tuple[Span, list[Finding]]] = []
    for finding in sorted(findings, key=lambda f: f.span):
        if found and finding.span.start < found[-1][0].end:
            span, kin = found[-1]
            found[-1] = (Span(span.start, max(span.end, finding.span.end)), [*kin, finding])
        else:
            found.append((finding.span, [finding]))
    return found


def _marked(text: str, findings: Sequence[Finding], report: Report, index: Mapping[str, str], style: str) -> str:
    verdicts = {finding.verdict for finding in findings}
    if Verdict.UNVERIFIED in verdicts:
        return text
    bare, cited = _without_marks(text, index)
    if verdicts != {Verdict.SUPPORTED}:
        return bare
    wanted = list(dict.fromkeys(ident for finding in findings for ident in _sources(finding)))
    if not wanted or (cited and all(any(_supports(f, ident) for f in findings) for ident in cited)):
        return text
    number_of = {passage.id: str(n) for n, passage in enumerate(report.passages, 1)}
    names = [number if index.get(number) == ident else ident for ident in wanted for number in [number_of[ident]]]
    return _with_marks(bare, "".join(style.format(n=name) for name in names))


def _without_marks(text: str, index: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """The stretch without its marks, and what they name; what stands in code is none."""
    kept: list[str] = []
    cited: dict[str, None] = {}
    at = 0
    for code in [*(match.span() for match in _CODE.finditer(text)), (len(text), len(text))]:
        bare, ids = take_citations(text[at : code[0]], index)
        cited.update(dict.fromkeys(ids))
        kept += [bare, text[code[0] : code[1]]]
        at = code[1]
    return "".join(kept), tuple(cited)


def _with_marks(text: str, marks: str) -> str:
    """Before the full stop; in a table row before its closing bar."""
    end = len(text)
    if text.startswith("|") and text.endswith("|"):
        end -= 1 + (len(text[:-1]) - len(text[:-1].rstrip()))
    elif (stop := _STOP.search(text)) is not None:
        end = stop.start()
    gap = "" if _CJK_END.search(text[:end]) else " "
    return text[:end] + gap + marks + text[end:]


def _words_by_passage(finding: Finding) -> dict[str, set[str]]:
    """Content words of the segment that each passage's evidence has, by passage id in the order of the evidence."""
    wanted = set(content_words(finding.claim))
    words_of: dict[str, set[str]] = {}
    for each in finding.evidence:
        words_of.setdefault(each.passage_id, set()).update(wanted & set(content_words(each.quote)))
    return words_of


def _sources(finding: Finding) -> list[str]:
    """The passages to cite: the one that says most, and those that say more of the segment beside it."""
    words_of = _words_by_passage(finding)
    least = _ADDS * len(set(content_words(finding.claim)))
    sources: list[str] = []
    covered: set[str] = set()
    while rest := [ident for ident in words_of if ident not in sources]:
        best = max(rest, key=lambda ident: len(words_of[ident] - covered))
        if sources and len(words_of[best] - covered) < max(1.0, least):
            break
        sources.append(best)
        covered |= words_of[best]
    return sorted(sources, key=list(words_of).index)


def _supports(finding: Finding, ident: str) -> bool:
    words_of = _words_by_passage(finding)
    most = max((len(words) for words in words_of.values()), default=0)
    return ident in _sources(finding) or (ident in words_of and len(words_of[ident]) >= max(1.0, _ENOUGH * most))

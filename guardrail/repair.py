"""Carry out a decision on the text of an answer: leave it, note at it, take out of it, or replace it. Pure.

Edits run from right to left, so that spans not yet used stay valid. Findings on claims that the caller gave may
overlap: a stretch is taken out if any of them asks for it, and what stood only there loses its note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from guardrail.policy import Policy
from guardrail.types import Action, Decision, Finding, GuardedAnswer, Report, Span, Verdict

_CJK = re.compile(r"[\u3400-\u9fff]")
_LINE_MARKER = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+)?(?:[-*+•]|\(?\w{1,3}[.)、）]|[①-⑳])?[ \t]*(?:\[[ xX]\][ \t]*)?[*_]*[ \t]*"
)
_PRONOUN = re.compile(r"[A-Za-z']{2,8}|(?:The|the) [a-z]{4,8}|[\u3400-\u9fff]{1,4}")
_PLAIN_ID = re.compile(r"[\w.:#*-]{1,40}")
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|!~])")

BLOCKED = {
    "en": "I can't give a reliable answer to this: the sources do not bear it out.",
    "zh": "抱歉，现有资料不足以支持可靠的回答。",
}
"""What is delivered in place of a blocked answer, unless the policy has its own messages."""

_LABELS = {
    "en": {
        Verdict.CONTRADICTED: "Contradicted by the sources",
        Verdict.UNSUPPORTED: "Not supported by the sources",
        Verdict.UNVERIFIED: "Could not be checked",
        Verdict.SUPPORTED: "The sources disagree",
        Verdict.ABSTAINED: "No claim to check",
    },
    "zh": {
        Verdict.CONTRADICTED: "与资料矛盾",
        Verdict.UNSUPPORTED: "资料不支持",
        Verdict.UNVERIFIED: "未能核实",
        Verdict.SUPPORTED: "资料之间不一致",
        Verdict.ABSTAINED: "没有可核实的内容",
    },
}


def repair(report: Report, decision: Decision, policy: Policy) -> GuardedAnswer:
    """The answer to deliver; ``action`` is what was done, which differs from what was asked only for a reason.

    A rewrite or regeneration that nothing can carry out becomes the policy's ``on_exhausted``; a redaction that leaves
    no finding in place becomes a block.
    """
    actions = {ident: _possible(action, policy) for ident, action in decision.finding_actions}
    action = max(actions.values(), key=lambda a: a.severity) if actions else _possible(decision.action, policy)
    if action is Action.REDACT and all(_gone(f.span, _cuts(report, actions)) for f in report.findings):
        action = Action.BLOCK
    text = report.answer
    if action is Action.BLOCK:
        text = blocked_text(report, policy)
    elif action in (Action.ANNOTATE, Action.REDACT):
        text = _edit(report, actions, policy)
    return GuardedAnswer(text=text, action=action, report=report, decision=decision)


def undecided(report: Report, policy: Policy) -> GuardedAnswer:
    """What ``fail`` says where deciding itself broke: a block, or the answer with a flag."""
    action = Action.BLOCK if policy.fail == "closed" else Action.FLAG
    decision = Decision(action=action, rule=f"fail={policy.fail}", policy=policy.name)
    text = blocked_text(report, policy) if action is Action.BLOCK else report.answer
    return GuardedAnswer(text=text, action=action, report=report, decision=decision)


def blocked_text(report: Report, policy: Policy) -> str:
    """The message for a blocked answer, in the language of the question or answer."""
    language = language_of(report.question or report.answer)
    return policy.messages.get(language) or policy.messages.get("en") or BLOCKED[language]


def language_of(text: str) -> str:
    """``zh`` for text with Chinese characters, else ``en``."""
    return "zh" if _CJK.search(text) else "en"


def _possible(action: Action, policy: Policy) -> Action:
    return policy.on_exhausted if action in (Action.REWRITE, Action.REGENERATE) else action


def _edit(report: Report, actions: Mapping[str, Action], policy: Policy) -> str:
    text = report.answer
    language = language_of(text)
    cuts = _cuts(report, actions)
    ordered = sorted(report.findings, key=lambda f: f.span)
    noted = [f for f in ordered if actions[f.id] is Action.ANNOTATE and not _gone(f.span, cuts)]
    marks = dict(zip((f.id for f in noted), _marks(text, len(noted), policy.style), strict=True))
    orphans = [
        f
        for before, f in pairwise(ordered)
        if actions[before.id] is Action.REDACT and actions[f.id] is not Action.REDACT and not _gone(f.span, cuts)
    ]
    notes = [(_mark_position(text, f, cuts), marks[f.id]) for f in noted]
    notes += dict.fromkeys(found for f in orphans if (found := _referent(f)) is not None)
    edits = [(cut.start, 1, cut.end, "") for cut in cuts]
    edits += [(position, 0, number, note) for number, (position, note) in enumerate(notes)]
    # Of edits at one place the cut comes first, then the notes from the last to the first.
    for position, is_cut, end, note in sorted(edits, reverse=True, key=lambda edit: edit[:3]):
        text = _cut(text, position, end) if is_cut else text[:position] + note + text[position:]
    if noted:
        return text + _legend(report, noted, marks, policy.style, language)
    if not report.findings:  # nothing to put a mark at (code, no text): say so all the same
        return f"{text}\n\n[!] {_LABELS[language][report.verdict]}: {report.reason}"
    return text


def _marks(text: str, count: int, style: str) -> list[str]:
    prefix = "g"
    while f"[^{prefix}" in text:
        prefix += "g"
    return [f"[^{prefix}{n}]" if style == "markdown" else f" [!{n}]" for n in range(1, count + 1)]


def _cuts(report: Report, actions: Mapping[str, Action]) -> list[Span]:
    """What is taken out, in order and without overlap."""
    cuts: list[Span] = []
    for span in sorted(f.span for f in report.findings if actions[f.id] is Action.REDACT):
        if cuts and span.start < cuts[-1].end:
            cuts[-1] = Span(cuts[-1].start, max(cuts[-1].end, span.end))
        else:
            cuts.append(span)
    return cuts


def _gone(span: Span, cuts: Sequence[Span]) -> bool:
    """Whether nothing of the stretch is left."""
    return any(cut.start <= span.start and span.end <= cut.end for cut in cuts)


def _mark_position(text: str, finding: Finding, cuts: Sequence[Span]) -> int:
    """Behind what is left of the segment; in a table row before its closing bar."""
    start, end = finding.span
    if text[start:end].startswith("|") and text[start:end].endswith("|"):
        end -= 1
    return next((cut.start for cut in cuts if cut.start < end <= cut.end), end)


def _legend(report: Report, noted: Sequence[Finding], marks: Mapping[str, str], style: str, language: str) -> str:
    lines = []
    number_of = {p.id: str(n) for n, p in enumerate(report.passages, 1)}
    for finding in noted:
        reason = f": {_inert(finding.reason, style)}" if finding.reason else ""
        ids = [e.passage_id for e in finding.evidence[:1]]
        source = "".join(f" ({i if _PLAIN_ID.fullmatch(i) else number_of.get(i, '?')})" for i in ids)
        colon = ":" if style == "markdown" else ""
        lines.append(f"{marks[finding.id].strip()}{colon} {_LABELS[language][finding.verdict]}{reason}{source}")
    fence = "\n```" if report.answer.count("```") % 2 else ""  # an open fence would swallow the notes
    return f"{fence}\n\n" + "\n".join(lines)


def _inert(text: str, style: str) -> str:
    """A reason quotes passages: on one line, and without effect as Markdown."""
    flat = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\1", flat) if style == "markdown" else flat


def _referent(finding: Finding) -> tuple[int, str] | None:
    """Whom a leading pronoun means, and where to say so, since the sentence before is taken out: "He [X] ..."."""
    original, claim = finding.text.split(" "), finding.claim.split(" ")
    shared = min(len(original), len(claim))
    head = next((n for n in range(shared) if original[n] != claim[n]), shared)
    tail = next((n for n in range(shared - head) if original[-1 - n] != claim[-1 - n]), shared - head)
    pronoun, referent = (" ".join(words[head : len(words) - tail]) for words in (original, claim))
    if not referent or not _PRONOUN.fullmatch(pronoun):
        return None
    return finding.span.start + len(" ".join(original[: head + len(pronoun.split(" "))])), f" [{referent}]"


def _cut(text: str, start: int, end: int) -> str:
    """Take out ``text[start:end]`` with the list marker and white space that would be left over."""
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    alone = not text[end:line_end].strip(" \t*_")
    if alone and _LINE_MARKER.fullmatch(text, line_start, start):
        return text[:line_start] + text[min(line_end + 1, len(text)) :]
    before, after = text[:start], text[end:]
    if after[:1] in (" ", "\t"):
        return before + after.lstrip(" \t")
    return before.rstrip(" \t") + after if not after or after[0] == "\n" else before + after

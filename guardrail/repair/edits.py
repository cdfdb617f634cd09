"""Carry out a decision on the text of an answer: leave it, note at it, take out of it, or replace it. Pure.

Edits run from right to left, so that spans not yet used stay valid. Findings on claims that the caller gave may
overlap: a stretch is taken out if any of them asks for it, and what stood only there loses its note.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from guardrail.check.conflicts import source_name
from guardrail.policy.keys import NEW_ANSWER
from guardrail.policy.policy import Policy
from guardrail.text.labels import LABEL
from guardrail.text.language import language, language_among
from guardrail.types import Action, Cause, Decision, Finding, GuardedAnswer, Report, Span, Verdict

_LINE_MARKER = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+)?(?:[-*+•]|\(?\w{1,3}[.)、）]|[①-⑳])?[ \t]*(?:\[[ xX]\][ \t]*)?"
    rf"(?:{LABEL}|[*_]*[ \t]*)"
)
_PRONOUN = re.compile(
    r"(?i:he|she|it|they|his|her|its|their|this|that|these|those)(?:['’]s)?|(?:The|the) [a-z]{4,8}|[\u3400-\u9fff]{1,4}"
)
_MARKDOWN = re.compile(r"([\\`*_\[\]<>|!~])")

BLOCKED = {
    "en": "I can't give a reliable answer to this: it is not supported by the sources.",
    "zh": "抱歉，现有资料不足以支持可靠的回答。",
}
"""What is delivered in place of a blocked answer, unless the policy has its own messages."""

NOT_VERIFIED = {
    "en": "I can't give a reliable answer to this: it was not verified against the sources.",
    "zh": "抱歉，回答未能对照资料核实。",
}
"""The same where what is blocked was not judged."""

TIMED_OUT = {
    "en": "I can't give a reliable answer to this: it could not be checked against the sources (time limit).",
    "zh": "抱歉，未能在时限内对照资料核实回答。",
}
"""The same where time ran out."""

_LATE = {"en": "Could not be checked (time limit)", "zh": "未能核实（超过时限）"}
_WEAK = {"en": "Only weakly supported by the sources (score {:.2f})", "zh": "资料支持不足（得分{:.2f}）"}
_CLEAR = 0.75
"""Score from which a note calls a sentence supported without reserve: half-way from the default threshold to 1."""

_LABELS = {
    "en": {
        Verdict.CONTRADICTED: "Contradicted by the sources",
        Verdict.UNSUPPORTED: "Not supported by the sources",
        Verdict.UNVERIFIED: "Not verified",
        Verdict.SUPPORTED: "Supported by the sources",
        Verdict.ABSTAINED: "No claim to check",
    },
    "zh": {
        Verdict.CONTRADICTED: "与资料矛盾",
        Verdict.UNSUPPORTED: "资料不支持",
        Verdict.UNVERIFIED: "未能核实",
        Verdict.SUPPORTED: "资料支持",
        Verdict.ABSTAINED: "没有可核实的内容",
    },
}


def repair(report: Report, decision: Decision, policy: Policy) -> GuardedAnswer:
    """The answer to deliver; ``action`` is what was done, which differs from what was asked only for a reason.

    A rewrite or regeneration that nothing can carry out becomes the policy's ``on_exhausted``; a redaction that leaves
    no finding in place becomes a block.
    """
    actions = effective_actions(report, decision, policy)
    action = max(actions.values(), key=lambda a: a.severity, default=None)
    action = action or effective_action(decision.action, policy, report)
    if action is Action.REDACT and all(_gone(f.span, _cuts(report.findings, actions)) for f in report.findings):
        action = Action.BLOCK
    text = report.answer
    if action is Action.BLOCK:
        text = blocked_text(report, decision, policy)
    elif action in (Action.ANNOTATE, Action.REDACT):
        text = _edit(report, actions, policy)
    return GuardedAnswer(text=text, action=action, report=report, decision=decision)


def undecided(report: Report, policy: Policy) -> GuardedAnswer:
    """What ``fail`` says where deciding itself broke: a block, or the answer with a flag."""
    action = Action.BLOCK if policy.fail == "closed" else Action.FLAG
    decision = Decision(action=action, rule=f"fail={policy.fail}", policy=policy.name)
    text = blocked_text(report, decision, policy) if action is Action.BLOCK else report.answer
    return GuardedAnswer(text=text, action=action, report=report, decision=decision)


def blocked_text(report: Report, decision: Decision, policy: Policy) -> str:
    """The message for a blocked answer, in the language of the question or answer; ours says why it is blocked."""
    asked = report.question or report.answer
    own = policy.messages.get(language_among(policy.messages, asked))
    return own or _reason_to_block(report, effective_actions(report, decision, policy))[language_of(asked)]


def _reason_to_block(report: Report, actions: Mapping[str, Action]) -> Mapping[str, str]:
    severest = max(actions.values(), key=lambda a: a.severity, default=None)
    acted = {ident for ident, action in actions.items() if action is severest}
    blocked = [finding for finding in report.findings if finding.id in acted]
    if not blocked:  # an answer without findings, or a policy that could not decide
        return NOT_VERIFIED if report.verdict is Verdict.UNVERIFIED or report.findings else BLOCKED
    if any(finding.verdict is not Verdict.UNVERIFIED for finding in blocked):
        return BLOCKED
    return TIMED_OUT if any(finding.cause is Cause.TIMEOUT for finding in blocked) else NOT_VERIFIED


def language_of(text: str) -> str:
    """``zh`` for Chinese, else ``en``: the languages of our own words."""
    return "zh" if language(text) == "zh" else "en"


def effective_action(action: Action, policy: Policy, about: Finding | Report) -> Action:
    """The action without a generator: ``on_exhausted`` in place of a rewrite or regeneration."""
    return policy.exhausted_action(about) if action in NEW_ANSWER else action


def effective_actions(report: Report, decision: Decision, policy: Policy) -> dict[str, Action]:
    """The same for each finding, by id."""
    findings = {finding.id: finding for finding in report.findings}
    return {ident: effective_action(action, policy, findings[ident]) for ident, action in decision.finding_actions}


def _edit(report: Report, actions: Mapping[str, Action], policy: Policy) -> str:
    text = report.answer
    edited = edited_text(text, report.findings, actions, policy.style)
    if legend := legend_of(report, actions, policy.style):
        return edited + legend
    if not report.findings:  # nothing to put a mark at (code, no text): say so all the same
        return f"{edited}\n\n[!] {_LABELS[language_of(text)][report.verdict]}: {report.reason}"
    return edited


def edited_text(
    text: str, findings: Sequence[Finding], actions: Mapping[str, Action], style: str, *, taken: str | None = None
) -> str:
    """The text with what is redacted taken out and a mark at what is annotated; the legend belongs behind it.

    Marks differ from all that stands in ``taken``, by default the text itself.
    """
    cuts = _cuts(findings, actions)
    ordered = sorted(findings, key=lambda f: f.span)
    noted = _noted(ordered, actions, cuts)
    marks = dict(zip((f.id for f in noted), _marks(text if taken is None else taken, len(noted), style), strict=True))
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
        text = cut_out(text, position, end) if is_cut else text[:position] + note + text[position:]
    return text


def legend_of(report: Report, actions: Mapping[str, Action], style: str, *, taken: str | None = None) -> str:
    """What the marks mean, to stand behind the edited text; "" where there are none. ``taken``: see edited_text."""
    noted = _noted(sorted(report.findings, key=lambda f: f.span), actions, _cuts(report.findings, actions))
    if not noted:
        return ""
    found = _marks(report.answer if taken is None else taken, len(noted), style)
    marks = dict(zip((f.id for f in noted), found, strict=True))
    return _legend(report, noted, marks, style)


def _marks(text: str, count: int, style: str) -> list[str]:
    prefix = "g"
    while f"[^{prefix}" in text:
        prefix += "g"
    return [f"[^{prefix}{n}]" if style == "markdown" else f" [!{n}]" for n in range(1, count + 1)]


def _noted(ordered: Sequence[Finding], actions: Mapping[str, Action], cuts: Sequence[Span]) -> list[Finding]:
    return [f for f in ordered if actions[f.id] is Action.ANNOTATE and not _gone(f.span, cuts)]


def _cuts(findings: Sequence[Finding], actions: Mapping[str, Action]) -> list[Span]:
    """What is taken out, in order and without overlap."""
    cuts: list[Span] = []
    for span in sorted(f.span for f in findings if actions[f.id] is Action.REDACT):
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


def _legend(report: Report, noted: Sequence[Finding], marks: Mapping[str, str], style: str) -> str:
    lines = []
    spoken = language_of(report.answer)
    names = {p.id: source_name(p, number, spoken) for number, p in enumerate(report.passages, 1)}
    for finding in noted:
        # The reason of a conflict says it all, with its sources.
        complete = finding.conflict and finding.verdict is Verdict.SUPPORTED and finding.reason != ""
        late = finding.cause is Cause.TIMEOUT
        parts = [] if complete else [_label(finding, spoken)]
        parts += [_inert(finding.reason, style)] if finding.reason and not late else []
        cited = [] if complete or late else [names.get(e.passage_id, "?") for e in finding.evidence[:1]]
        source = "".join(f" ({_inert(name, style)})" for name in cited)
        colon = ":" if style == "markdown" else ""
        lines.append(f"{marks[finding.id].strip()}{colon} {': '.join(parts)}{source}")
    fence = "\n```" if report.answer.count("```") % 2 else ""  # an open fence would swallow the notes
    return f"{fence}\n\n" + "\n".join(lines)


def _label(finding: Finding, spoken: str) -> str:
    """What a note says of the finding."""
    if finding.cause is Cause.TIMEOUT:
        return _LATE[spoken]
    weak = finding.verdict is Verdict.SUPPORTED and finding.score < _CLEAR
    return _WEAK[spoken].format(finding.score) if weak else _LABELS[spoken][finding.verdict]


def _inert(text: str, style: str) -> str:
    """A reason quotes passages: on one line, and without effect as Markdown."""
    flat = " ".join(text.split())
    return _MARKDOWN.sub(r"\\\1", flat) if style == "markdown" else flat


def resolved_pronoun(finding: Finding) -> tuple[Span, str] | None:
    """A leading pronoun of a segment, as its span in the answer, and whom the stand-alone text says that it means."""
    original, claim = finding.text.split(" "), finding.claim.split(" ")
    shared = min(len(original), len(claim))
    head = next((n for n in range(shared) if original[n] != claim[n]), shared)
    tail = next((n for n in range(shared - head) if original[-1 - n] != claim[-1 - n]), shared - head)
    pronoun, referent = (" ".join(words[head : len(words) - tail]) for words in (original, claim))
    if not referent or not _PRONOUN.fullmatch(pronoun):
        return None
    start = finding.span.start + sum(len(word) + 1 for word in original[:head])
    return Span(start, start + len(pronoun)), referent


def _referent(finding: Finding) -> tuple[int, str] | None:
    """Whom a leading pronoun means, and where to say so, since the sentence before is taken out: "He [X] ..."."""
    found = resolved_pronoun(finding)
    return None if found is None else (found[0].end, f" [{found[1]}]")


def cut_out(text: str, start: int, end: int) -> str:
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

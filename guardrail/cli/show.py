"""A report for people: the answer with its findings, each with its reason and the quoted evidence.

Texts of strangers are made printable: nothing in them moves the cursor, sets a title or turns the text round.
"""

from __future__ import annotations

import re
from typing import TextIO

from rich.console import Console, Group
from rich.padding import Padding
from rich.text import Text

from guardrail.types import ClaimFinding, Finding, GuardedAnswer, Report, Usage, Verdict

_STYLE = {
    Verdict.SUPPORTED: ("✓", "green"),
    Verdict.CONTRADICTED: ("✗", "bold red"),
    Verdict.UNSUPPORTED: ("✗", "red"),
    Verdict.UNVERIFIED: ("?", "yellow"),
    Verdict.ABSTAINED: ("–", "cyan"),
}
_MAX_QUOTE = 160
_COMMANDS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters but tab and line feed; ESC begins a terminal's commands
    "\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks that change the direction of the text
    "\u2028\u2029\ud800-\udfff]"  # separators of lines; lone surrogates, which no terminal can show
)
_SPACE = re.compile(r"\s+")


def show(guarded: GuardedAnswer, target: TextIO | None = None, *, title: str = "") -> None:
    """Print verdict, findings and, where it differs from the answer, the text to deliver."""
    console = Console(file=target, highlight=False)
    report = guarded.report
    console.print(headline(report, guarded.action.value, title))
    for finding in report.findings:
        console.print(finding_lines(finding, report))
        for claim in report.claims:
            if claim.segment_id == finding.id:
                console.print(_claim(claim))
    if report.usage.calls:
        console.print(_usage(report.usage))
    if guarded.text != report.answer:
        console.print(delivery(guarded.text, guarded.action.value))
    console.print()


def delivery(text: str, action: str) -> Group:
    """What was delivered in place of the answer."""
    return Group(Text(f"  delivered ({action}):", style="bold"), Padding(Text(printable(text)), (0, 0, 0, 4)))


def headline(report: Report, action: str, title: str = "") -> Text:
    """Verdict, score, action and time in one line."""
    mark, style = _STYLE[report.verdict]
    line = Text(f"{mark} {report.verdict.value}", style=style)
    line.append(f"  score {report.score:.2f}  action {action}  {report.seconds * 1000:.0f} ms", style="dim")
    if title:
        line = Text(f"{printable(title)}  ", style="bold") + line
    if report.reason:
        line.append(f"  {printable(report.reason)}")
    return line


def finding_lines(finding: Finding, report: Report) -> Group:
    """The sentence and its score; of one to object to also the kind of error, the reason and the evidence."""
    mark, style = _STYLE[finding.verdict]
    line = Text(f"  {mark} ", style=style)
    line.append(_marked(finding))
    line.append(f"  {finding.score:.2f}", style="dim")
    if finding.verdict is Verdict.SUPPORTED and not finding.conflict:
        return Group(line)
    kind = f", {finding.error_type.value}" if finding.error_type else ""
    lines = [line, Text(f"      {finding.verdict.value}{kind}: {printable(finding.reason)}", style=style)]
    titles = {p.id: p.title for p in report.passages}
    for evidence in finding.evidence[:2]:
        source = f"{evidence.passage_id}" + (
            f" {titles[evidence.passage_id]}" if titles.get(evidence.passage_id) else ""
        )
        quote = evidence.quote if len(evidence.quote) <= _MAX_QUOTE else evidence.quote[:_MAX_QUOTE] + "…"
        span = f"{evidence.span.start}–{evidence.span.end}"
        lines.append(Text(printable(f"      passage [{source}] {span}: “{quote}”"), style="dim"))
    return Group(*lines)


def _claim(claim: ClaimFinding) -> Text:
    """One line: the claim and what each passage that speaks of it says."""
    mark, style = _STYLE[claim.verdict]
    line = Text(f"      {mark} ", style=style)
    line.append(printable(" | ".join(claim.triplet) if claim.triplet else claim.text))
    spoken = [f"{printable(name)} {_STYLE[v][0]}" for name, v in claim.by_passage if v is not Verdict.UNSUPPORTED]
    return line + Text(f"  [{', '.join(spoken)}]" if spoken else "", style="dim")


def _usage(usage: Usage) -> Text:
    tokens = f"{usage.input_tokens} tokens in, {usage.output_tokens} out"
    line = f"  {_counted(usage.calls, 'call')} in {_counted(usage.rounds, 'round')}, {tokens}"
    if usage.cost is not None:
        line += f", cost {usage.cost:.4f}"
    if usage.screened:
        line += f", {usage.escalated} of {_counted(usage.screened, 'segment')} escalated"
    return Text(line, style="dim")


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _marked(finding: Finding) -> Text:
    """The segment with the part at fault underlined, and where it stands in the answer."""
    text = Text(printable(finding.text))
    if finding.focus is not None:
        text.stylize("underline", finding.focus.start - finding.span.start, finding.focus.end - finding.span.start)
    return text + Text(f"  [{finding.span.start}–{finding.span.end}]", style="dim")


def printable(text: str) -> str:
    """The text with each such character replaced by "�", so that spans still point to what they did."""
    return _COMMANDS.sub("�", text)


def one_line(text: str, most: int | None = None) -> str:
    """The same in one line, cut to ``most`` characters."""
    line = _SPACE.sub(" ", printable(text)).strip()
    return line if most is None or len(line) <= most else line[:most].rstrip() + "…"

"""Records of a store and their rates for people. Texts of strangers never command the terminal."""

from __future__ import annotations

from datetime import UTC, datetime

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from guardrail.cli.show import delivery, finding_lines, headline, one_line, printable
from guardrail.telemetry.records.rates import Rates, VerdictRate
from guardrail.telemetry.records.record import FAULTY, StoredRecord
from guardrail.types import Finding, Verdict

_QUESTION = 300
_PASSAGE = 240
_FAULTS = 3
_BAD = (*FAULTY, Verdict.UNVERIFIED)


def show_record(record: StoredRecord, console: Console, *, place: int | None, whole: bool) -> None:
    """Print one record: what is at fault in it, or all of it if ``whole``."""
    console.print(headline(record.report, record.action, "" if place is None else f"{place}."))
    for line in _about(record):
        console.print(Text(f"  {line}", style="dim"))
    if record.question:
        console.print(Text("  Q ", style="bold") + Text(one_line(record.question, None if whole else _QUESTION)))
    if record.left_out is not None:
        console.print(Text(f"  no texts: {printable(record.left_out)}", style="yellow"))
    else:
        _show_findings(record, console, whole=whole)
    if whole and record.text is not None and record.text != record.answer:
        console.print(delivery(record.text, record.action))
    if whole:
        for passage in record.passages:
            console.print(Text(printable(f"  passage [{passage.id}{f' {passage.title}' if passage.title else ''}]")))
            console.print(Padding(Text(printable(passage.text)), (0, 0, 0, 4)), style="dim")
    console.print()


def _show_findings(record: StoredRecord, console: Console, *, whole: bool) -> None:
    shown = record.findings if whole else record.faults[:_FAULTS]
    for finding in shown:
        console.print(finding_lines(finding, record.report))
        said = record.finding_labels.get(finding.id)
        if said is not None:
            console.print(Text(f"      [{finding.id}] labelled {said.value}", style="cyan"))
        elif whole:
            console.print(Text(f"      [{printable(finding.id)}]", style="dim"))
        if finding.verdict is not Verdict.SUPPORTED and not finding.evidence:
            near = _nearest(finding, record)
            if near is not None:
                console.print(Text(f"      {near}", style="dim"))
    left = len(record.faults) - len(shown)
    if left > 0:
        console.print(Text(f"  and {left} more; `guardrail monitor show` prints all", style="dim"))


def _about(record: StoredRecord) -> list[str]:
    """Id, time, trace and labels; then what people said."""
    first = f"{one_line(record.id)}  {record.time:%Y-%m-%d %H:%M:%S} UTC  policy {one_line(record.policy)}"
    lines = [first + (f"  seen {record.seen} times" if record.seen > 1 else "")]
    if record.trace_id:
        lines.append(f"trace {one_line(record.trace_id)}")
    if record.labels:
        lines.append("  ".join(f"{one_line(key)} {one_line(value)}" for key, value in record.labels.items()))
    if record.human_label is not None or record.note:
        said = "no label" if record.human_label is None else f"labelled {record.human_label.value}"
        kind = "" if record.error_type is None else f", {record.error_type.value}"
        by = f" by {one_line(record.labelled_by)}" if record.labelled_by else ""
        note = f": {one_line(record.note)}" if record.note else ""
        lines.append(f"{said}{kind}{by}{note}")
    return lines


def _nearest(finding: Finding, record: StoredRecord) -> str | None:
    """The sentence of the passages that shares most with the finding; None where there are no passages."""
    from guardrail.text.sentences import split_sentences  # the splitter and the word lists load only here
    from guardrail.text.words import Overlap, content_words

    sentences = [(p, span.of(p.text)) for p in record.passages for span in split_sentences(p.text)]
    if not sentences:
        return None
    bags = [content_words(text) for _, text in sentences]
    overlap, wanted = Overlap(bags), content_words(finding.claim)
    best = max(range(len(bags)), key=lambda number: overlap.coverage(wanted, [number]))
    passage, text = sentences[best]
    title = f" {passage.title}" if passage.title else ""
    return f"nearest: passage [{one_line(passage.id + title)}]: “{one_line(text, _PASSAGE)}”"


def show_label(record: StoredRecord, console: Console) -> None:
    """Print what people have said of the record, with the ids of its findings for further labels."""
    label = "no label" if record.human_label is None else record.human_label.value
    console.print(Text(f"{one_line(record.id)}  {label}", style="bold"))
    for finding in record.findings:
        said = record.finding_labels.get(finding.id)
        mark = "" if said is None else f"  labelled {said.value}"
        console.print(Text(f"  [{one_line(finding.id)}] {finding.verdict.value}{mark}  {one_line(finding.text, 100)}"))


def show_rates(found: Rates, console: Console) -> None:
    """Print rates by verdict, then by label."""
    if not found.records:
        console.print("no records")
        _show_pruned(found, console)
        return
    table = Table(box=box.SIMPLE_HEAD, title="answers by verdict", title_justify="left", title_style="bold")
    table.add_column("verdict")
    for name in ("records", "answers (estimate)", "share"):
        table.add_column(name, justify="right")
    for rate in found.verdicts:
        table.add_row(rate.verdict.value, str(rate.records), f"{rate.answers:.0f}", f"{rate.share:.1%}")
    table.add_section()
    table.add_row("all", str(found.records), f"{found.answers:.0f}", "")
    console.print(table)
    if found.labels:
        console.print(_label_table(found))
    console.print(Text(f"  labelled by people: {found.labelled}", style="dim"))
    if not found.sampled:
        console.print("  answers that nobody objected to are not kept (sample=0): shares are among the others")
    _show_pruned(found, console)


def _show_pruned(found: Rates, console: Console) -> None:
    if found.complete_since is not None:
        since = datetime.fromtimestamp(found.complete_since, UTC)
        console.print(f"  only answers after {since:%Y-%m-%d %H:%M} UTC: older ones were pruned by number")


def _label_table(found: Rates) -> Table:
    table = Table(box=box.SIMPLE_HEAD, title="by label", title_justify="left", title_style="bold")
    table.add_column("label")
    for name in ("records", "answers", *(verdict.value for verdict in _BAD)):
        table.add_column(name, justify="right", no_wrap=True)
    for rate in found.labels:
        shares = [_share(rate.verdicts, verdict) for verdict in _BAD]
        table.add_row(Text(one_line(f"{rate.key} {rate.value}", 60)), str(rate.records), f"{rate.answers:.0f}", *shares)
    return table


def _share(rates: tuple[VerdictRate, ...], verdict: Verdict) -> str:
    return next((f"{rate.share:.1%}" for rate in rates if rate.verdict is verdict), "–")

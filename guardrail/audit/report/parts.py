"""A report as headings, paragraphs and tables: one text for HTML and Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from guardrail.audit.report.figures import MOST, Figures, Rate

if TYPE_CHECKING:
    from guardrail.audit.rate.corrected import Corrected


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 2, or 3 for one answer."""

    text: str
    level: int = 2


@dataclass(frozen=True, slots=True)
class Text:
    """A paragraph; ``quote``: somebody's words."""

    text: str
    quote: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a header; of numbers, all columns but the first."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]


Part = Heading | Text | Table
_SHOWN = 600
_DAYS = 62


def parts_of(
    figures: Figures, engine: str, corrected: Corrected | None = None, changes: Iterable[Part] = ()
) -> Iterator[Part]:
    """The report, in order; ``changes``: what to say of the audit before."""
    whole, unverified = figures.whole, figures.verdicts.get("unverified", 0)
    yield Text(f"{figures.answers:,} answers ({figures.distinct:,} different ones) were judged by {engine}.")
    if figures.unjudged:
        yield Text(
            f"{figures.unjudged:,} more logged answers have no verdict under this fingerprint and are in none of the "
            "figures: the audit was stopped before them, or they could not be judged. The same command goes on."
        )
    if not figures.answers:
        yield Text("There is nothing to report yet.")
        yield from _rejected(figures)
        return
    yield Heading("How bad it was")
    if corrected is not None:
        yield from _corrected(corrected)
    alone = "By the count of the engine alone, " if corrected else ""
    yield Text(
        f"{alone}{_share(whole)} of the answers that could be judged say something that their passages contradict or "
        f"do not support: {whole.bad:,} of {whole.total:,} (95 % interval {_interval(whole)}). {unverified:,} answers "
        "could not be judged. The interval is that of chance in the sample of answers. How often the engine itself is "
        "wrong is not in it, so let people label some of these answers before you quote the number: guardrail audit "
        "sample."
    )
    yield Table(("verdict", "answers", "share"), [
        (name, f"{n:,}", f"{n / figures.answers:.1%}") for name, n in figures.verdicts.items()
    ])  # fmt: skip
    if figures.errors:
        yield Heading("What kind of errors")
        yield _counts("error type", "answers", figures.errors)
    if figures.causes:
        yield Heading("Why answers could not be judged")
        yield _counts("cause", "answers", figures.causes)
    yield from _where(figures, {} if corrected is None else _by_people(corrected))
    yield from changes
    yield from _documents(figures)
    yield from _worst(figures)
    yield from _rejected(figures)


def _corrected(found: Corrected) -> Iterator[Part]:
    yield Text(
        f"{found.rate:.1%} of the answers say something that their passages contradict or do not support (95 % "
        f"interval {found.low:.1%} to {found.high:.1%}). That is what people say of a stratified sample, "
        f"{found.labelled:,} of {found.drawn:,} drawn answers, for {found.answers:,} answers with passages; the "
        f"engine's own count of these is {found.engine:.1%}."
    )
    rows = [
        (s.part.name, f"{s.part.answers:,}", f"{s.part.bad / s.part.answers:.1%}", f"{s.wrong:,} of {s.labelled:,}")
        for s in found.strata
    ]
    yield Table(("the engine says (score)", "answers", "bad by the engine", "bad by people"), rows)


def _by_people(corrected: Corrected) -> dict[str, dict[str, str]]:
    """By label and value the rate that the labels give."""
    found: dict[str, dict[str, str]] = {}
    for one in corrected.slices:
        told = f"{one.rate:.1%} ({one.low:.1%} to {one.high:.1%}, {one.labelled:,} labels)"
        found.setdefault(one.label, {})[one.value] = told
    return found


def _where(figures: Figures, by_people: Mapping[str, Mapping[str, str]]) -> Iterator[Part]:
    yield Heading("Where")
    yield Text(
        "“Too many” is how many bad answers there are at least (at the lower end of the interval) beyond the share of "
        "all other answers; 0 where chance alone may explain the difference."
    )
    if by_people:
        yield Text(
            "The share by people is that which the labels within the slice give, with its 95 % interval; “–” where too "
            "few labelled answers are in it."
        )
    for label, rates in figures.slices.items():
        yield Heading(f"By {label}", 3)
        yield _rates(label, rates[:MOST], by_people.get(label))
    yield Heading("By day", 3)
    if len(figures.days) > _DAYS:
        yield Text(f"The last {_DAYS} of {len(figures.days)} days; all are in tables/days.parquet.")
    yield _rates("day", figures.days[-_DAYS:])


def _documents(figures: Figures) -> Iterator[Part]:
    yield Heading("Which documents")
    if figures.documents:
        yield Text("Answers that were generated with the document among their passages.")
        yield _rates("document", figures.documents)
    else:
        yield Text("No document was among the passages of a bad answer often enough to say something about it.")
    if figures.contradicted:
        yield Heading("Documents that contradict what was answered", 3)
        yield _counts("document", "answers", figures.contradicted)
    if figures.conflicts:
        yield Heading("Documents that disagree with others", 3)
        yield Text("One passage supports a sentence and another contradicts it: one of the documents may be wrong.")
        yield _counts("document", "answers", figures.conflicts)
    if figures.mixed:
        yield Text(f"{figures.mixed:,} answers say of one individual what the passages say of its namesake.")
    if figures.without_passages:
        yield Heading("Questions without evidence", 3)
        yield _counts("question", "times", figures.without_passages)


def _worst(figures: Figures) -> Iterator[Part]:
    if figures.worst:
        yield Heading("The worst answers")
    for one in figures.worst:
        yield Heading(f"{one['id']}: {one['verdict']}, score {one['score']:.2f}, {one['times']:,} times", 3)
        if one["question"]:
            yield Text(_cut(one["question"]), quote=True)
        if one["answer"]:
            yield Text(_cut(one["answer"]), quote=True)
        for finding in one["findings"]:
            yield Text(_finding(finding))


def _finding(finding: Mapping[str, Any]) -> str:
    quotes = [f"“{_cut(e['quote'])}” ({e['document']})" for e in finding["evidence"] or () if e["quote"]]
    says = f"“{_cut(finding['text'])}” is {finding['verdict']}" if finding["text"] else finding["verdict"]
    kind = f" ({finding['error_type'].replace('_', ' ')})" if finding["error_type"] else ""
    evidence = f" Evidence: {'; '.join(quotes[:2])}" if quotes else ""
    return f"{says}{kind}. {_cut(finding['reason'])}{evidence}"


def _rejected(figures: Figures) -> Iterator[Part]:
    if figures.rejected:
        yield Heading("Rows that could not be audited")
        yield Text(f"{figures.lost:,} rows in the last run; the folder rejected/ holds each with its place and reason.")
        yield _counts("reason", "rows", figures.rejected)


def _counts(what: str, counted: str, counts: Mapping[str, int]) -> Table:
    return Table((what, counted), [(_cut(name), f"{n:,}") for name, n in counts.items()])


def _rates(what: str, rates: Sequence[Rate], by_people: Mapping[str, str] | None = None) -> Table:
    rows = [(_cut(r.name), f"{r.bad:,} of {r.total:,}", _share(r), _interval(r), f"{r.excess:,.0f}") for r in rates]
    header = (what, "bad answers", "share", "95 % interval", "too many")
    if by_people is None:
        return Table(header, rows)
    people = [by_people.get(rate.name, "–") for rate in rates]
    return Table((*header, "share by people"), [(*row, told) for row, told in zip(rows, people, strict=True)])


def _share(rate: Rate) -> str:
    return "–" if rate.share is None else f"{rate.share:.1%}"


def _interval(rate: Rate) -> str:
    low, high = rate.interval
    return f"{low:.1%} to {high:.1%}"


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"

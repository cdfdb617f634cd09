"""A stratified sample of an audit's answers, as a queue for people to label."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from guardrail.audit.answer import LoggedAnswer
from guardrail.audit.folder import AuditFolder
from guardrail.audit.rate.design import LEAST_OF_SLICE, Design, Part, design_path
from guardrail.audit.rate.strata import EDGES, Cell, Stratum, strata_of
from guardrail.audit.report.views import chosen_fingerprint, views
from guardrail.audit.sources import Source
from guardrail.audit.sources.reading import Reading
from guardrail.errors import UsageError
from guardrail.evaluation.stratified import allocate

_SOURCES = "Name it with --source, and --format and --column as the audit had them."

_BAND = " + ".join(f"CAST(score >= {edge} AS INTEGER)" for edge in EDGES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """What was drawn: ``answers`` logged ones of ``items`` different texts; ``gone`` of these were not found again."""

    queue: Path
    design: Design
    answers: int
    items: int
    gone: int


def draw_sample(
    out: str | Path,
    size: int,
    *,
    seed: int = 1,
    to: str | Path | None = None,
    source: Source | None = None,
    fingerprint: str | None = None,
) -> Drawn:
    """Draw logged answers by verdict and score, and write them with their passages, in random order.

    The strata get labels by Neyman's allocation with a floor (guardrail.evaluation.stratified). Answers without
    passages are left out.

    Args:
        out: The folder of the audit.
        size: Logged answers to draw; those with the same texts are labelled once.
        seed: Of the draw; the same seed draws the same answers.
        to: The queue, JSON lines as ``guardrail studio`` opens them; None = sample.jsonl in the folder. The design is
            written beside it, as ``sample.design.json``.
        source: Where the texts are; None = the sources of the audit.
        fingerprint: Of the engine and policy whose verdicts make the strata; None = those of the last run.

    Raises:
        UsageError: there is nothing to draw from, the queue exists, or the texts are not to be found.
        MissingExtraError: the extra ``audit`` is not installed.
    """
    if size < 1:
        raise UsageError(f"size must be at least 1, got {size}.")
    queue = Path(to) if to is not None else Path(out) / "sample.jsonl"
    for path in (queue, design_path(queue)):
        if path.exists():
            raise UsageError(f"{str(path)!r} exists, and labels may belong to it. Name another file with --to.")
    with AuditFolder(out) as folder:
        chosen = chosen_fingerprint(folder, fingerprint)
        with views(folder, chosen) as connection:
            design, items = _drawn(connection, chosen, size, seed)
        readings = list(folder.readings().values())
    found: dict[str, Mapping[str, Any]] = {}
    for opened in [source] if source is not None else _sources(readings):
        found |= {row["id"]: row for row in _texts(opened, {k: v for k, v in items.items() if v not in found})}
    if not found:
        raise UsageError(f"none of the {len(items)} drawn answers is in the source any more. {_SOURCES}")
    queue.parent.mkdir(parents=True, exist_ok=True)
    with queue.open("w", encoding="utf-8") as handle:
        handle.writelines(json.dumps(found[ident]) + "\n" for ident in items.values() if ident in found)
    design.write(design_path(queue))
    answers = sum(len(part.drawn) for part in design.parts)
    return Drawn(queue=queue, design=design, answers=answers, items=len(items), gone=len(items) - len(found))


def _drawn(connection: Any, fingerprint: str, size: int, seed: int) -> tuple[Design, dict[str, str]]:
    """The design, and by id of a logged answer its id in the queue, in random order."""
    rows = connection.execute(
        f"SELECT verdict, {_BAND} AS band, COUNT(*), SUM(bad), AVG(1 - score) FROM judged "  # noqa: S608  numbers of ours
        "WHERE passages > 0 GROUP BY 1, 2 ORDER BY 1, 2"
    ).fetchall()
    strata = strata_of([Cell(verdict, band, int(n), int(bad), float(d)) for verdict, band, n, bad, d in rows], size)
    if not strata:
        raise UsageError(
            "there is no answer with passages to draw from. Audit some first: guardrail audit SOURCE --out FOLDER"
        )
    (left_out,) = connection.execute("SELECT COUNT(*) FROM judged WHERE passages = 0").fetchone()
    given = allocate([s.answers for s in strata], [s.expected for s in strata], size)
    parts, items = [], []
    for stratum, count in zip(strata, given, strict=True):
        drawn = _of_stratum(connection, stratum, count, seed)
        names, labels = tuple(item_id(one[2]) for one in drawn), tuple(dict(one[3]) for one in drawn)
        parts.append(Part(name=stratum.name, answers=stratum.answers, bad=stratum.bad, drawn=names, labels=labels))
        items += [one[:3] for one in drawn]
    slices = _slices(connection, strata, parts)
    design = Design(fingerprint=fingerprint, seed=seed, left_out=int(left_out), parts=tuple(parts), slices=slices)
    first: dict[int, str] = {}
    for _, ident, content in sorted(items):  # in the order of the hashes: labels of a part of the queue are at random
        first.setdefault(content, ident)
    return design, {ident: item_id(content) for content, ident in first.items()}


def _of_stratum(connection: Any, stratum: Stratum, count: int, seed: int) -> list[tuple[str, str, int, dict[str, str]]]:
    """So many answers without replacement: those with the least hashes of key and seed."""
    found: list[tuple[str, str, int, dict[str, str]]] = connection.execute(
        "SELECT md5(concat(key, ':', ?)) AS place, id, content, labels FROM judged "  # noqa: S608
        f"WHERE passages > 0 AND ({_cells(stratum)}) ORDER BY place LIMIT ?",
        [seed, count],
    ).fetchall()
    return found


def _cells(stratum: Stratum) -> str:
    return " OR ".join(f"(verdict = '{cell.verdict}' AND {_BAND} = {cell.band})" for cell in stratum.cells)


def _slices(connection: Any, strata: Sequence[Stratum], parts: Sequence[Part]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Logged answers of each stratum by label and value, where enough were drawn to say something."""
    times = Counter(pair for part in parts for labels in part.labels for pair in labels.items())
    wanted = [f"{label}={value}" for (label, value), n in times.items() if n >= LEAST_OF_SLICE]
    if not wanted:
        return {}
    counts = ", ".join(f"COUNT(*) FILTER ({_cells(stratum)})" for stratum in strata)
    rows = connection.execute(
        f"SELECT l.key, l.value, {counts} FROM (SELECT UNNEST(map_entries(labels)) AS l, verdict, score FROM judged "  # noqa: S608
        "WHERE passages > 0) WHERE concat(l.key, '=', l.value) IN (SELECT UNNEST(?)) GROUP BY 1, 2 ORDER BY 1, 2",
        [wanted],
    ).fetchall()
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for label, value, *sizes in rows:
        found.setdefault(label, {})[value] = tuple(sizes)
    return found


def item_id(content: int) -> str:
    """The id in the queue, and so in label files: the same texts have the same one in every sample."""
    return f"{content & (2**64 - 1):016x}"


def _sources(readings: Sequence[Reading]) -> Iterator[Source]:
    """The sources of the audit, as far as they are there."""
    if not readings:
        raise UsageError(f"the audit does not know how its source was opened. {_SOURCES}")
    errors = []
    for reading in readings:
        try:
            yield reading.open()
        except UsageError as error:
            errors.append(error)
    if len(errors) == len(readings):
        raise UsageError(f"the source of the audit is gone. {errors[0]} {_SOURCES}")


def _texts(source: Source, wanted: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Rows of the queue of those answers of the source, by their ids, that still are what they were."""
    left = set(wanted)
    found: Any
    for piece in source.pieces() if wanted else ():
        for found, _ in source.read(piece):
            if isinstance(found, LoggedAnswer) and found.id in left and item_id(found.content) == wanted[found.id]:
                left.discard(found.id)
                yield _row(found, wanted[found.id])
        if not left:
            return


def _row(answer: LoggedAnswer, ident: str) -> dict[str, Any]:
    passages = [{"id": p.id, "title": p.title, "text": p.text} for p in answer.passages]
    # Without the verdict, so that it does not sway those who label.
    return {
        "id": ident,
        "logged_id": answer.id,
        "question": answer.question,
        "answer": answer.answer,
        "passages": passages,
        "at": answer.at,
        "labels": dict(answer.labels),
    }

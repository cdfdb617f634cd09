"""What differs between two audits, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from guardrail.audit.compare.side import Count, Side, side_of
from guardrail.evaluation.differences import Difference, difference, mcnemar, paired_difference

MOST = 20
"""Documents that are listed."""

_LEAST = 5
"""Judged answers below which a document says nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Bad and judged answers of something in the first audit and in the second; None where one has none of it."""

    name: str
    first: Count
    then: Count
    difference: Difference | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """The answers that both audits have and could judge, by id and texts.

    ``only_first``, ``only_then``: bad only in the one; ``p``: McNemar's test.
    """

    answers: int
    bad_first: int
    bad_then: int
    only_first: int
    only_then: int
    difference: Difference
    p: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two audits.

    Attributes:
        first: One side.
        then: The other; differences are this one less the first.
        whole: The rates of bad answers among those that could be judged; as if no answer were in both.
        paired: The same of the answers that are in both; None where there are none.
        slices: By label and value.
        errors: By error type; of all answers that could be judged, as one may have several.
        documents: With more bad answers than in the first audit that chance does not explain, most first.
        new_worst: Documents among the worst of the second audit and not of the first.
    """

    first: Side
    then: Side
    whole: Change
    paired: Paired | None
    slices: Mapping[str, tuple[Change, ...]]
    errors: tuple[Change, ...]
    documents: tuple[Change, ...]
    new_worst: tuple[Change, ...]


def compare(
    first: str | Path, then: str | Path, *, first_fingerprint: str | None = None, then_fingerprint: str | None = None
) -> Comparison:
    """Compare two audits, or one folder under two fingerprints.

    Args:
        first: Folder of an audit.
        then: Folder of another, or the same.
        first_fingerprint: Of its engine and policy, or how it begins; None = those of its last run.
        then_fingerprint: The same for the other.

    Raises:
        UsageError: there is no audit, or none of that fingerprint.
        MissingExtraError: the extra ``audit`` is not installed.
    """
    with TemporaryDirectory(dir=Path(then) if Path(then).is_dir() else None, prefix="spill-") as folder:
        files = [Path(folder) / f"{name}.parquet" for name in ("first", "then")]
        one = side_of(first, first_fingerprint, files[0])
        other = side_of(then, then_fingerprint, files[1])
        paired = _paired(*files)
    labels = [label for label in one.slices if label in other.slices]
    documents = [_change(name, one.documents, other.documents) for name in other.documents]
    return Comparison(
        first=one,
        then=other,
        whole=_change("all", {"all": one.whole}, {"all": other.whole}),
        paired=paired,
        slices={label: _changes(one.slices[label], other.slices[label]) for label in labels},
        errors=_changes(_of_all(one), _of_all(other), totals=(one.whole[1], other.whole[1])),
        documents=tuple(sorted(filter(_worse, documents), key=lambda c: (-_more(c), c.name))[:MOST]),
        new_worst=tuple(
            _change(name, one.documents, other.documents) for name in other.worst if name not in one.worst
        ),
    )  # fmt: skip


def _of_all(side: Side) -> dict[str, Count]:
    """Answers by error type, of all that could be judged."""
    return {kind: (count, side.whole[1]) for kind, count in side.errors.items()}


def _worse(change: Change) -> bool:
    return change.difference is not None and change.difference.low > 0 and change.then[1] >= _LEAST


def _more(change: Change) -> float:
    return 0.0 if change.difference is None else change.difference.low * change.then[1]


def _changes(first: Mapping[str, Count], then: Mapping[str, Count], totals: Count = (0, 0)) -> tuple[Change, ...]:
    names: Iterable[str] = dict.fromkeys([*first, *then])
    found = (_change(name, first, then, totals) for name in names)
    return tuple(sorted(found, key=lambda change: (-_apart(change), change.name)))


def _apart(change: Change) -> float:
    return -1.0 if change.difference is None else abs(change.difference.value)


def _change(name: str, first: Mapping[str, Count], then: Mapping[str, Count], totals: Count = (0, 0)) -> Change:
    one, other = first.get(name, (0, totals[0])), then.get(name, (0, totals[1]))
    apart = difference(*one, *other) if one[1] and other[1] else None
    return Change(name=name, first=one, then=other, difference=apart)


def _paired(first: Path, then: Path) -> Paired | None:
    import duckdb

    with duckdb.connect() as connection:
        row = connection.execute(
            """SELECT COUNT(*), SUM(a.bad), SUM(b.bad), SUM(a.bad * (1 - b.bad)), SUM(b.bad * (1 - a.bad))
            FROM read_parquet(?) a JOIN read_parquet(?) b USING (key, content) WHERE a.known = 1 AND b.known = 1""",
            [str(first), str(then)],
        ).fetchone()
    count, bad, bad_then, gone, new = (int(n or 0) for n in row)
    if not count:
        return None
    return Paired(
        answers=count,
        bad_first=bad,
        bad_then=bad_then,
        only_first=gone,
        only_then=new,
        difference=paired_difference(count, gone, new),
        p=mcnemar(gone, new),
    )

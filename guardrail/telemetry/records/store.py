"""The record store: hears of every guarded answer, keeps some, and shows the worst."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from weakref import finalize

from guardrail.errors import ConfigurationError, UsageError
from guardrail.telemetry.outcome import Outcome
from guardrail.telemetry.records import queries
from guardrail.telemetry.records.database import files_of, open_store, refuse_unusable
from guardrail.telemetry.records.disk import Limits
from guardrail.telemetry.records.export import write_export
from guardrail.telemetry.records.queries import Selection, When, write_label
from guardrail.telemetry.records.rates import Rates, rates
from guardrail.telemetry.records.record import StoredRecord
from guardrail.telemetry.records.retention import is_sampled, keep_probability, prune, tidy
from guardrail.telemetry.records.rows import Redact
from guardrail.telemetry.records.writer import Writer
from guardrail.types import ErrorType, Verdict

_log = logging.getLogger(__name__)
_WORST_RANKS = 1  # contradicted and unsupported
_UNVERIFIED_RANK = 2
_ALL_RANKS = 3


class RecordStore:
    """Guarded answers in one SQLite file, for ``Telemetry(recorder=RecordStore("guardrail.db"))``.

    Any number of threads, forked workers and other processes may record to and read one file on a local disk. The
    file is made for its owner alone (0600), at the first record.

    Args:
        path: The file.
        sample: Share (0..1) of the answers that nobody objected to that is kept; by id, so the same in every process.
        keep_faults: Keep all answers that are contradicted, unsupported or unverified, or that the policy did not
            allow. False: they are sampled like the others.
        days: Age at which a record is deleted, labelled or not; None = never.
        max_records: Records to keep; what nobody objected to goes first, then the oldest, labelled ones last. Up to
            1 % more for a while. None = no limit.
        redact: Applied to every text before it reaches the disk; in the writer's thread, so it may take its time. Keep
            the lengths of texts (replace by as many characters), else spans do not point to what they say any more. A
            record for which it raises is stored without any text.
        queue: Outcomes that may wait for the disk; what comes then is dropped and counted.

    Raises:
        ConfigurationError: an option is out of range, no file can be there, or the file is no store of this version.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        sample: float = 0.05,
        keep_faults: bool = True,
        days: float | None = 30,
        max_records: int | None = 100_000,
        redact: Redact | None = None,
        queue: int = 1_000,
    ) -> None:
        _refuse(sample, days, max_records, queue)
        if redact is not None and not callable(redact):
            raise ConfigurationError(f"redact must be a function from str to str, got {type(redact).__name__}.")
        self.path = Path(path).absolute()  # a later change of the working folder must not change the file
        refuse_unusable(self.path)
        self._sample = sample
        self._keep_faults = keep_faults
        self._days = days
        self._most = max_records
        limits = Limits(sample=sample, days=days, max_records=max_records, queue=queue)
        self._writer = Writer(self.path, limits, redact)
        finalize(self, self._writer.stop).atexit = False

    def __repr__(self) -> str:
        return f"RecordStore({str(self.path)!r})"

    def record(self, outcome: Outcome) -> None:
        """Keep the outcome, or not; never waits for the disk and never raises."""
        try:
            rate = keep_probability(outcome, self._sample, keep_faults=self._keep_faults)
            if not is_sampled(outcome.id, rate):
                self._writer.counters.add("sampled_out")
            elif not self._writer.put(outcome, rate):
                self._writer.counters.add("dropped")
        except Exception as error:  # somebody's own Outcome, or no thread can be started
            self._writer.counters.add("failed")
            _log.debug("not recorded", exc_info=error)

    @property
    def counts(self) -> Mapping[str, int]:
        """What became of the outcomes of this process: written, sampled_out, dropped, failed."""
        return self._writer.counters.counts()

    def flush(self, timeout: float = 5.0) -> bool:
        """Wait up to ``timeout`` seconds until all that was recorded is on disk or given up; whether it is."""
        return self._writer.flush(timeout)

    def close(self, timeout: float = 5.0) -> bool:
        """Flush and stop; what is recorded later is dropped. Reading goes on. Whether all was done in time."""
        return self._writer.close(timeout)

    @asynccontextmanager
    async def lifespan(self, app: object = None) -> AsyncIterator[None]:  # noqa: ARG002  ASGI frameworks pass it
        """Flush when an ASGI service ends: ``Starlette(lifespan=store.lifespan)``, as well FastAPI's.

        uvicorn ends by the signal that it was sent, so that nothing registered with ``atexit`` runs. In a lifespan of
        your own: ``async with store.lifespan(): yield``. What is recorded later is written too, if there is time.
        """
        import asyncio  # not before a loop runs

        try:
            yield
        finally:
            if not await asyncio.to_thread(self.flush):
                _log.warning("the service ends before all records are on disk: %r is locked or slow", str(self.path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def worst(
        self,
        n: int = 10,
        *,
        since: When | None = None,
        until: When | None = None,
        labels: Mapping[str, str] | None = None,
        verdict: Verdict | str | None = None,
        error_type: ErrorType | str | None = None,
        labelled: bool | None = None,
        unverified: bool = False,
        distinct: bool = True,
    ) -> list[StoredRecord]:
        """The worst answers: contradicted before unsupported, the lowest score first, then the newest.

        Args:
            n: At most so many.
            since: Not older than this: a datetime, a timedelta (ago) or Unix seconds.
            until: Older than this.
            labels: With all of these labels.
            verdict: Only this one, whichever it is.
            error_type: With a finding of this type.
            labelled: Only those that a person labelled (True) or nobody did (False).
            unverified: Also those that are not verified, after the others.
            distinct: Of the same question and answer only one, which says how often it was ``seen``.

        Raises:
            UsageError: an argument is unknown, or the file cannot be read.
        """
        chosen = Selection(
            since=since, until=until, labels=labels or {}, verdict=verdict, error_type=error_type, labelled=labelled
        )
        if isinstance(n, bool) or not isinstance(n, int) or n < 1:
            raise UsageError(f"n must be a whole number from 1 on, got {n!r}.")
        deepest = _ALL_RANKS if verdict is not None else _UNVERIFIED_RANK if unverified else _WORST_RANKS
        with open_store(self.path) as connection:
            return queries.worst(connection, n, chosen, time.time(), deepest=deepest, distinct=distinct)

    def get(self, id: str) -> StoredRecord | None:  # noqa: A002  the name of the field
        """The record of this id, or of the only one that begins so (6 digits or more).

        Raises:
            UsageError: several begin so, or the file cannot be read.
        """
        with open_store(self.path) as connection:
            return queries.find(connection, id)

    def count(self, **chosen: Any) -> int:
        """How many records. ``since``, ``until``, ``labels``, ``verdict``, ``error_type``, ``labelled``: see ``worst``.

        ``faulty``: only those that somebody may have to look at (True), or that nobody objected to (False).
        """
        with open_store(self.path) as connection:
            return queries.count(connection, _selection(chosen), time.time())

    def stats(self, **chosen: Any) -> Rates:
        """Estimated rates of verdicts, whole and by label; arguments as ``count``."""
        with open_store(self.path) as connection:
            return rates(connection, _selection(chosen), time.time())

    def records(
        self, *, limit: int | None = None, worst_first: bool = False, **chosen: Any
    ) -> Generator[StoredRecord, None, None]:
        """Records one at a time, however many there are; arguments as ``export``, errors as ``count``."""
        selection = _selection(chosen)
        with open_store(self.path) as connection:
            found = queries.numbers(connection, selection, time.time(), worst_first=worst_first, limit=limit)
            yield from queries.read(connection, found)

    def export(
        self,
        path: str | Path,
        *,
        format: str = "jsonl",  # noqa: A002  as users say
        limit: int | None = None,
        worst_first: bool = False,
        **chosen: Any,
    ) -> int:
        """Write records to a file for its owner alone, all or nothing; returns how many.

        Records without texts are left out. As JSONL they are read by ``guardrail check`` and, those that a person
        labelled, by ``guardrail eval``.

        Args:
            path: The file.
            format: ``jsonl``, or ``parquet`` (extra ``parquet``).
            limit: At most so many.
            worst_first: In the order of ``worst``; else as they came.
            **chosen: As ``count``.

        Raises:
            UsageError: an argument is unknown, or a file cannot be read or written.
            MissingExtraError: Parquet without pyarrow.
        """
        target = Path(path)
        if target.exists() and any(file.exists() and target.samefile(file) for file in files_of(self.path)):
            raise UsageError(f"{str(path)!r} is the store itself. Name another file to write.")
        with closing(self.records(limit=limit, worst_first=worst_first, **chosen)) as records:
            return write_export((record for record in records if record.left_out is None), target, format)

    def label(
        self,
        id: str,  # noqa: A002  the name of the field
        label: Verdict | str | None,
        finding: str | None = None,
        *,
        error_type: ErrorType | str | None = None,
        note: str | None = None,
        by: str | None = None,
    ) -> StoredRecord:
        """Say what an answer really is: supported, contradicted, unsupported or abstained; None takes it back.

        Args:
            id: Of the record, or its first digits.
            label: The verdict of a person.
            finding: Id of the finding that is meant, rather than the answer.
            error_type: The kind of error, if any.
            note: Why, in words.
            by: Who says so.

        Returns:
            The record as it is now.

        Raises:
            UsageError: no such record, finding, label or error type, or the file cannot be written.
        """
        with open_store(self.path, writes=True) as connection:
            return write_label(
                connection, id, label, time.time(), finding=finding, error_type=error_type, note=note, by=by
            )

    def prune(self, *, days: float | None = None, max_records: int | None = None) -> int:
        """Delete now what is too old or too much (default: by this store's limits), and shrink the file.

        Returns:
            How many records were deleted.

        Raises:
            UsageError: a limit is out of range, or the file cannot be written.
        """
        _refuse(self._sample, days, max_records, 1)
        oldest = self._days if days is None else days
        most = self._most if max_records is None else max_records
        with open_store(self.path, writes=True, whole=False) as connection:
            gone = prune(connection, time.time(), oldest, most)
            tidy(connection, fully=True)
            return gone


def _selection(chosen: Mapping[str, Any]) -> Selection:
    try:
        return Selection(**{**chosen, "labels": chosen.get("labels") or {}})
    except TypeError as error:
        known = ", ".join(Selection.__dataclass_fields__)
        raise UsageError(f"unknown argument among {', '.join(chosen)}. Known: {known}.") from error


def _refuse(sample: float, days: float | None, most: int | None, queue: int) -> None:
    if not _is_number(sample) or not 0.0 <= sample <= 1.0:
        raise ConfigurationError(f"sample must be within 0..1, got {sample!r}.")
    if days is not None and (not _is_number(days) or days <= 0):
        raise ConfigurationError(f"days must be positive or None, got {days!r}.")
    for name, value, optional in (("max_records", most, True), ("queue", queue, False)):
        if not (value is None and optional) and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
            raise ConfigurationError(f"{name} must be a whole number from 1 on, got {value!r}.")


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)

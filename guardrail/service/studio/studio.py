"""What all views of the studio share: the guards, the recorded answers, and threads for what takes its time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from guardrail.check.threads import in_pool
from guardrail.errors import UsageError, did_you_mean
from guardrail.evaluation.data.output import refuse_unwritable
from guardrail.guard import Guard
from guardrail.policy.by_name import load_policy
from guardrail.policy.keys import PRESETS
from guardrail.policy.policy import Policy
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.json_rows import JsonRows
from guardrail.service.studio.labelling.journal import Journal
from guardrail.telemetry.records import RecordStore

P = ParamSpec("P")
T = TypeVar("T")

_SQLITE = b"SQLite format 3\0"


class Studio:
    """The data behind all views.

    Only what is given here is read or written: the page can choose among it by name, and never names a path.

    Args:
        source: A record store (its file, or one that is open), or a file of answers or reports in JSON lines; None = no
            recorded answers.
        policies: Policy files besides the presets (``FILE`` or ``FILE#NAME``). The first one of all is the default.
        engines: Engines besides the local one, by name (``guardrail.engines.NAMES``).
        labels: The label file; default: beside ``source`` (``guardrail.db`` → ``guardrail.labels.jsonl``), if any.
        policy_out: The only policy file that the Set view may write.

    Attributes:
        source: The file, absolute.
        records: The record store (its texts are read only when asked for), the rows of a file, or None.
        policies: Names to choose from, the default first.
        engines: Names to choose from, the default first.
        labels: The label file, read and appended to; None where neither it nor ``source`` was named.
        policy_out: See above; absolute.

    Raises:
        UsageError: a file cannot be read, or ``policy_out`` not be written.
        ConfigurationError: a policy file or an engine cannot be; the message says which.
    """

    def __init__(
        self,
        source: str | Path | RecordStore | None = None,
        *,
        policies: Sequence[str] = (),
        engines: Sequence[str] = (),
        labels: str | Path | None = None,
        policy_out: str | Path | None = None,
    ) -> None:
        self.source: Path | None = None
        self.records: RecordStore | JsonRows | None = None
        if isinstance(source, RecordStore):
            self.source, self.records = source.path, source
        elif source is not None:
            self.source = Path(source).absolute()
            self.records = _open(self.source)
        self.policies = tuple(dict.fromkeys((*policies, "repair", *PRESETS)))
        self.engines = tuple(dict.fromkeys((*engines, "local")))
        self.labels = _label_file(self.source, labels)
        self.policy_out = None if policy_out is None else Path(policy_out).absolute()
        if self.policy_out is not None:
            read = [file for file in (self.source, None if self.labels is None else self.labels.path) if file]
            refuse_unwritable(self.policy_out, read)
        self._guards: dict[tuple[str, str], Guard] = {}
        self._lock = threading.Lock()
        for policy in policies:
            self.policy(policy)

    def policy(self, name: str | None = None) -> Policy:
        """The policy of that name as its file says now; None = the default one. Presets have no deadline here.

        Raises:
            StudioError: it is not among ``policies``.
            ConfigurationError: its file is wrong.
        """
        name = self.policies[0] if name is None else name
        if name not in self.policies:
            raise StudioError(
                422, f"there is no policy {name[:99]!r}. {did_you_mean(name[:99], self.policies)}", "policy"
            )
        return load_policy(name)

    def guard(self, policy: str | None = None, engine: str | None = None) -> Guard:
        """The guard of a policy and an engine, by their names; None = the default ones. Engines stay loaded.

        Nothing that the studio checks is recorded.

        Raises:
            StudioError: a name is not among ``policies`` or ``engines``.
            ConfigurationError: the policy's file is wrong.
            MissingExtraError: what the engine needs is not installed.
        """
        rules, engine = self.policy(policy), self.engines[0] if engine is None else engine
        if engine not in self.engines:
            near = did_you_mean(engine[:99], self.engines)
            raise StudioError(422, f"there is no engine {engine[:99]!r} here. {near}", "engine")
        with self._lock:
            # A cascade is made for one policy; the others judge the same whatever the policy is.
            key = (rules.name if engine.startswith("cascade") else "", engine)
            found = self._guards.get(key)
            if found is None:
                found = self._guards[key] = Guard(policy=rules, engine=engine)
        return found if found.policy == rules else Guard(policy=rules, engine=found.judge)

    async def run(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """``work(*args, **kwargs)`` in a thread: the event loop goes on answering."""
        return await in_pool("studio", work, *args, **kwargs)


def _label_file(source: Path | None, labels: str | Path | None) -> Journal | None:
    if labels is None and source is None:
        return None
    path = (
        source.with_suffix(".labels.jsonl") if labels is None and source is not None else Path(str(labels)).absolute()
    )
    refuse_unwritable(path, [source] if source is not None else [])
    return Journal(path)


def _open(path: Path) -> RecordStore | JsonRows:
    name = repr(str(path))
    if path.is_dir():
        raise UsageError(f"{name} is a folder. Name a record store (guardrail.db) or a file of JSON lines.")
    try:
        with path.open("rb") as file:
            begin = file.read(len(_SQLITE))
    except OSError as error:
        raise UsageError(
            f"cannot read {name}: {error.strerror}. Name a record store or a file of JSON lines."
        ) from None
    return RecordStore(path) if begin == _SQLITE else JsonRows(path)

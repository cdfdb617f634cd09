"""The same batches judged by a Ray cluster: read → map_batches(an actor with a warm guard) → the journal.

Ray reads the source twice: once for the hashes of ids and contents, of which this process makes the plan, then for the
texts that are left to judge. A piece's batches are the same however often a task is repeated, so what a lost node had
done may come again and is committed once.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from guardrail.audit.answer import Rejected
from guardrail.audit.judging import Batch, Judged, Judging, Planned, judge_batch
from guardrail.audit.plan import Plan
from guardrail.audit.sources import Piece, Source
from guardrail.audit.sources.paths import AUDIT_RAY, missing
from guardrail.audit.tables import no_rows

_TRIES = 3
"""How often an actor that died is begun again, with the batch that it died at; then Ray stops."""


_BLOCK = 1
"""Bytes beyond which Ray ends a block: so each batch is one, is sent to a free actor at once, and is committed when it
is judged. With Ray's 128 MiB a whole piece of the source would go to one actor and come back at its end."""

_NEW, _JUDGE, _LOST = 1, 2, 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Where and how Ray runs.

    Attributes:
        address: ``local`` (this machine), ``auto``, ``ray://host:10001`` or ``host:6379``.
        workers: Actors; None = one per CPU of the cluster.
        cpus: CPUs of an actor.
    """

    address: str = "local"
    workers: int | None = None
    cpus: float = 1.0


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be done of a piece: a byte per row in order, of _NEW, _JUDGE and _LOST, 0 = nothing.

    ``rejected``: by row what the plan has against it; the other lost rows say it themselves when they are read.
    """

    number: int
    piece: Piece
    steps: bytes
    rejected: Mapping[int, Rejected]


def judged_by_ray(source: Source, plan: Plan, judging: Judging, length: int, cluster: Cluster) -> Iterator[Judged]:
    """Batches of at most so many answers, in any order; each is committed once.

    Raises:
        MissingExtraError: Ray is not installed.
    """
    try:
        import ray
        import ray.data
    except ModuleNotFoundError as error:
        raise missing("ray", AUDIT_RAY) from error
    ours = not ray.is_initialized()
    if ours:
        local = cluster.address == "local"
        ray.init(
            # Not None, which would follow RAY_ADDRESS.
            address=cluster.address,
            log_to_driver=False,
            # No dashboard, and no report of its use: the audit goes nowhere but to its folder.
            **({"include_dashboard": False} if local else {}),
        )
    context = ray.data.DataContext.get_current()
    options = {"enable_progress_bars": False, "target_max_block_size": _BLOCK}
    before = {name: getattr(context, name) for name in options}
    try:
        for name, value in options.items():
            setattr(context, name, value)
        yield from _run(source, plan, judging, length, cluster)
    finally:
        for name, value in before.items():
            setattr(context, name, value)
        if ours:
            ray.shutdown()


def _run(source: Source, plan: Plan, judging: Judging, length: int, cluster: Cluster) -> Iterator[Judged]:
    import ray

    pieces = list(source.pieces())
    actors = cluster.workers or max(1, int(ray.cluster_resources().get("CPU", 1) / cluster.cpus) - 1)
    work, seen, done = [], 0, 0.0
    for one in _planned(source, plan, pieces):
        idle = one.steps.count(0)
        seen, done = seen + idle, done + one.piece.size * (idle / len(one.steps) if one.steps else 1.0)
        if idle < len(one.steps):
            work.append(one)
    yield Judged(number=-1, rows=no_rows(), rejected=(), size=done, seen=seen, judged=0)
    if not work:
        return
    reader, committed = _Reader(source, length), set[int]()
    batches = ray.data.from_items([{"work": pickle.dumps(one)} for one in work]).flat_map(reader)
    judged = batches.map_batches(
        _Actor,
        fn_constructor_args=(judging,),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(min_size=1, max_size=actors),
        num_cpus=cluster.cpus,
        # Ray Data's own is without end, so an answer that kills its actor would be tried for ever. Retries of a batch
        # are not counted: while an actor moves from a lost node, many fail in an instant.
        max_restarts=_TRIES,
        max_task_retries=-1,
    )
    for row in judged.iter_rows():
        some: Judged = pickle.loads(row["judged"])  # noqa: S301  our own actors wrote it
        if some.number not in committed:
            committed.add(some.number)
            yield some


def _planned(source: Source, plan: Plan, pieces: Sequence[Piece]) -> Iterator[_Work]:
    """The plan of each piece, in the order of the source: the first of several rows is the one that counts."""
    import ray

    known = ray.data.from_items([{"number": n, "piece": pickle.dumps(p)} for n, p in enumerate(pieces)])
    waiting: dict[int, Any] = {}
    wanted = 0
    for row in known.map(_Hashes(source)).iter_rows():
        waiting[row["number"]] = row["hashes"]
        while wanted in waiting:
            hashes = pickle.loads(waiting.pop(wanted))  # noqa: S301  our own tasks wrote it
            yield _work(wanted, pieces[wanted], hashes, plan)
            wanted += 1


def _work(number: int, piece: Piece, hashes: Sequence[_Known | None], plan: Plan) -> _Work:
    steps, rejected = bytearray(), dict[int, Rejected]()
    for place, one in enumerate(hashes):
        found = None if one is None else plan.of(one)  # type: ignore[arg-type]
        if isinstance(found, Rejected):
            rejected[place] = found
        steps.append(found.new * _NEW + found.judge * _JUDGE if isinstance(found, Planned) else _LOST)
    return _Work(number, piece, bytes(steps), rejected)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the plan asks of an answer, without its texts."""

    key: int
    content: int
    id: str
    place: str
    answer: str = ""


@dataclass(frozen=True)
class _Hashes:
    """A task: the hashes of all rows of a piece."""

    source: Source

    def __call__(self, row: dict[str, Any]) -> dict[str, Any]:
        piece = pickle.loads(row["piece"])  # noqa: S301  our own
        found = [
            None if isinstance(one, Rejected) else _Known(one.key, one.content, one.id, one.place)
            for one, _ in self.source.read(piece)
        ]
        return {"number": row["number"], "hashes": pickle.dumps(found)}


@dataclass(frozen=True)
class _Reader:
    """A task: the batches of a piece. Their numbers are made of the piece's, so that they are the same every time."""

    source: Source
    length: int

    def __call__(self, row: dict[str, Any]) -> Iterator[dict[str, Any]]:
        work: _Work = pickle.loads(row["work"])  # noqa: S301  our own
        # Rows that were added since the plan was made are for the next run.
        rows = zip(self.source.read(work.piece), work.steps, strict=False)
        left = ((place, found, share, step) for place, ((found, share), step) in enumerate(rows) if step)
        number = 0
        while some := list(islice(left, self.length)):
            items, lost = [], []
            for place, found, _, step in some:
                if isinstance(found, Rejected) or step == _LOST:
                    lost.append(work.rejected.get(place) or found)
                else:
                    items.append(Planned(found, bool(step & _NEW), bool(step & _JUDGE)))
            batch = Batch(
                number=(work.number << 32) + number,
                items=tuple(items),
                rejected=tuple(one for one in lost if isinstance(one, Rejected)),
                size=sum(share for _, _, share, _ in some),
                seen=len(some),
            )
            yield {"batch": pickle.dumps(batch)}
            number += 1


@dataclass
class _Actor:
    """An actor: a guard with its model loaded."""

    judging: Judging
    guard: Any = field(init=False)

    def __post_init__(self) -> None:
        self.guard = self.judging.warm_guard()

    def __call__(self, rows: dict[str, Any]) -> dict[str, list[bytes]]:
        batches = [pickle.loads(one) for one in rows["batch"]]  # noqa: S301  our own
        return {"judged": [pickle.dumps(judge_batch(self.guard, batch, self.judging)) for batch in batches]}

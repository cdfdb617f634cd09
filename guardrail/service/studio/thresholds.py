"""The Set view: what each threshold does to the labelled answers, what can be guaranteed, and the policy file."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from guardrail.errors import UsageError
from guardrail.evaluation.calibrate import (
    base_fields,
    calibration,
    choose_for,
    cost_line,
    counts,
    noun,
    refuse_too_few,
    rules,
    summary,
)
from guardrail.evaluation.cases import Shared, cases
from guardrail.evaluation.conformal import Risk, refuse_bounds
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.guarantee import policy_text
from guardrail.evaluation.judged import Judged
from guardrail.evaluation.labels import RANDOM, agreed, answers, differ
from guardrail.evaluation.thresholds import GRID, slices
from guardrail.guard import Guard
from guardrail.policy.calibration import Calibration
from guardrail.policy.keys import PRESETS
from guardrail.policy.policy import Policy
from guardrail.service.studio.bodies import read_object
from guardrail.service.studio.errors import StudioError
from guardrail.service.studio.label import NO_LABELS
from guardrail.service.studio.labelling.journal import Journal
from guardrail.service.studio.recorded.jobs import Job
from guardrail.service.studio.recorded.opened import reply
from guardrail.service.studio.setting.judging import Judgings, Kind
from guardrail.service.studio.setting.policy_file import draft, write
from guardrail.service.studio.studio import Studio

ALL = "all"
DRAWN = (RANDOM, ALL)
"""Which labels count: those of answers drawn at random, or all."""


def routes(studio: Studio) -> list[Route]:
    """What there is to choose from, the table of thresholds, guarantees, and the policy file."""
    bench = Bench(studio)

    async def about(_: Request) -> Response:
        return reply(await studio.run(bench.about))

    async def table(request: Request) -> Response:
        return reply(await studio.run(bench.table, request.query_params))

    async def guaranteed(request: Request) -> Response:
        return reply(await studio.run(bench.guaranteed, await read_object(request)))

    async def drafted(request: Request) -> Response:
        return reply(await studio.run(bench.drafted, await read_object(request)))

    async def written(request: Request) -> Response:
        return reply(await studio.run(bench.written, await read_object(request)))

    async def stop(_: Request) -> Response:
        bench.stop()
        return reply({})

    return [
        Route("/api/set", about),
        Route("/api/set/table", table),
        Route("/api/set/guarantee", guaranteed, methods=["POST"]),
        Route("/api/set/draft", drafted, methods=["POST"]),
        Route("/api/set/write", written, methods=["POST"]),
        Route("/api/set/stop", stop, methods=["POST"]),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """Labelled answers, and how they are to be judged."""

    labelled: Sequence[LabelledAnswer]
    start: Policy
    policy: str
    guard: Guard
    kind: Kind


class Bench:
    """What the view asks of the studio."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._judgings = Judgings()

    def about(self) -> dict[str, Any]:
        """The label file, how many labels of which draw it holds, and what can be chosen."""
        journal, out = self._journal(), self._studio.policy_out
        with journal.read() as labels:
            picked = [item.drawn for item in labels.items.values() if agreed(item, labels.now.get(item.id, {}))]
            apart = sum(differ(item, labels.now.get(ident, {})) for ident, item in labels.items.items())
        return {
            "file": journal.path.name,
            "labelled": len(picked),
            "random": picked.count(RANDOM),
            "differ": apart,
            "policy_out": None if out is None else {"name": out.name, "exists": out.exists()},
            "policies": self._studio.policies,
            "engines": self._studio.engines,
            "risks": [risk.value for risk in Risk],
        }

    def table(self, query: Mapping[str, str]) -> dict[str, Any]:
        """What each threshold does; while answers are judged, how far that is."""
        asked = self._asked(query)
        judged = self._judgings.judged(asked.kind, asked.labelled)
        if judged is None:
            again = query.get("again") == "1"
            return {"job": _progress(self._judgings.begin(asked.kind, asked.guard, asked.labelled, again=again))}
        case_of = cases(asked.labelled, _shared(query))
        return {
            "job": None,
            "counts": counts(judged),
            "threshold": asked.start.threshold,
            "thresholds": GRID,
            "slices": [asdict(one) for one in slices(judged, case_of)],
        }

    def guaranteed(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """The threshold for a wanted error rate, in the words of ``guardrail calibrate``; or why there is none."""
        asked, judged = self._ready(sent)
        try:
            found, figures = self._calibrated(asked, judged, sent)
        except UsageError as refusal:
            return {"refused": str(refusal)}
        case_of = cases(asked.labelled, _shared(sent))
        return {
            "refused": None,
            "threshold": found.threshold,
            "guarantee": found.guarantee,
            "n": found.n,
            "figures": figures,
            "cost": cost_line(figures["cost"], found.risk, noun(asked.labelled)),
            "warning": self._warning(sent),
            "slices": [asdict(one) for one in slices(judged, case_of, [found.threshold])],
        }

    def _calibrated(
        self, asked: _Asked, judged: Sequence[Judged], sent: Mapping[str, Any]
    ) -> tuple[Calibration, dict[str, Any]]:
        risk, target, delta = _risk(sent), _number(sent, "target"), _number(sent, "delta", optional=True)
        refuse_bounds(target, delta)
        shared, case_of = _shared(sent), cases(asked.labelled, _shared(sent))
        refuse_too_few(asked.labelled, case_of, risk, target, delta)
        choice = choose_for(judged, case_of, risk, target, delta)
        found = calibration(
            choice, self._journal().path, asked.guard.judge, noun(asked.labelled),
            deadline=asked.start.deadline, shared=shared, date=None,
        )  # fmt: skip
        return found, summary(choice, judged)

    def _warning(self, sent: Mapping[str, Any]) -> str | None:
        with self._journal().read() as labels:
            picked = [item.drawn for item in labels.items.values() if agreed(item, labels.now.get(item.id, {}))]
        other = len(picked) - picked.count(RANDOM)
        if sent.get("drawn") == RANDOM or not other:
            return None
        return (
            f"{other} of these {len(picked)} answers were picked (the worst, say) and not drawn at random, so this "
            "does not hold for your traffic. Label a random draw."
        )

    def drafted(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """The policy file with this threshold, and what it changes in the file."""
        return asdict(draft(self._out(), self._text(sent)))

    def written(self, sent: Mapping[str, Any]) -> dict[str, Any]:
        """Write what was drafted, over nothing but what its diff was shown against."""
        out, over = self._out(), sent.get("over")
        if not isinstance(over, str):
            raise StudioError(422, "Look at the diff first: 'over' must be what the draft gave.", "over")
        policy = write(out, self._text(sent), over)
        return {"name": out.name, "policy": policy.name, "threshold": policy.threshold}

    def _text(self, sent: Mapping[str, Any]) -> str:
        base = base_fields(_fields(self._studio, self._policy_name(sent)))
        if sent.get("threshold") is not None:
            threshold = _number(sent, "threshold")
            if not 0.0 <= threshold <= 1.0:
                raise StudioError(422, f"threshold must be within 0..1, got {threshold}.", "threshold")
            return policy_text(base, None, threshold)
        asked, judged = self._ready(sent)
        return policy_text(base, self._calibrated(asked, judged, sent)[0])

    def stop(self) -> None:
        """End the judging under way."""
        self._judgings.stop()

    def _ready(self, sent: Mapping[str, Any]) -> tuple[_Asked, list[Judged]]:
        asked = self._asked(sent)
        judged = self._judgings.judged(asked.kind, asked.labelled)
        if judged is None:
            raise StudioError(409, "The labelled answers are still being judged. Wait until the table is there.")
        return asked, judged

    def _asked(self, query: Mapping[str, Any]) -> _Asked:
        drawn, journal = query.get("drawn") or ALL, self._journal()
        if drawn not in DRAWN:
            raise StudioError(422, f"drawn must be one of {', '.join(DRAWN)}.", "drawn")
        with journal.read() as labels:
            chosen = {ident for ident, item in labels.items.items() if drawn == ALL or item.drawn == RANDOM}
            labelled = [one for one in answers(labels, journal.path.stem) if one.id in chosen]
        if not labelled:
            raise StudioError(404, "No answer has a label yet. Label some in the view Label.", "labels")
        policy, engine = self._policy_name(query), query.get("engine") or self._studio.engines[0]
        start, found = _as_written(self._studio, policy), self._studio.guard(policy, engine)
        guard = Guard(policy=rules(start), engine=found.judge)
        kind = (engine, policy if engine.startswith("cascade") else "", start.deadline)
        return _Asked(labelled=labelled, start=start, policy=policy, guard=guard, kind=kind)

    def _policy_name(self, query: Mapping[str, Any]) -> str:
        return query.get("policy") or self._studio.policies[0]

    def _out(self) -> Path:
        if self._studio.policy_out is None:
            raise StudioError(
                403,
                "The studio may write no policy file. Start it with the file that it may write: "
                "guardrail studio … --policy-out policy.yaml; in a service, `studio.policy_out`.",
                "policy_out",
            )
        return self._studio.policy_out

    def _journal(self) -> Journal:
        if self._studio.labels is None:
            raise StudioError(404, NO_LABELS, "source")
        return self._studio.labels


def _as_written(studio: Studio, name: str) -> Policy:
    """The policy as a file that starts from it would be read: a preset with its deadline."""
    known = studio.policy(name)  # refuses others
    return Policy.load(name) if name in PRESETS else known


def _fields(studio: Studio, name: str) -> dict[str, Any]:
    """The fields that a preset or policy file sets; names are those that the studio knows."""
    studio.policy(name)  # refuses others
    if name in PRESETS:
        return {"preset": name}
    file, mark, part = name.rpartition("#")
    source, part = (file, part) if mark and not Path(name).exists() else (name, "")
    return Policy.fields_in(Path(source), part or None)


def _progress(job: Job[None]) -> dict[str, Any]:
    return {"state": job.state, "done": job.done, "total": job.total, "error": job.error}


def _shared(query: Mapping[str, Any]) -> Shared:
    given = query.get("case") or Shared.PASSAGE
    if given not in list(Shared):
        raise StudioError(422, f"case must be one of {', '.join(Shared)}.", "case")
    return Shared(given)


def _risk(sent: Mapping[str, Any]) -> Risk:
    given = sent.get("risk") or Risk.MISSED
    if given not in list(Risk):
        raise StudioError(422, f"risk must be one of {', '.join(Risk)}.", "risk")
    return Risk(given)


def _number(sent: Mapping[str, Any], name: str, *, optional: bool = False) -> Any:
    value = sent.get(name)
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise StudioError(422, f"{name} must be a number, got {value!r:.40}.", name)
    return float(value)

"""Thresholds with a finite-sample guarantee, from labelled answers.

In expectation: conformal risk control (Angelopoulos, Bates, Fisch, Lei, Schuster, ICLR 2024, arXiv 2208.02814,
theorem 1). With probability 1 - delta over the labels: risk-controlling prediction sets (Bates, Angelopoulos, Lei,
Malik, Jordan, JACM 2021, theorem 1) with the exact binomial tail, or the Hoeffding-Bentkus bound where answers make
cases (Angelopoulos, Bates, Candes, Jordan, Lei, "Learn then Test", 2021, proposition 1). Pure; no engine runs here.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial

import numpy as np
import numpy.typing as npt

from guardrail.errors import UsageError
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.types import Report, Verdict

Losses = npt.NDArray[np.float64]

STEPS = 10_000
"""Thresholds are chosen from k / STEPS, a grid that no label has a say in, so that the theorem needs no continuity."""


class Risk(StrEnum):
    """What shall be rare. "Delivered" means delivered as supported; the share of what, is told by each."""

    MISSED = "missed"  # P(delivered | wrong)
    DELIVERED_WRONG = "delivered-wrong"  # P(delivered and wrong), over all answers
    FALSE_ALARM = "false-alarm"  # P(not delivered | right)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A labelled answer as the guard sees it.

    ``limit`` is the greatest threshold at which it is still delivered: its score; -inf where something is wrong at any
    threshold or not verified (never delivered as supported), inf where the guard takes it for an answer that
    declines (always). ``case`` is the number of its case (guardrail.evaluation.cases).
    """

    limit: float
    wrong: bool
    case: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A threshold and what is known of it.

    Attributes:
        threshold: From this score (0..1) on an answer is delivered.
        risk, target, delta: What was asked for; ``delta`` None = in expectation.
        n: Units the bound counts: answers, or cases of answers that share a question or a passage.
        answers: Labelled answers in those units.
        grouped: Whether some unit holds more than one answer.
        loss: Mean loss of the units at the threshold (0..1).
        cost: Share of the other sort lost at this threshold: right answers flagged, or for ``false-alarm`` wrong ones
            delivered; None where the data hold none. An estimate; nothing is guaranteed of it.
    """

    threshold: float
    risk: Risk
    target: float
    delta: float | None
    n: int
    answers: int
    grouped: bool
    loss: float
    cost: float | None


def outcome(labelled: LabelledAnswer, report: Report, case: int) -> Outcome | None:
    """The outcome of one answer, whose report was made at threshold 0; None for one labelled as declining.

    At threshold 0 only UNVERIFIED, a namesake's facts and a relation that the passages reverse keep an answer from
    being supported; they do so at any other. A relation that is merely not licensed lowers the score, which counts as
    it is (guardrail/judge.py).
    """
    limits = {Verdict.SUPPORTED: report.score, Verdict.ABSTAINED: math.inf}
    return _outcome(labelled, limits.get(report.verdict, -math.inf), case)


def perfect_outcome(labelled: LabelledAnswer, case: int) -> Outcome | None:
    """The outcome of a guard that errs in nothing: where ``choose`` refuses these, no guard has labels enough."""
    return _outcome(labelled, math.inf if labelled.supported else -math.inf, case)


def _outcome(labelled: LabelledAnswer, limit: float, case: int) -> Outcome | None:
    if labelled.label is Verdict.ABSTAINED:
        return None
    return Outcome(limit, wrong=not labelled.supported, case=case)


def refuse_bounds(target: float, delta: float | None) -> None:
    """A target error or delta outside 0..1 (both ends excluded) raises UsageError."""
    for name, value in (("target error", target), ("delta", delta)):
        if value is not None and not 0.0 < value < 1.0:
            raise UsageError(f"{name} must lie between 0 and 1, got {value!r}.")


def choose(
    outcomes: Sequence[Outcome], risk: Risk = Risk.MISSED, target: float = 0.05, delta: float | None = None
) -> Choice:
    """The most useful threshold whose risk is bounded by ``target``.

    That is the lowest for ``missed`` and ``delivered-wrong`` (fewest false alarms), the highest for ``false-alarm``.
    A unit's loss is the share of its answers that go wrong, so answers of one case count as one draw.

    Raises:
        UsageError: a number is outside 0..1, or no threshold has the guarantee; the message says how many labels would.
    """
    refuse_bounds(target, delta)
    concerned = [o for o in outcomes if risk is Risk.DELIVERED_WRONG or o.wrong == (risk is Risk.MISSED)]
    sizes = Counter(o.case for o in concerned)
    units = len(sizes)
    grouped = units < len(concerned)
    bounded: Callable[[float, int], bool] = partial(holds, target=target, delta=delta, grouped=grouped)
    grid = np.arange(STEPS + 1) / STEPS
    losses = _losses(concerned, sizes, risk, grid)
    strictest = 0 if risk is Risk.FALSE_ALARM else STEPS
    floor = float(losses[strictest]) if units else 0.0
    if not units or not bounded(floor, units):
        raise UsageError(_refusal(risk, target, len(concerned), units, floor, bounded))
    # Losses are monotone along the grid and the bound along losses, so the thresholds that hold are one stretch.
    allowed = [loss for loss in np.unique(losses).tolist() if bounded(loss, units)]
    fitting = np.flatnonzero(losses <= allowed[-1])
    index = int(fitting[-1] if risk is Risk.FALSE_ALARM else fitting[0])
    threshold = index / STEPS
    others = [o for o in outcomes if o.wrong == (risk is Risk.FALSE_ALARM)]
    lost = sum((o.limit >= threshold) == (risk is Risk.FALSE_ALARM) for o in others)
    return Choice(
        threshold=threshold,
        risk=risk,
        target=target,
        delta=delta,
        n=units,
        answers=len(concerned),
        grouped=grouped,
        loss=float(losses[index]),
        cost=lost / len(others) if others else None,
    )


def _losses(concerned: Sequence[Outcome], sizes: Counter[int], risk: Risk, grid: Losses) -> Losses:
    """Mean loss of the units at each threshold of the grid."""
    lossy = [o for o in concerned if risk is not Risk.DELIVERED_WRONG or o.wrong]
    lossy.sort(key=lambda o: o.limit)
    limits = np.array([o.limit for o in lossy])
    heard = np.concatenate([[0.0], np.cumsum([1.0 / sizes[o.case] for o in lossy])])
    held_back = heard[np.searchsorted(limits, grid, side="left")]  # of those with limit < threshold
    total = held_back if risk is Risk.FALSE_ALARM else heard[-1] - held_back
    share: Losses = np.round(total / max(len(sizes), 1), 12)
    return share.clip(0.0, 1.0)


def holds(loss: float, n: int, *, target: float, delta: float | None, grouped: bool = False) -> bool:
    """Whether ``n`` units with this mean loss (each 0..1) bound the risk by ``target``.

    Without ``delta`` in expectation: n/(n+1) loss + 1/(n+1) <= target. With it, with probability 1 - delta.
    """
    if delta is None:
        return (n * loss + 1.0) / (n + 1.0) <= target + 1e-12
    if loss >= target:
        return False
    tail = _binomial_tail(math.ceil(n * loss - 1e-9), n, target)
    if not grouped:
        return tail <= delta
    return min(math.e * tail, math.exp(-n * _divergence(loss, target))) <= delta


def _binomial_tail(k: int, n: int, p: float) -> float:
    """P(Binomial(n, p) <= k)."""
    logs = [
        math.lgamma(n + 1) - math.lgamma(i + 1) - math.lgamma(n - i + 1) + i * math.log(p) + (n - i) * math.log1p(-p)
        for i in range(k + 1)
    ]
    return math.fsum(map(math.exp, logs))


def _divergence(a: float, b: float) -> float:
    """Kullback-Leibler divergence of two coins."""
    heads = a * math.log(a / b) if a > 0.0 else 0.0
    return heads + (1.0 - a) * math.log((1.0 - a) / (1.0 - b))


def needed(floor: float, target: float, bounded: Callable[[float, int], bool]) -> int | None:
    """The least number of units that the guarantee takes where ``floor`` of them is lost at any threshold.

    None: no number does.
    """
    if floor >= target:
        return None
    low, high = 0, 1
    while not bounded(floor, high):
        low, high = high, high * 2
        if high > 10**7:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bounded(floor, middle) else (middle, high)
    return high


_CONCERNED = {
    Risk.MISSED: "wrong answers",
    Risk.DELIVERED_WRONG: "answers",
    Risk.FALSE_ALARM: "right answers",
}
_STUCK = {
    Risk.MISSED: "are delivered at any threshold (the guard takes them for answers that decline, or scores them 1)",
    Risk.DELIVERED_WRONG: "are wrong and delivered at any threshold (taken for answers that decline, or scored 1)",
    Risk.FALSE_ALARM: "are flagged at any threshold (a namesake's facts, a reversed relation, or not judged)",
}


def _refusal(
    risk: Risk, target: float, answers: int, units: int, floor: float, bounded: Callable[[float, int], bool]
) -> str:
    concerned = _CONCERNED[risk]
    least = needed(floor, target, bounded)
    held = f"{floor:.1%} of the {concerned} {_STUCK[risk]}" if floor else ""
    if least is None:
        return f"no threshold keeps {risk.value!r} at {target:g}: {held}. More labels would not help; raise the target."
    why = f", for {held}" if held else ""
    bound, more = f"for {risk.value!r} at {target:g}", least - units
    if units == answers:
        return (
            f"{units} {concerned} are too few {bound}: at least {least} are needed{why}. "
            f"Label {more} more {concerned}, with other questions and passages, or raise the target."
        )
    return (
        f"{answers} {concerned} make only {units} cases, too few {bound}: at least {least} cases are needed{why}. "
        "A case is all answers that share a question or a passage (`--case question`: a question). "
        f"Label {concerned} of {more} more cases, or raise the target."
    )

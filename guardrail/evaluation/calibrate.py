"""The steps from judged answers to a calibrated policy: the same for ``guardrail calibrate`` and for the studio."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from guardrail.errors import UsageError
from guardrail.evaluation.cases import Shared
from guardrail.evaluation.conformal import Choice, Risk, choose, outcome, perfect_outcome
from guardrail.evaluation.data.labelled import LabelledAnswer
from guardrail.evaluation.guarantee import guarantee, sources
from guardrail.evaluation.judged import Judged
from guardrail.policy.calibration import Calibration, engine_identity, hash_files
from guardrail.policy.policy import Policy
from guardrail.types import Verdict

_COSTLY = 0.5
"""Share of the other sort of answers lost from which the threshold is hardly of use."""


def rules(start: Policy) -> Policy:
    """The policy to judge labelled answers under, for a threshold that ``start`` is to get.

    At threshold 0 a score stands for every threshold at which the answer passes. What the written policy's deadline
    would cut off must be cut off here too, or its false alarms would be missing.
    """
    return Policy(name="calibrate", threshold=0.0, deadline=start.deadline)


def base_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a policy file, without those that a calibration sets."""
    return {key: value for key, value in fields.items() if key not in ("threshold", "calibration")}


def noun(labelled: Sequence[LabelledAnswer]) -> str:
    """What was labelled: answer or claim.

    Raises:
        UsageError: both were.
    """
    claims = sum(one.claim for one in labelled)
    if 0 < claims < len(labelled):
        raise UsageError(
            f"the data hold {claims} claims and {len(labelled) - claims} whole answers; a guarantee needs one kind. "
            "Calibrate on the files one by one."
        )
    return "claim" if claims else "answer"


def refuse_too_few(
    labelled: Sequence[LabelledAnswer], case_of: Sequence[int], risk: Risk, target: float, delta: float | None
) -> None:
    """Before the work: labels that are too few even for a perfect guard.

    Raises:
        UsageError: they are; the message says how many are needed.
    """
    choose(list(filter(None, map(perfect_outcome, labelled, case_of))), risk, target, delta)


def refuse_unjudged(judged: Sequence[Judged]) -> None:
    """What nobody judged is not delivered as supported at any threshold, so it would seem to be safe.

    Raises:
        UsageError: that is more than half of the answers.
    """
    unjudged = [one.report for one in judged if one.report.verdict is Verdict.UNVERIFIED]
    if len(unjudged) * 2 > len(judged):
        first = unjudged[0]
        why = first.reason or next((f.reason for f in first.findings if f.verdict is Verdict.UNVERIFIED), "")
        raise UsageError(
            f"the guard could not judge {len(unjudged)} of {len(judged)} ({why}), so no threshold can be told from "
            "them. Use data that the engine reads."
        )


def choose_for(
    judged: Sequence[Judged], case_of: Sequence[int], risk: Risk, target: float, delta: float | None
) -> Choice:
    """The threshold (see conformal.choose) for answers that were judged under ``rules``.

    Raises:
        UsageError: most could not be judged, or no threshold has the guarantee.
    """
    refuse_unjudged(judged)
    found = (outcome(one.answer, one.report, number) for one, number in zip(judged, case_of, strict=True))
    return choose(list(filter(None, found)), risk, target, delta)


def calibration(
    choice: Choice, data: Path, engine: object, what: str, *, deadline: float | None, shared: Shared, date: str | None
) -> Calibration:
    """What the policy file says of the choice.

    Args:
        choice: The threshold.
        data: File or folder of the labelled data.
        engine: The one that judged.
        what: ``noun`` of the data.
        deadline: Seconds that each answer was judged within.
        shared: What answers of one case share.
        date: When, if that is to be said.
    """
    return Calibration(
        data=hash_files(sources(data)),
        n=choice.n,
        risk=choice.risk.value,
        target=choice.target,
        delta=choice.delta,
        threshold=choice.threshold,
        engine=engine_identity(engine),
        guarantee=guarantee(choice, what, deadline=deadline, shared=shared),
        date=date,
    )


def counts(judged: Sequence[Judged]) -> dict[str, int]:
    """What was read: answers that are right, wrong or decline, and those that the guard could not judge as such."""
    verdicts = Counter(one.report.verdict for one in judged if one.answer.label is not Verdict.ABSTAINED)
    return {
        "answers": len(judged),
        "right": sum(one.answer.supported for one in judged),
        "wrong": sum(one.answer.label in (Verdict.CONTRADICTED, Verdict.UNSUPPORTED) for one in judged),
        "declines": sum(one.answer.label is Verdict.ABSTAINED for one in judged),
        "unverified": verdicts[Verdict.UNVERIFIED],
        "taken_for_declines": verdicts[Verdict.ABSTAINED],
    }


def summary(choice: Choice, judged: Sequence[Judged]) -> dict[str, Any]:
    """``counts``, and what the threshold costs on these data (estimates, not guaranteed)."""
    return {
        **counts(judged),
        "observed_risk": round(choice.loss, 4),
        "cost": None if choice.cost is None else round(choice.cost, 4),
        "costly": choice.cost is not None and choice.cost > _COSTLY,
    }


def lost(risk: str, what: str) -> str:
    """What a stricter or milder threshold costs, in words."""
    return f"wrong {what}s delivered as supported" if risk == Risk.FALSE_ALARM else f"right {what}s flagged"


def cost_line(cost: float | None, risk: str, what: str) -> str:
    """What the threshold costs, in words."""
    return f"{lost(risk, what)}: {'unknown: the data hold none' if cost is None else f'{cost:.1%} (an estimate)'}"

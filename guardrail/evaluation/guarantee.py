"""A calibrated threshold in words and as a policy file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from guardrail.evaluation.cases import Shared
from guardrail.evaluation.conformal import Choice, Risk
from guardrail.evaluation.data.files import visible_files
from guardrail.policy.calibration import Calibration

_RISKS = {
    Risk.MISSED: (
        "Of answers that the passages do not support, at most {target} are delivered as supported",
        "wrong answers",
    ),
    Risk.DELIVERED_WRONG: (
        "Of all answers, at most {target} are not supported by the passages and yet delivered as supported",
        "answers, right and wrong in the shares in which they occur",
    ),
    Risk.FALSE_ALARM: (
        "Of answers that the passages support, at most {target} are flagged",
        "right answers",
    ),
}


def guarantee(choice: Choice, noun: str = "answer", *, deadline: float | None, shared: Shared = Shared.PASSAGE) -> str:
    """What is guaranteed, of whom, and on which condition.

    Args:
        choice: The threshold.
        noun: What was labelled: answer or claim.
        deadline: Seconds that each was judged within; None = no limit.
        shared: What the labelled ones share that count as one case.
    """
    claim, population = (text.replace("answer", noun) for text in _RISKS[choice.risk])
    if choice.delta is None:
        sort = "in expectation over the draw of the labelled data and of the new one"
    else:
        sort = f"with probability {1 - choice.delta:.6g} over the draw of the labelled data"
    same = shared is Shared.QUESTION
    which = "a question" if same else "a question or a passage"
    share = f" (mean over cases: {noun}s that share {which} are one case)" if choice.grouped else ""
    units = f"{choice.n} cases of {choice.answers} labelled" if choice.grouped else f"{choice.n} labelled"
    over = " over the same passages" if same else ""
    bound = claim.format(target=f"{choice.target * 100:.4g} %")
    time = "no deadline" if deadline is None else f"a deadline of {deadline:g} s on a machine as fast"
    return (
        f"{bound}{share}, {sort}; this holds for {population} exchangeable with the {units} ones (drawn in the same "
        f"way{over}), judged in the same way: this engine, this threshold, {time}."
    )


def policy_text(base: Mapping[str, Any], calibration: Calibration | None, threshold: float | None = None) -> str:
    """A policy file (YAML): the fields of ``base`` with the threshold and how it came about.

    Args:
        base: Fields of a policy file.
        calibration: What was chosen; None for a threshold that somebody set.
        threshold: That threshold (0..1).
    """
    if calibration is None:
        fields = {**base, "threshold": threshold}
    else:
        block = {
            name: value
            for name in Calibration.__dataclass_fields__
            if name != "__pydantic_config__" and (value := getattr(calibration, name)) is not None
        }
        fields = {**base, "threshold": calibration.threshold, "calibration": block}
    return str(yaml.safe_dump(fields, sort_keys=False, allow_unicode=True, width=100))


def sources(data: Path) -> list[Path]:
    """The files that a data path stands for: itself, or all files of a folder that are not hidden, in order."""
    return visible_files(data) if data.is_dir() else [data]

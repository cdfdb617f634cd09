"""The design of a sample: which answers were drawn out of which strata. Without it labels say nothing of the others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from guardrail.errors import UsageError

FORMAT = "guardrail-audit-sample"
VERSION = 2

LEAST_OF_SLICE = 10
"""Labels below which a slice gets no rate of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A stratum: ``answers`` are logged ones, ``bad`` those that the engine calls so, ``drawn`` ids in the queue.

    An id stands in ``drawn`` as often as answers with its texts were drawn; ``labels`` are those of each (its release,
    say).
    """

    name: str
    answers: int
    bad: int
    drawn: tuple[str, ...]
    labels: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How a sample was drawn.

    Attributes:
        fingerprint: Of the engine and policy whose verdicts and scores made the strata.
        seed: Of the draw.
        left_out: Logged answers without passages, which nobody can judge; they are not in the strata.
        parts: The strata.
        slices: By label and value how many logged answers each stratum has; of those that were drawn often enough.
    """

    fingerprint: str
    seed: int
    left_out: int
    parts: tuple[Part, ...]
    slices: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)

    @property
    def answers(self) -> int:
        """Logged answers that the sample stands for."""
        return sum(part.answers for part in self.parts)

    def write(self, path: Path) -> None:
        """As JSON."""
        text = json.dumps({"format": FORMAT, "version": VERSION, **asdict(self)}, indent=1, ensure_ascii=True)
        path.write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Design:
        """What ``write`` wrote.

        Raises:
            UsageError: the file cannot be read, or is something else.
        """
        try:
            row = json.loads(path.read_text(encoding="utf-8"))
        except OSError as error:
            raise UsageError(
                f"cannot read {str(path)!r}: {error.strerror}. It is written by guardrail audit sample; name it with "
                "--design."
            ) from None
        except ValueError as error:
            raise UsageError(f"{str(path)!r} is no JSON: {error}.") from None
        if not isinstance(row, dict) or row.get("format") != FORMAT or row.get("version") not in (1, VERSION):
            raise UsageError(f"{str(path)!r} is no design of guardrail audit sample, or one of a newer guardrail.")
        return cls(
            fingerprint=row["fingerprint"],
            seed=row["seed"],
            left_out=row["left_out"],
            parts=tuple(_part(one) for one in row["parts"]),
            slices={
                label: {value: tuple(sizes) for value, sizes in values.items()}
                for label, values in row.get("slices", {}).items()
            },
        )


def _part(row: Mapping[str, Any]) -> Part:
    drawn, labels = tuple(row["drawn"]), tuple(row.get("labels", ()))
    return Part(name=row["name"], answers=row["answers"], bad=row["bad"], drawn=drawn, labels=labels)


def design_path(queue: Path) -> Path:
    """Where the design of a queue, or of its label file, is: ``sample.jsonl``, ``sample.labels.jsonl`` → the same."""
    return queue.with_name(queue.name.removesuffix(".jsonl").removesuffix(".labels") + ".design.json")

"""The shipped case of ``guardrail demo``, which the studio shows too."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from guardrail.types import Passage


@dataclass(frozen=True, slots=True)
class Case:
    """Documents to retrieve from, and recorded answers by question."""

    documents: tuple[Passage, ...]
    answers: dict[str, str]


def load_case() -> Case:
    """The shipped documents, questions and recorded answers."""
    raw = json.loads(files("guardrail.evaluation.data").joinpath("demo_case.json").read_text(encoding="utf-8"))
    documents = tuple(Passage(id=f"d{n}", **d) for n, d in enumerate(raw["documents"], 1))
    return Case(documents, {q["question"]: q["answer"] for q in raw["questions"]})

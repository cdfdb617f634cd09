"""Documents as a judge's quotes are looked up in them, from plain texts."""

from __future__ import annotations

from collections.abc import Sequence

from guardrail.engines.llm.quotes import Documents
from guardrail.types import Passage


def documents(*texts: str, question: str = "", answer: str = "", beside: Sequence[str] = ()) -> Documents:
    """Passages numbered from 0; ``beside`` is further text that may give the judge orders."""
    return Documents(
        [Passage(id=str(n), text=t) for n, t in enumerate(texts)], beside, question=question, answer=answer
    )

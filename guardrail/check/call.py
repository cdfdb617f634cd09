"""One call's own state, made once and handed on; and the reports of calls that end early."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from guardrail.check.contract import AsyncEngine, Draft, Engine, Linking, VerifyRequest, unverified
from guardrail.check.entities import cluster
from guardrail.check.judge import judge_claims, unjudged
from guardrail.check.matrix import VerifiedAnswer, namesake_passages
from guardrail.check.retrieve import AsyncRetriever, Retriever
from guardrail.types import (
    BiographyCategory,
    Cause,
    Claim,
    Entity,
    EntityGroup,
    Passage,
    Report,
    Scores,
    Segment,
    Span,
    SupportMatrix,
    Usage,
    Verdict,
)

_EACH_PASSAGE = 10
"""Up to so many passages, each is read for each claim that the caller gave (RefChecker: labels per reference)."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One answer to check.

    Attributes:
        answer: The text to check.
        passages: Passages with unique ids.
        question: What was asked, if known.
        engine: Who verifies.
        threshold: Score (0..1) from which a segment counts as supported.
        seconds: Time for the check from ``started`` on (``time.monotonic()``); None = no limit.
        linking: How several groups share out the namesakes (``guardrail.check.entities.link``).
        claims: What to check instead of the answer's own segments; none of them = the answer abstains (RefChecker).
        retriever: Looks passages up where there are none.
        retrieved: Whether it found these.
    """

    answer: str
    passages: tuple[Passage, ...]
    question: str | None
    engine: Engine | AsyncEngine
    threshold: float
    seconds: float | None
    linking: Linking = "argmax"
    claims: tuple[Claim, ...] | None = None
    retriever: Retriever | AsyncRetriever | None = None
    retrieved: bool = False
    started: float = field(default_factory=time.monotonic)

    @property
    def deadline(self) -> float | None:
        """``time.monotonic()`` at which the time is over."""
        return None if self.seconds is None else self.started + self.seconds

    @property
    def readable(self) -> bool:
        """Whether there is anything to check against."""
        return any(passage.text.strip() for passage in self.passages)

    def report(self) -> Report:
        """What a report says however the check ends."""
        return Report(
            verdict=Verdict.UNVERIFIED,
            score=0.0,
            answer=self.answer,
            passages=self.passages,
            question=self.question,
            retrieved=self.retrieved,
            engine=self.engine.name,
            seconds=time.monotonic() - self.started,
        )

    def abandoned(self) -> Report:
        """The report of an answer whose caller did not wait for one."""
        return replace(self.report(), reason="The caller left before it was checked.")

    def told(self, draft: Draft) -> Report:
        """The same once the answer was decomposed."""
        skipped = tuple(s for s in draft.parts.segments if s.skipped is not None)
        return replace(self.report(), skipped=skipped, usage=draft.usage, reason=draft.reason)

    def request(
        self, segments: tuple[Segment, ...], spent: Usage, entities: Sequence[Entity], groups: tuple[EntityGroup, ...]
    ) -> VerifyRequest:
        """What the engine is asked: these segments, and the cells that linking and scores need.

        Those are the cells of namesakes and of cited passages; of claims that the caller gave, all if there are few.
        """
        number_of = {passage.id: number for number, passage in enumerate(self.passages)}
        needed = tuple(sorted(namesake_passages(entities)))
        if self.claims is not None and len(self.passages) <= _EACH_PASSAGE:
            needed = tuple(range(len(self.passages)))
        cells = {s.id: (*needed, *(number_of[c] for c in s.citations if c in number_of)) for s in segments}
        return VerifyRequest(
            segments=segments,
            passages=self.passages,
            question=self.question,
            must_read=tuple((ident, tuple(dict.fromkeys(numbers))) for ident, numbers in cells.items() if numbers),
            deadline=self.deadline,
            spent=spent,
            groups=groups,
            answer=self.answer if self.claims is None else "",
        )

    def verified(self, draft: Draft, matrix: SupportMatrix) -> VerifiedAnswer:
        """What is known once the matrix is filled."""
        return VerifiedAnswer(
            answer=self.answer,
            passages=self.passages,
            segments=draft.parts.checked,
            matrix=matrix,
            threshold=self.threshold,
        )

    def without_claims(self, draft: Draft) -> Report:
        """The report of an answer in which there is nothing to check."""
        report, parts = self.told(draft), draft.parts
        if not parts.abstained:
            if not parts.segments:
                return replace(report, reason="The answer is empty.")
            if parts.unreadable:
                return replace(report, reason="The answer holds only code, which is not checked.")
        nothing = "declines and claims nothing" if parts.abstained else "claims nothing that could be checked"
        namesakes = any(entity.shares_name for entity in cluster(self.passages))
        # RefChecker's label for an answer without claims; D-FActScore's, where a name is ambiguous.
        return replace(
            report,
            verdict=Verdict.ABSTAINED,
            score=1.0,
            scores=Scores(category=BiographyCategory.NO_BIO if namesakes else None),
            reason=f"The answer {nothing}." if parts.segments else report.reason,
        )

    def unread(self, draft: Draft, why: str, cause: Cause) -> Report:
        """The report where there is nothing to check against."""
        segments = draft.parts.checked
        nothing = unverified(VerifyRequest(segments=segments, passages=self.passages), why, cause)
        known = self.verified(draft, nothing)
        return replace(
            self.told(draft),
            findings=tuple(unjudged(s, self.answer, why, cause) for s in segments),
            claims=judge_claims(known),
            reason=f"{why[0].upper()}{why[1:]}.",
        )

    def failed(self, error: Exception) -> Report:
        """The report of a check that broke: an UNVERIFIED finding of the whole answer, or of each given claim."""
        _log.error("the check failed; the answer is unverified", exc_info=error)
        reason, span = f"the guard failed: {type(error).__name__}", Span(0, len(self.answer))
        texts = [claim.text for claim in self.claims or ()]
        if self.claims is None and self.answer:
            texts = [self.answer]
        wholes = [Segment(id=f"s{number}", span=span, text=text) for number, text in enumerate(texts, 1)]
        findings = tuple(unjudged(whole, self.answer, reason, Cause.INTERNAL) for whole in wholes)
        return replace(self.report(), findings=findings, reason=reason)

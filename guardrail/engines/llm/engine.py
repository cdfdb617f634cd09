"""The LLM engine: any chat model as decomposer and judge, by a call plan, inside a budget."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import Protocol

from guardrail.check.contract import DecomposeRequest, Draft, Gatherer, VerifyRequest, seconds_left
from guardrail.engines.llm import plans
from guardrail.engines.llm.batches.service import BatchSettings
from guardrail.engines.llm.caches.memory import Cache, MemoryCache
from guardrail.engines.llm.plans import Setting
from guardrail.engines.llm.prompts import LANGUAGES, instructions
from guardrail.engines.llm.protocol import LLM, AsyncLLM, Steps
from guardrail.engines.llm.requests.calls import Budget, Calls, CallSettings, Prices
from guardrail.errors import ConfigurationError, did_you_mean
from guardrail.text.language import language
from guardrail.types import SupportMatrix

_DECOMPOSING = 0.45
"""Share of the time left that decomposing may take: rules can do it too, judging they cannot."""

_MARGIN = 0.05
"""Seconds before the deadline at which the engine comes back with what it has."""

_PROMPTS = ("decompose", "judge", "review")
PLANS = ("fast", "thorough", "paper:face4rag", "paper:d-factscore", "paper:refchecker")
"""Call plans: our own two, and each seed's own pattern of calls, for reproducing its tables."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LLMEngine:
    """Decomposes, groups and judges by a language model (docs/llm.md).

    Attributes:
        llm: The model: OpenAILLM, LangChainLLM, LlamaIndexLLM, or your own with the LLM or AsyncLLM protocol.
        plan: One of PLANS. ``fast``: 2 calls in 2 rounds. ``thorough``: 1 + one per segment, in 2 rounds. Both: a round
            more where verdicts are in doubt.
        settings: Timeouts, retries, concurrency, circuit breaker, and most calls per answer; None = the defaults, with
            as many calls as they take for the papers' plans.
        prices: Per million tokens, for ``report.usage.cost``; None = not counted.
        cache: Where verdicts are remembered; None = nowhere. The papers' plans remember nothing.
        language: Of the instructions, ``en`` or ``zh``; None = by the answer.
        batches: Ask in batches, at half the price and in hours, where answers are checked together (check_many);
            prices stay those of ordinary calls. None = ordinary calls.
    """

    llm: LLM | AsyncLLM
    plan: str = "fast"
    settings: CallSettings | None = None
    prices: Prices | None = None
    cache: Cache | None = field(default_factory=MemoryCache)
    language: str | None = None
    batches: BatchSettings | None = None
    _calls: Calls = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.plan not in PLANS:
            raise ConfigurationError(f"unknown plan {self.plan!r}. {did_you_mean(self.plan, PLANS)}")
        if self.language is not None and self.language not in LANGUAGES:
            raise ConfigurationError(f"language must be one of {LANGUAGES} or None, got {self.language!r}.")
        if self.settings is None:
            most = None if _paper(self.plan) else CallSettings().max_calls
            object.__setattr__(self, "settings", CallSettings(max_calls=most))
        object.__setattr__(self, "_calls", self._made_calls())

    def _made_calls(self) -> Calls:
        if self.batches is None:
            return Calls(self.llm, self.settings)
        from guardrail.engines.llm.batches.calls import BatchCalls
        from guardrail.engines.llm.batches.gatherer import HeldCache

        if self.cache is not None:
            object.__setattr__(self, "cache", HeldCache(self.cache))
        return BatchCalls(self.llm, self.settings, self.batches)

    @property
    def name(self) -> str:
        """See Engine.name."""
        return "llm"

    @property
    def expected_seconds(self) -> float:
        """Seconds that an answer of a few sentences may take; a policy that gives less gets a warning."""
        return 30.0

    @property
    def judges_refusals(self) -> bool:
        """See RefusalJudge. The papers' plans judge none, as the papers do."""
        return _paper(self.plan) is None

    @property
    def gatherer(self) -> Gatherer | None:
        """Who makes the calls of many answers together; None = each answer makes its own."""
        return getattr(self._calls, "gatherer", None)

    @property
    def identity(self) -> str:
        """Model, plan and prompts: what a calibrated threshold was chosen for."""
        paper = _paper(self.plan)
        names = paper.PROMPTS if paper else _PROMPTS
        texts = "".join(instructions(name, each).identity for name in names for each in LANGUAGES)
        return f"llm {self.llm.model} {self.plan} prompts:{hashlib.sha256(texts.encode()).hexdigest()[:12]}"

    def decompose(self, request: DecomposeRequest) -> Draft:
        """See Decomposer.decompose."""
        return self._calls.run(*self._drafting(request))

    async def adecompose(self, request: DecomposeRequest) -> Draft:
        """See AsyncDecomposer.adecompose."""
        return await self._calls.arun(*self._drafting(request))

    def verify(self, request: VerifyRequest) -> SupportMatrix:
        """See Engine.verify."""
        return self._calls.run(*self._judging(request))

    async def averify(self, request: VerifyRequest) -> SupportMatrix:
        """See AsyncEngine.averify."""
        return await self._calls.arun(*self._judging(request))

    def _drafting(self, request: DecomposeRequest) -> tuple[Steps[Draft], Budget]:
        budget = self._budget(_sooner(request.deadline), 0)
        return self._draft(request, budget), budget

    def _judging(self, request: VerifyRequest) -> tuple[Steps[SupportMatrix], Budget]:
        budget = self._budget(request.deadline, request.spent.calls)
        return self._matrix(request, budget), budget

    def _budget(self, deadline: float | None, spent: int) -> Budget:
        most = self._calls.settings.max_calls
        deadline = None if deadline is None else deadline - _MARGIN
        return Budget(deadline=deadline, calls_left=None if most is None else max(0, most - spent), prices=self.prices)

    def _setting(self, text: str) -> Setting:
        spoken = self.language or ("zh" if language(text) == "zh" else "en")
        return Setting(language=spoken, model=self.llm.model, cache=self.cache)

    def _draft(self, request: DecomposeRequest, budget: Budget) -> Steps[Draft]:
        setting = self._setting(request.answer)
        paper = _paper(self.plan)
        steps = paper.decompose(request, setting.language) if paper else plans.decompose(request, setting)
        draft = yield from steps
        return replace(draft, usage=draft.usage + budget.usage)

    def _matrix(self, request: VerifyRequest, budget: Budget) -> Steps[SupportMatrix]:
        setting = self._setting(" ".join(segment.text for segment in request.segments))
        paper = _paper(self.plan)
        if paper:
            steps = paper.verify(request, setting.language)
        else:
            steps = (plans.judge_each if self.plan == "thorough" else plans.judge_all)(request, setting)
        matrix = yield from steps
        return replace(matrix, usage=matrix.usage + budget.usage)


class _Paper(Protocol):
    """A seed's own calls: a module of guardrail.engines.llm.paper."""

    @property
    def PROMPTS(self) -> tuple[str, ...]: ...  # noqa: N802  a constant of the module

    def decompose(self, request: DecomposeRequest, language: str) -> Steps[Draft]: ...

    def verify(self, request: VerifyRequest, language: str) -> Steps[SupportMatrix]: ...


def _paper(plan: str) -> _Paper | None:
    """The module of a seed's plan; imported only where it is wanted."""
    match plan:
        case "paper:face4rag":
            from guardrail.engines.llm.paper import face4rag

            return face4rag
        case "paper:d-factscore":
            from guardrail.engines.llm.paper import d_factscore

            return d_factscore
        case "paper:refchecker":
            from guardrail.engines.llm.paper import refchecker

            return refchecker
        case _:
            return None


def _sooner(deadline: float | None) -> float | None:
    left = seconds_left(deadline)
    return None if left is None or deadline is None else deadline - (1.0 - _DECOMPOSING) * left

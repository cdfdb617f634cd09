"""The calls of an engine that asks in batches: what an answer asks is looked up, or gathered for the next batch."""

from __future__ import annotations

from guardrail.engines.llm.batches.gatherer import Gatherer, NotYetError
from guardrail.engines.llm.batches.service import BatchSettings, service_of
from guardrail.engines.llm.protocol import LLM, AsyncLLM, Completion, LLMError, Prompt, Replies, Reply, Round
from guardrail.engines.llm.requests.budget import Budget
from guardrail.engines.llm.requests.calls import Calls
from guardrail.engines.llm.requests.settings import CallSettings


class BatchCalls(Calls):
    """Calls whose rounds wait for batches inside ``gatherer.in_order``; elsewhere they are made as usual.

    Args:
        llm: A model with a batch endpoint.
        settings: See CallSettings; ``max_calls`` counts the requests of batches too.
        batches: See BatchSettings.

    Raises:
        ConfigurationError: the model has no batch endpoint.
    """

    def __init__(self, llm: LLM | AsyncLLM, settings: CallSettings | None, batches: BatchSettings) -> None:
        super().__init__(llm, settings)
        self.gatherer = Gatherer(llm.model, service_of(llm), self._ordinary, batches)

    def _ordinary(self, prompts: Round) -> Replies:
        return super().perform(prompts, Budget(deadline=None, calls_left=None, prices=None))

    def perform(self, prompts: Round, budget: Budget) -> Replies:
        """See Calls.perform.

        Raises:
            NotYetError: a reply is not there yet.
        """
        if not self.gatherer.gathers:
            return super().perform(prompts, budget)
        before = budget.usage.calls
        replies = [self._looked_up(prompt, budget) for prompt in prompts]
        known = tuple(reply for reply in replies if reply is not None)
        if len(known) < len(replies):
            raise NotYetError
        budget.close_round(before)
        return known

    def _looked_up(self, prompt: Prompt, budget: Budget) -> Reply | None:
        try:
            budget.charge_call(again=False)
        except LLMError as spent:
            return spent
        reply = self.gatherer.ask(prompt)
        paid = reply if isinstance(reply, Completion) or reply is None else reply.spent
        if paid is not None:
            budget.add(paid)
        return reply

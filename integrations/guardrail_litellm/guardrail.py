"""A CustomGuardrail: LiteLLM hands it the answer together with the request, so the passages are at hand."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail, log_guardrail_information

from guardrail import Guard, Policy
from guardrail.retrieval.request.evidence import find_evidence
from guardrail.retrieval.request.found import Evidence
from guardrail.streaming.growing import Growing
from guardrail.types import Action

if TYPE_CHECKING:
    from litellm.types.utils import GenericGuardrailAPIInputs

_KEPT = 1_000


class GroundingGuardrail(CustomGuardrail):  # type: ignore[misc]  # litellm is not typed
    """Checks answers against the passages of their requests (docs/service-proxy.md says where it looks for them).

    An answer that the policy blocks is refused with its message; one that it changes is replaced. Of a stream, what is
    settled leaves and the rest is held back.

    Args:
        guard: The guard; None = one of ``policy`` and ``engine``, as a proxy's settings name them.
        policy: Preset or file of a policy.
        engine: Name of an engine (``guardrail.engines.NAMES``).
        **given: What LiteLLM gives to every guardrail.
    """

    streaming_transform_mode = "incremental_diff"  # LiteLLM then delivers what we return, and not the model's chunks
    streaming_sampling_rate = 5

    def __init__(
        self, guard: Guard | None = None, *, policy: str = "strict", engine: str = "local", **given: Any
    ) -> None:
        self.guard = guard or Guard(policy=Policy.load(policy), engine=engine)
        self._growing: OrderedDict[tuple[str, int], Growing] = OrderedDict()
        super().__init__(**given)

    @log_guardrail_information  # type: ignore[untyped-decorator]
    async def apply_guardrail(
        self,
        inputs: GenericGuardrailAPIInputs,
        request_data: dict[str, Any],
        input_type: Literal["request", "response"],
        logging_obj: Any = None,
    ) -> GenericGuardrailAPIInputs:
        """See CustomGuardrail.

        Raises:
            GuardrailRaisedException: the policy blocks an answer.
        """
        texts = list(inputs.get("texts") or ())
        if input_type == "request" or not texts:
            return inputs
        evidence = find_evidence(_asked(request_data))
        if _is_stream(request_data, logging_obj):
            call = getattr(logging_obj, "litellm_call_id", None) or request_data.get("litellm_call_id")
            return await self._streamed(inputs, texts, evidence, str(call or id(request_data)))
        guarded = await asyncio.gather(
            *(self.guard.arun(text, evidence.passages, question=evidence.question) for text in texts)
        )
        for each in guarded:
            if each.action is Action.BLOCK:
                raise self._blocked(each.text)
        return {**inputs, "texts": [each.text for each in guarded]}

    async def _streamed(
        self, inputs: GenericGuardrailAPIInputs, texts: list[str], evidence: Evidence, call: str
    ) -> GenericGuardrailAPIInputs:
        grown = []
        for number, text in enumerate(texts):
            growing = self._growing.get((call, number))
            if growing is None or growing.passages != evidence.passages:
                growing = self._growing[call, number] = Growing(self.guard, evidence.passages, evidence.question)
            self._growing.move_to_end((call, number))
            if len(self._growing) > _KEPT:
                self._growing.popitem(last=False)
            grown.append(await growing.asample(text))
        for each in grown:
            if each.blocked:
                raise self._blocked(each.guarded.text)
        held = [len(each.text) - each.settled for each in grown]
        return {**inputs, "texts": [each.text for each in grown], "stream_holdback_chars": held}

    def _blocked(self, message: str) -> Exception:
        refusal: Exception = GuardrailRaisedException(
            guardrail_name=self.guardrail_name or "guardrail",
            message=message,
            should_wrap_with_default_message=False,
            blocked_content=True,
        )
        return refusal


def _is_stream(request_data: Mapping[str, Any], logging_obj: Any) -> bool:
    """Whether the texts are a sample of a stream; ``responses`` are the chunks that LiteLLM has so far."""
    told = (request_data.get("stream"), getattr(logging_obj, "stream", None), "responses" in request_data)
    return any(each is True for each in told)


def _asked(request_data: Mapping[str, Any]) -> dict[str, Any]:
    """The client's request; our field may stand at the top or in ``metadata``, which LiteLLM passes along."""
    metadata = request_data.get("metadata")
    ours = metadata.get("guardrail") if isinstance(metadata, Mapping) else None
    return {**({"guardrail": ours} if isinstance(ours, Mapping) else {}), **request_data}

"""A recorded model for examples and tests: no key, no network, the same words every time."""

from __future__ import annotations

import re
from typing import Any

from llama_index.core.llms import CompletionResponse, CompletionResponseGen, CustomLLM, LLMMetadata
from llama_index.core.llms.callbacks import llm_completion_callback
from pydantic import Field


class RecordedLLM(CustomLLM):
    """Replays answers by what the prompt says.

    Attributes:
        answers: By a substring of the prompt, an answer; the first that fits counts.
        prompts: Prompts received so far.
    """

    answers: dict[str, str]
    prompts: list[str] = Field(default_factory=list)

    @classmethod
    def class_name(cls) -> str:
        """Class name."""
        return "RecordedLLM"

    @property
    def metadata(self) -> LLMMetadata:
        """What engines ask for."""
        return LLMMetadata(model_name="recorded", context_window=8192, num_output=512)

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """The answer."""
        return CompletionResponse(text=self._answer(prompt))

    @llm_completion_callback()
    def stream_complete(
        self,
        prompt: str,
        formatted: bool = False,
        **kwargs: Any,
    ) -> CompletionResponseGen:
        """The answer, a word at a time."""
        text, said = self._answer(prompt), ""
        for word in re.findall(r"\s*\S+|\s+$", text):
            said += word
            yield CompletionResponse(text=said, delta=word)

    def _answer(self, prompt: str) -> str:
        self.prompts.append(prompt)
        for key, answer in self.answers.items():
            if key in prompt:
                return answer
        raise LookupError("no recorded answer fits this prompt")

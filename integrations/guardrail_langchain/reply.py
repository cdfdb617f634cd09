"""A model's reply to an agent, if it is an answer: prose, or a structured response that holds it in a field."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

from langchain.agents.middleware import ModelResponse
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from pydantic_core import to_jsonable_python

from guardrail import UsageError
from guardrail.wrap.answer_field import answer_field, text_in
from guardrail_langchain.answers import PHRASE, replaced, replaced_in, rewritten, scrub, text_of


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer of the model.

    Attributes:
        response: What the model call returned.
        message: The model's message in it.
        field: The field of the structured response that holds the answer; None = the message is the answer.
    """

    response: ModelResponse[Any]
    message: AIMessage
    field: str | None

    @property
    def text(self) -> str:
        """The answer's text."""
        return text_of(self.message) if self.field is None else text_in(self.response.structured_response, self.field)

    def delivered(
        self, text: str, about: dict[str, Any], ident: str | None, usage: UsageMetadata | None
    ) -> ModelResponse[Any]:
        """The response with another text in the answer's place, and with these metadata, id and usage in its message.

        A structured response keeps its type and its other fields; the messages that spell it out follow it.
        """
        response, message = self.response, replaced(self.message, self._content(text), about)
        if self.field is not None and text != self.text:
            response, message = self._rewritten(self.field, text, about)
        message = message.model_copy(update={"id": ident, "usage_metadata": usage})
        return replace(response, result=[message if m is self.message else m for m in response.result])

    def _content(self, text: str) -> str:
        return text if self.field is None else text_of(self.message)

    def _rewritten(self, field: str, text: str, about: dict[str, Any]) -> tuple[ModelResponse[Any], AIMessage]:
        old = self.response.structured_response
        new = replaced_in(old, field, text)
        values = to_jsonable_python(new, by_alias=True, fallback=str)
        content = "" if self.message.tool_calls else json.dumps(values, ensure_ascii=False)
        message: AIMessage = rewritten(self.message, content, about)
        calls = [{**call, "args": values} for call in self.message.tool_calls]
        result = [
            m if m is self.message else self._following(m, str(old), str(new), text) for m in self.response.result
        ]
        return (
            replace(self.response, result=result, structured_response=new),
            message.model_copy(update={"tool_calls": calls}),
        )

    def _following(self, message: BaseMessage, old: str, new: str, text: str) -> BaseMessage:
        """The tool's own message, which repeats the structured response."""
        said = text_of(message)
        content = said.replace(old, new)
        content = scrub(content, self.text, text) if len(self.text.strip()) >= PHRASE else content
        changed: BaseMessage = message if content == said else rewritten(message, content)
        return changed


def reply_in(response: ModelResponse[Any], field: str | None) -> Reply | None:
    """The answer in a response of the model: its last message, unless it calls tools or says nothing.

    Args:
        response: Of a model call.
        field: The field of a structured response that holds the answer; None = see ``answer_field``.

    Raises:
        UsageError: no field of the structured response holds a text that could be checked.
    """
    message = next((m for m in reversed(response.result) if isinstance(m, AIMessage)), None)
    structured = response.structured_response
    if message is None or (message.tool_calls and structured is None):
        return None
    found = None
    if structured is not None:
        found = answer_field(structured, field)
        if found is None:
            raise UsageError(
                f"no field of the agent's {type(structured).__name__} holds free text, so there is no answer to check. "
                "Add one to response_format, or leave out GuardrailMiddleware."
            )
    reply = Reply(response, message, found)
    return reply if reply.text.strip() else None

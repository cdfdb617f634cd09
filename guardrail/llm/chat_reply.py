"""What an endpoint of the OpenAI protocol replied, read without trust: servers send half replies with status 200."""

from __future__ import annotations

from guardrail.llm.protocol import Completion, LLMError
from guardrail.llm.tokens import read_tokens


def read_reply(reply: object, calls: int) -> Completion:
    """The first choice of a chat completion.

    Args:
        reply: An object of the vendor, of which every field may be missing or of a wrong type.
        calls: Requests that it took.

    Raises:
        LLMError: a refusal, which would come again; or no choice, no text or no chat completion, which may not.
    """
    model = getattr(reply, "model", None)
    usage = read_tokens(getattr(reply, "usage", None))
    model = model if isinstance(model, str) else ""
    spent = Completion(text="", model=model, calls=calls, **usage)
    choices = getattr(reply, "choices", None)
    if not isinstance(choices, list):
        raise LLMError("the reply is no chat completion", retryable=True, spent=spent)
    if not choices:
        raise LLMError("the reply holds no choice", retryable=True, spent=spent)
    message = getattr(choices[0], "message", None)
    ending = getattr(choices[0], "finish_reason", None)
    if getattr(message, "refusal", None) or ending == "content_filter":
        raise LLMError("the model refused to reply", spent=spent)
    text = getattr(message, "content", None)
    cut_off = ending == "length"
    if not isinstance(text, str) or not text.strip():
        if cut_off:  # a reasoning model may spend the whole limit on its thoughts; it would again
            raise LLMError("the reply ended at the token limit before its text", spent=spent)
        raise LLMError("the reply holds no text", retryable=True, spent=spent)
    return Completion(text=text, model=model, cut_off=cut_off, calls=calls, **usage)

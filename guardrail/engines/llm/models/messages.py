"""What a message of Anthropic's protocol says and cost: the reply of a request, and of each line of a batch."""

from __future__ import annotations

from guardrail.engines.llm.models.capabilities import with_text
from guardrail.engines.llm.protocol import Completion, LLMError
from guardrail.engines.llm.requests.budget import read_tokens
from guardrail.types import Cause


def read_message(raw: object, *, calls: int = 1) -> Completion:
    """The text of a message.

    Raises:
        LLMError: a refusal, which would come again; or no message, or no text in it.
    """
    if not isinstance(raw, dict) or not isinstance(raw.get("content"), list):
        spent = Completion(text="", calls=calls)
        raise LLMError("the reply is no message", retryable=True, spent=spent, cause=Cause.REPLY)
    model, usage = raw.get("model"), raw.get("usage")
    tokens = read_tokens(usage)
    if isinstance(usage, dict) and tokens["input_tokens"] is not None:
        # Anthropic counts what its cache read or wrote beside the input, others within it.
        more = (usage.get(name) for name in ("cache_read_input_tokens", "cache_creation_input_tokens"))
        tokens["input_tokens"] += sum(count for count in more if isinstance(count, int))
    spent = Completion(text="", model=model if isinstance(model, str) else "", calls=calls, **tokens)
    blocks = [block for block in raw["content"] if isinstance(block, dict) and block.get("type") == "text"]
    text = "".join(str(block.get("text", "")) for block in blocks)
    ending = raw.get("stop_reason")
    return with_text(spent, text, refused=ending == "refusal", cut_off=ending == "max_tokens")

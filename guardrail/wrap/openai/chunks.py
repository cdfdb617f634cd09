"""A chunk stream taken apart into text to check and the rest, and put together again. Pure."""

from __future__ import annotations

from openai.types.chat import ChatCompletionChunk
from openai.types.chat.chat_completion_chunk import Choice, ChoiceDelta


class Chunks:
    """One stream's chunks.

    Attributes:
        calls_tools: A tool was called so far.
        later: What is to follow the text: calls of tools, the reason of the end, the usage.
    """

    def __init__(self) -> None:
        self.calls_tools = False
        self.later: list[ChatCompletionChunk] = []
        self._model: ChatCompletionChunk | None = None
        self._has_role = False
        self._ended = False

    def take(self, chunk: ChatCompletionChunk) -> tuple[str, ChatCompletionChunk | None]:
        """The chunk's text, and the chunk without it; None where nothing else is in it.

        Extra fields and the tokens' probabilities are dropped: they hold text that nobody has checked.
        """
        self._model = self._model or chunk
        text = "".join(c.delta.content or "" for c in chunk.choices if c.delta is not None and c.index == 0)
        rests = [self._rest(choice) for choice in chunk.choices if choice.delta is not None]
        kept = [rest for rest in rests if rest is not None]
        if chunk.choices and not kept and chunk.usage is None:
            return text, None
        return text, chunk.model_copy(update={"choices": kept})

    def say(self, text: str) -> ChatCompletionChunk:
        """A chunk with this text."""
        return self._chunk(Choice.construct(None, index=0, delta=ChoiceDelta.construct(None, content=text)))

    def rest(self) -> list[ChatCompletionChunk]:
        """What follows the text. A stream that was cut short, because nothing more may leave, gets its end here."""
        if self._ended:
            return self.later
        end = Choice.construct(None, index=0, delta=ChoiceDelta.construct(None), finish_reason="content_filter")
        return [*self.later, self._chunk(end)]

    def _rest(self, choice: Choice) -> Choice | None:
        delta = choice.delta
        self.calls_tools = self.calls_tools or bool(delta.tool_calls or delta.function_call)
        self._ended = self._ended or choice.finish_reason is not None
        names = ("tool_calls", "function_call", "refusal")
        values: dict[str, object] = {n: getattr(delta, n) for n in names if getattr(delta, n) is not None}
        if delta.role is not None and not self._has_role:  # some endpoints say it in every chunk
            self._has_role = True
            values |= {"role": delta.role, "content": "" if delta.content is not None else None}
        if not values and choice.finish_reason is None:
            return None
        kept = ChoiceDelta.construct(None, **values)
        return Choice.construct(None, index=choice.index, delta=kept, finish_reason=choice.finish_reason)

    def _chunk(self, choice: Choice) -> ChatCompletionChunk:
        if self._model is None:
            raise TypeError("no chunk was taken yet")
        return self._model.model_copy(update={"choices": [choice], "usage": None})

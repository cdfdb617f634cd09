"""A LangChain Runnable around a chain: its answer is checked against its documents before it is returned.

Callbacks and event streams of the inner chain still see its raw answer; the wrapper's own output never holds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.documents import Document
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.config import patch_config

from guardrail import Guard, GuardedAnswer, Passage, UsageError

ANSWER_KEYS = ("answer", "result", "output")
PASSAGE_KEYS = ("context", "source_documents", "documents")
QUESTION_KEYS = ("input", "query", "question")

Extract = str | Callable[[Any], Any]
"""Where to find something in the chain's output: a key, or a function of the output."""


class GuardedChain(Runnable[Any, Any]):
    """See ``guard_chain``. Holds no state of a call, so one object serves concurrent calls."""

    def __init__(
        self,
        inner: Runnable[Any, Any],
        guard: Guard,
        answer: Extract | None,
        passages: Extract | None,
        question: Extract | None,
    ) -> None:
        self.inner = inner
        self.guard = guard
        self._answer, self._passages, self._question = answer, passages, question

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  LangChain's name
        """Run the chain, check its answer, and deliver what the policy allows."""

        def call(value: Any, run_manager: CallbackManagerForChainRun) -> Any:
            output = self.inner.invoke(value, patch_config(config, callbacks=run_manager.get_child()), **kwargs)
            text, documents, question = self._parts(value, output)
            return self._deliver(output, self.guard.run(text, documents, question=question))

        return self._call_with_config(call, input, config, run_type="chain")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """The same without blocking the event loop."""

        async def call(value: Any, run_manager: AsyncCallbackManagerForChainRun) -> Any:
            output = await self.inner.ainvoke(value, patch_config(config, callbacks=run_manager.get_child()), **kwargs)
            text, documents, question = self._parts(value, output)
            return self._deliver(output, await self.guard.arun(text, documents, question=question))

        return await self._acall_with_config(call, input, config, run_type="chain")

    def _parts(self, given: Any, output: Any) -> tuple[str, list[Passage], str | None]:
        if callable(self._answer) and isinstance(output, Mapping):
            raise UsageError(
                f"answer is a function, but the chain's output is a mapping with keys {sorted(map(str, output))}: the "
                "delivered text would have no place in it. Pass the answer's key to guard_chain."
            )
        text = _text(_find(output, self._answer, ANSWER_KEYS, "answer"))
        documents = to_passages(_find(output, self._passages, PASSAGE_KEYS, "passages"))
        question = _question(given, output, self._question)
        return text, documents, question

    def _deliver(self, output: Any, guarded: GuardedAnswer) -> Any:
        """The output's own shape, with the delivered text in the answer's place and the key ``guardrail``."""
        key = _key(output, self._answer, ANSWER_KEYS)
        if not isinstance(output, Mapping) or key is None:
            return _replaced(output, guarded.text)
        return {**output, key: _replaced(output[key], guarded.text), "guardrail": guarded}


def guard_chain(
    chain: Runnable[Any, Any],
    guard: Guard,
    *,
    answer: Extract | None = None,
    passages: Extract | None = None,
    question: Extract | None = None,
) -> GuardedChain:
    """Wrap a chain so that its answers are checked against the documents it returns.

    Args:
        chain: A Runnable whose output holds the answer and the documents, such as ``create_retrieval_chain`` makes.
        guard: The guard to run.
        answer: Key of the answer in the output, or a function of the output. Default: the first of answer, result,
            output. A function needs an output that is itself the answer (str or message).
        passages: Key or function for the documents (Document, str or Passage). Default: the first of context,
            source_documents, documents.
        question: Key or function for the question. Default: input, query or question of the output or input.

    Returns:
        A Runnable with the chain's own output, the delivered text in the answer's place, and under the key
        ``guardrail`` the GuardedAnswer (dict outputs).

    Raises:
        UsageError: at run time, where the output holds no answer or no documents; the message lists its keys.
    """
    if not isinstance(guard, Guard):
        raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. Write guard_chain(chain, Guard(...)).")
    return GuardedChain(chain, guard, answer, passages, question)


def to_passages(documents: object) -> list[Passage]:
    """Documents as passages: ids are kept where they are unique, titles come from metadata ``title``."""
    if isinstance(documents, Mapping):
        raise UsageError(
            f"documents must be a list of Document, str or Passage, got a mapping (keys {sorted(map(str, documents))})."
        )
    if isinstance(documents, (str, Document, Passage)) or not isinstance(documents, Iterable):
        documents = [documents]
    passages: list[Passage] = []
    seen: set[str] = set()
    for number, item in enumerate(documents, 1):
        passage = _passage(item)
        ident = (
            passage.id
            if passage.id and passage.id not in seen
            else f"{passage.id}#{number}"
            if passage.id
            else str(number)
        )
        while ident in seen:
            ident += "'"
        seen.add(ident)
        passages.append(Passage(id=ident, text=passage.text, title=passage.title))
    return passages


def _passage(item: object) -> Passage:
    if isinstance(item, Document):
        title = item.metadata.get("title")
        return Passage(id=item.id or "", text=item.page_content, title=title if isinstance(title, str) else None)
    if isinstance(item, str):
        return Passage(text=item)
    if isinstance(item, Passage):
        return item
    raise UsageError(f"a retrieved document must be a Document, str or Passage, got {type(item).__name__}.")


def _key(output: Any, extract: Extract | None, known: tuple[str, ...]) -> str | None:
    if isinstance(extract, str):
        return extract
    if extract is None and isinstance(output, Mapping):
        return next((key for key in known if key in output), None)
    return None


def _find(output: Any, extract: Extract | None, known: tuple[str, ...], what: str) -> Any:
    if callable(extract):
        return extract(output)
    key = _key(output, extract, known)
    if isinstance(output, Mapping) and key in output:
        return output[key]
    shape = f"keys {sorted(map(str, output))}" if isinstance(output, Mapping) else f"type {type(output).__name__}"
    wanted = repr(key) if key else f"any of {', '.join(known)}"
    raise UsageError(
        f"no {what} in the chain's output ({shape}); looked for {wanted}. Pass {what}=<key or function> to guard_chain."
    )


def _question(given: Any, output: Any, extract: Extract | None) -> str | None:
    if extract is not None:
        return _text(_find(output, extract, QUESTION_KEYS, "question"))
    for source in (output, given):
        if isinstance(source, Mapping):
            found = next((source[key] for key in QUESTION_KEYS if key in source), None)
            if isinstance(found, (str, BaseMessage)):
                return _text(found)
    return given if isinstance(given, str) else None


def _text(value: Any) -> str:
    if value is None:  # a chain that found nothing: an empty answer, which nobody can judge
        return ""
    if isinstance(value, BaseMessage):
        return value.text if isinstance(value.text, str) else str(value.content)
    if isinstance(value, str):
        return str(value)
    raise UsageError(f"the chain's answer must be a str or a message, got {type(value).__name__}.")


def _replaced(value: Any, text: str) -> Any:
    if not isinstance(value, BaseMessage):
        return text
    if _text(value) == text:
        return value
    # Models put drafts and reasoning beside the content: they would carry the withheld text along.
    return value.model_copy(update={"content": text, "additional_kwargs": {}})

"""A LangChain Runnable around a chain: its answer is checked against its documents before it is returned."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.graph import Graph
from langchain_core.runnables.utils import ConfigurableFieldSpec
from langchain_core.utils.pydantic import TypeBaseModel

from guardrail import Guard, GuardedAnswer, Passage, Policy, UsageError
from guardrail.errors import did_you_mean
from guardrail.streaming import MODES, Mode
from guardrail_langchain.answers import cleansed, replaced, text_of
from guardrail_langchain.callbacks import Detach, inner_config, read_detach, unheard, untrace
from guardrail_langchain.documents import to_passages
from guardrail_langchain.parts import Extract, Parts, configured
from guardrail_langchain.regeneration import Call, Regenerate, Regeneration, regeneration
from guardrail_langchain.retrieved import Retrieved
from guardrail_langchain.spans import Place
from guardrail_langchain.stream import astreamed, streamed
from guardrail_langchain.summary import summary

Listener = Callable[[GuardedAnswer], None]
"""Hears of every checked answer, with its report: for logs and metrics."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one call's output holds."""

    text: str
    documents: object
    passages: list[Passage]
    question: str | None
    policy: Policy | None


class GuardedChain(Runnable[Any, Any]):
    """See ``guard_chain``. Holds no state of a call, so one object serves concurrent calls."""

    def __init__(
        self,
        inner: Runnable[Any, Any],
        guard: Guard,
        parts: Parts,
        *,
        mode: Mode,
        again: Regeneration | None,
        detach: Detach,
        listener: Listener | None,
    ) -> None:
        self.inner = inner
        self.guard = guard
        self.parts, self.mode, self.again, self.detach, self.listener = parts, mode, again, detach, listener

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002  LangChain's name
        """Run the chain, check its answer, and deliver what the policy allows."""

        def call(value: Any, run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> Any:
            untrace(self.detach)
            place = Place(run_manager.run_id)
            retrieved, inner = self.inside(config, run_manager, place)
            with unheard(self.detach):
                output = self.inner.invoke(value, inner, **kwargs)
            found = self.find(value, output, config, retrieved)
            made = Call(value, output, found.documents, found.question, inner)
            again = self.again.generator(made) if self.again else None
            with place.check():
                guarded = self.guard.run(
                    found.text, found.passages, question=found.question, policy=found.policy, regenerate=again
                )
            return self._deliver(value, output, guarded)

        return self._call_with_config(call, input, config, run_type="chain")

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:  # noqa: A002
        """The same without blocking the event loop."""

        async def call(value: Any, run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig) -> Any:
            untrace(self.detach)
            place = Place(run_manager.run_id)
            retrieved, inner = self.inside(config, run_manager, place)
            with unheard(self.detach):
                output = await self.inner.ainvoke(value, inner, **kwargs)
            found = self.find(value, output, config, retrieved)
            made = Call(value, output, found.documents, found.question, inner)
            again = self.again.agenerator(made) if self.again else None
            with place.check():
                guarded = await self.guard.arun(
                    found.text, found.passages, question=found.question, policy=found.policy, regenerate=again
                )
            return self._deliver(value, output, guarded)

        return await self._acall_with_config(call, input, config, run_type="chain")

    def transform(
        self,
        input: Iterator[Any],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[Any]:
        """Chunks in the chain's own shapes; what leaves when is the mode's matter."""

        def call(
            inputs: Iterator[Any], run_manager: CallbackManagerForChainRun, config: RunnableConfig
        ) -> Iterator[Any]:
            return streamed(self, inputs, run_manager, config, kwargs)

        yield from self._transform_stream_with_config(input, call, config, run_type="chain")

    async def atransform(
        self,
        input: AsyncIterator[Any],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """The same without blocking the event loop."""

        def call(
            inputs: AsyncIterator[Any], run_manager: AsyncCallbackManagerForChainRun, config: RunnableConfig
        ) -> AsyncIterator[Any]:
            return astreamed(self, inputs, run_manager, config, kwargs)

        chunks = self._atransform_stream_with_config(input, call, config, run_type="chain")
        async with aclosing(cast("AsyncGenerator[Any, None]", chunks)):  # left early, it ends now
            async for chunk in chunks:
                yield chunk

    def stream(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Iterator[Any]:  # noqa: A002
        """See ``transform``."""
        yield from self.transform(iter([input]), config, **kwargs)

    async def astream(
        self,
        input: Any,  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """See ``transform``."""

        async def once() -> AsyncIterator[Any]:
            yield input

        chunks = self.atransform(once(), config, **kwargs)
        async with aclosing(cast("AsyncGenerator[Any, None]", chunks)):
            async for chunk in chunks:
                yield chunk

    def inside(
        self,
        config: RunnableConfig,
        run_manager: CallbackManagerForChainRun | AsyncCallbackManagerForChainRun,
        place: Place,
    ) -> tuple[Retrieved | None, RunnableConfig]:
        """Who listens for documents in one call, and the config of the inner chain."""
        listens = self.parts.wants_callback and configured(config, "documents") is None
        retrieved = Retrieved() if listens else None
        # Observe mode promises no check before text leaves, so there is nothing to keep from those who stream.
        streams = self.mode == "observe" and self.detach == "streams"
        return retrieved, inner_config(config, run_manager, False if streams else self.detach, retrieved, place.written)

    def find(self, given: Any, output: Any, config: RunnableConfig, retrieved: Retrieved | None) -> Found:
        """What is to be checked in an output. Raises UsageError where a part is missing; the message lists its keys."""
        text = text_of(self.parts.find_answer(output))
        documents = self.parts.find_documents(output, configured(config, "documents"), retrieved)
        question = self.parts.find_question(given, output)
        return Found(text, documents, to_passages(documents), question, configured(config, "guardrail_policy"))

    def verdict(self, guarded: GuardedAnswer) -> Any:
        """What the key ``guardrail`` holds. Tells the listener, too."""
        if self.listener is not None:
            self.listener(guarded)
        # Whoever hears of the wrapper's own run sees its output: where nobody may see the raw answer, no report either.
        return summary(guarded) if self.detach is True else guarded

    def _deliver(self, given: Any, output: Any, guarded: GuardedAnswer) -> Any:
        """The output's own shape, with the delivered text in the answer's place and the key ``guardrail``."""
        verdict = self.verdict(guarded)
        key = self.parts.answer_key(output)
        if not isinstance(output, Mapping) or key is None:
            return replaced(output, guarded.text, summary(guarded))
        said = text_of(output[key])
        rest = {k: v for k, v in output.items() if k != key}
        if said != guarded.text:
            asked = given if isinstance(given, Mapping) else {}
            rest = {
                k: v if isinstance(v, str) and asked.get(k) == v else cleansed(v, said, guarded.text)
                for k, v in rest.items()
            }
        return {k: replaced(v, guarded.text) if k == key else rest[k] for k, v in output.items()} | {
            "guardrail": verdict
        }

    @property
    def InputType(self) -> Any:  # noqa: N802  LangChain's name
        """The inner chain's."""
        return self.inner.InputType

    @property
    def OutputType(self) -> Any:  # noqa: N802
        """The inner chain's; a mapping also holds the key ``guardrail``."""
        return self.inner.OutputType

    @property
    def config_specs(self) -> list[ConfigurableFieldSpec]:
        """The inner chain's."""
        return self.inner.config_specs

    def get_input_schema(self, config: RunnableConfig | None = None) -> TypeBaseModel:
        """The inner chain's."""
        return self.inner.get_input_schema(config)

    def get_output_schema(self, config: RunnableConfig | None = None) -> TypeBaseModel:
        """The inner chain's; a mapping also holds the key ``guardrail``."""
        return self.inner.get_output_schema(config)

    def get_graph(self, config: RunnableConfig | None = None) -> Graph:
        """The inner chain's."""
        return self.inner.get_graph(config)


def guard_chain(
    chain: Runnable[Any, Any],
    guard: Guard,
    *,
    answer: Extract | None = None,
    passages: Extract | None = None,
    question: Extract | None = None,
    mode: Mode = "buffer",
    regenerate: Regenerate | None = None,
    detach: Detach = "streams",
    listener: Listener | None = None,
) -> GuardedChain:
    """Wrap a chain so that its answers are checked against the documents it was given.

    ``config["configurable"]`` may hold ``documents`` to check against and ``guardrail_policy``, for one call.

    Args:
        chain: A Runnable whose output holds the answer, or is the answer (str or message).
        guard: The guard to run.
        answer: Key of the answer in the output, or a function of the output. Default: the first of answer, result,
            output, output_text. A function needs an output that is itself the answer.
        passages: Key or function for the documents (Document, str or Passage). Default: the first of context,
            source_documents, documents, input_documents; else what the chain's retrievers returned in this call.
        question: Key or function for the question. Default: input, query or question of the output or input.
        mode: What streams do: ``buffer`` (text leaves after all of it is checked), ``sentence`` (after its sentence
            is), ``observe`` (at once, unchecked).
        regenerate: Makes a new answer where the policy asks for one: True = the chain's last step again, on the same
            documents and with the feedback behind the question (chains that end in ``.assign(answer=...)``); or a
            Runnable or callable that takes a dict of question, passages, feedback, answer and input.
        detach: Which callback handlers do not hear of the chain's inner runs, where the raw answer is: those that
            stream to the caller (``"streams"``), all (True; then ``guardrail`` is a summary without texts), or none.
        listener: Hears of every checked answer.

    Returns:
        A Runnable with the chain's own output, the delivered text in the answer's place, and under the key
        ``guardrail`` the GuardedAnswer (dict outputs). A message carries a summary in ``response_metadata``.

    Raises:
        UsageError: an argument is wrong; or at run time, where the output holds no answer or no documents.
    """
    if not isinstance(guard, Guard):
        raise UsageError(f"guard must be a Guard, got {type(guard).__name__}. Write guard_chain(chain, Guard(...)).")
    if mode not in MODES:
        raise UsageError(f"unknown mode {mode!r}. {did_you_mean(str(mode), MODES)}")
    parts = Parts(answer, passages, question)
    heard = read_detach(detach)
    again = regeneration(regenerate, chain, parts, heard)
    return GuardedChain(chain, guard, parts, mode=mode, again=again, detach=heard, listener=listener)

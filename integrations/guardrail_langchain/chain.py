"""A LangChain Runnable around a chain: its answer is checked against its documents before it is returned."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, cast

from langchain_core.callbacks import AsyncCallbackManagerForChainRun, CallbackManagerForChainRun
from langchain_core.runnables import Runnable, RunnableConfig, RunnableSequence
from langchain_core.runnables.base import RunnableBindingBase
from langchain_core.runnables.graph import Graph
from langchain_core.runnables.utils import ConfigurableFieldSpec
from langchain_core.utils.pydantic import TypeBaseModel

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.check.drivers import Program
from guardrail.streaming import Mode
from guardrail.wrap.kinds import HideFrom, Items, Streams, read_guard, read_hide_from, read_mode
from guardrail.wrap.time_limit import NoAnswerInTime, read_seconds
from guardrail_langchain.answers import summary
from guardrail_langchain.history import refuse_history
from guardrail_langchain.parts import ANSWER_KEYS, Extract, Parts, configured
from guardrail_langchain.regeneration import Call, Regenerate, Regeneration, regeneration_of, written
from guardrail_langchain.runnable import Begun, GuardedRunnable, Listener
from guardrail_langchain.stream import streamed


class GuardedChain(GuardedRunnable):
    """See ``guard_chain``."""

    inner: Runnable[Any, Any]

    def __init__(
        self,
        inner: Runnable[Any, Any],
        guard: Guard,
        parts: Parts,
        regeneration: Regeneration | None,
        hide_from: HideFrom,
        listener: Listener | None,
        mode: Mode,
        answer_timeout: float | None = None,
    ) -> None:
        super().__init__(inner, guard, parts, regeneration, hide_from, listener)
        self.mode = mode
        self.answer_timeout = answer_timeout

    @property
    def hides_inner_runs_from(self) -> HideFrom:
        """Observe mode promises no check before text leaves, so there is nothing to keep from those who stream."""
        return "nobody" if self.mode == "observe" and self.hide_from == "streams" else self.hide_from

    def transform(
        self,
        input: Iterator[Any],  # noqa: A002
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[Any]:
        """Chunks in the chain's own shapes; what leaves when is the mode's matter."""

        def call(inputs: Iterator[Any], run_manager: CallbackManagerForChainRun, config: RunnableConfig) -> Items:
            return self._stream(Streams(asynchronous=False), inputs, run_manager, config, kwargs)

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
        ) -> Items:
            return self._stream(Streams(asynchronous=True), inputs, run_manager, config, kwargs)

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

    def _stream(
        self,
        streams: Streams,
        inputs: Items,
        run_manager: CallbackManagerForChainRun | AsyncCallbackManagerForChainRun,
        config: RunnableConfig,
        options: Mapping[str, Any],
    ) -> Items:
        source = self.inner.astream if streams.asynchronous else self.inner.stream
        return streamed(
            self, self.mode, streams, inputs, partial(self.begin, config, run_manager), partial(source, **options)
        )

    def _answered(self, given: Any, begun: Begun, options: Mapping[str, Any]) -> Program[Any]:
        try:
            output = yield from self._output(self.inner, given, begun, options)
        except NoAnswerInTime as late:
            return (yield from self.unanswered(given, begun, late))
        text = self.parts.text(self.parts.find_answer(output))
        documents = self.parts.find_documents(output, configured(begun.config, "documents"), begun.retrieved)
        call = Call(given, output, documents, self.parts.find_question(given, output), begun.inner)
        return self._delivered(call, (yield from self._checked(text, call, begun)))

    def _delivered(self, call: Call, guarded: GuardedAnswer) -> Any:
        """The output's own shape, with the delivered text in the answer's place and the key ``guardrail``."""
        output, verdict = call.output, self.verdict(guarded)
        key = self.parts.answer_key(output)
        whole = not isinstance(output, Mapping) or key is None
        answer = written(output if whole else output[key], call.again, guarded, self.parts)
        if whole:
            return self.parts.with_text(answer, guarded.text, summary(guarded))
        asked = call.given if isinstance(call.given, Mapping) else {}

        def kept(name: Any, value: Any) -> Any:
            if name == key:
                return self.parts.with_text(answer, guarded.text)
            unchanged = isinstance(value, str) and asked.get(name) == value
            return value if unchanged else self.parts.without(value, output[key], guarded.text)

        return {name: kept(name, value) for name, value in output.items()} | {"guardrail": verdict}

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
    hide_from: HideFrom = "streams",
    listener: Listener | None = None,
    answer_field: str | None = None,
    answer_timeout: float | None = None,
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
        regenerate: Makes a new answer where the policy asks for one: None = the chain's last step again, on the same
            documents and with the feedback behind the question, if the chain ends in ``.assign(answer=...)``; True =
            the same, and an error where it does not; False = nobody; or a Runnable or callable that takes a dict of
            question, passages, feedback, answer and input.
        hide_from: Who does not hear of the chain's inner runs, where the raw answer is: callback handlers that stream
            to the caller (``"streams"``), ``"all"`` (then ``guardrail`` is a summary without texts), or ``"nobody"``.
        listener: Hears of every checked answer; may be async where the chain is awaited. What it raises is logged.
        answer_field: Where the answer is an object (a pydantic model, as with_structured_output makes it, a dataclass,
            or a dict under the answer's key), its field that holds the text. Default: the longest free text by schema.
            The object keeps its type and its other fields; a blocked answer leaves the refusal in the field.
        answer_timeout: Seconds that the chain may take to answer, or until its stream begins; a retriever may hang.
            Then the policy's refusal is delivered (NoAnswerInTime is raised where the chain does not tell what shape
            its answers have, or they are objects). None = as long as it takes: the ``deadline`` is the check's.

    Returns:
        A Runnable with the chain's own output, the delivered text in the answer's place, and under the key
        ``guardrail`` the GuardedAnswer (dict outputs). A message carries a summary in ``response_metadata``.

    Raises:
        UsageError: an argument is wrong, or the chain keeps a history itself (put it around the guard); or at run time,
            where the output holds no answer or no documents.
    """
    read_guard(guard, "guard_chain(chain, Guard(...))")
    _refuse_agent(chain, answer)
    refuse_history(chain)
    parts, hidden = Parts(answer, passages, question, answer_field), read_hide_from(hide_from)
    found = regeneration_of(regenerate, chain, parts, hidden)
    seconds = read_seconds(answer_timeout)
    return GuardedChain(chain, guard, parts, found, hidden, listener, read_mode(mode), seconds)


def _refuse_agent(chain: object, answer: Extract | None) -> None:
    """Raise UsageError where the chain, or its last step, is a graph whose answer is in its messages."""
    while isinstance(chain, (RunnableBindingBase, RunnableSequence)):
        chain = chain.bound if isinstance(chain, RunnableBindingBase) else chain.last
    outputs = getattr(chain, "output_channels", None)  # of any graph; LangGraph itself may not be installed
    if not isinstance(outputs, (list, tuple)) or "messages" not in outputs:
        return
    if answer != "messages" and (isinstance(answer, str) or {*ANSWER_KEYS} & {*outputs}):
        return
    raise UsageError(
        "guard_chain is for chains; this is an agent, or a graph whose answer is in its messages. Guard an agent with "
        "create_agent(model, tools, middleware=[GuardrailMiddleware(guard)]), and in a graph of your own the node that "
        "writes the answer, with guardrail_node(guard, around=node)."
    )

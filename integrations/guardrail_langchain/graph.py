"""A LangGraph node that checks an answer in the state, or one around the node that writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.runnables import Runnable
from langchain_core.runnables.base import coerce_to_runnable
from pydantic import BaseModel

from guardrail import Guard, GuardedAnswer, UsageError
from guardrail.check.drivers import Program
from guardrail.wrap.kinds import HideFrom, read_guard, read_hide_from
from guardrail_langchain.answers import PHRASE, replaced, scrub, summary, text_of
from guardrail_langchain.documents import tool_documents
from guardrail_langchain.history import refuse_history
from guardrail_langchain.parts import ANSWER_KEYS, PASSAGE_KEYS, QUESTION_KEYS, Extract, Parts
from guardrail_langchain.regeneration import Call, Regenerate, regeneration_of
from guardrail_langchain.runnable import Begun, GuardedRunnable, Listener


@dataclass(frozen=True, slots=True)
class _Answer:
    """An answer in a state: its key, its value there, the message, if it is one, and its place in a list."""

    key: str
    value: Any
    held: Any
    at: int

    @property
    def text(self) -> str:
        return text_of(self.held)


class GuardrailNode(GuardedRunnable):
    """See ``guardrail_node``."""

    name = "guardrail"

    def _answered(self, given: Any, begun: Begun, options: Mapping[str, Any]) -> Program[Any]:
        update: Any = {}
        if self.inner is not None:
            update = yield from self._output(self.inner, given, begun, options)
        answer, call = self._read(given, update, begun)
        if answer is None:
            return update
        return self._updated(update, answer, (yield from self._checked(answer.text, call, begun)))

    def _read(self, state: Any, update: Any, begun: Begun) -> tuple[_Answer | None, Call]:
        """The answer, None where there is none yet (a message that calls tools), and what belongs to it."""
        before, new = _mapping(state), _mapping(_update_of(update))
        merged = {**before, **new}
        messages = [*_messages(before), *(m for m in _messages(new) if m not in _messages(before))]
        if messages:
            merged["messages"] = messages
        # Around a node, only what it wrote is its answer.
        answer = self._answer(new if self.inner is not None else merged, _messages(before) if self.inner else ())
        if answer is None:
            return None, Call(state, merged, (), None, begun.inner)
        found = tool_documents(messages)
        if not found or self.parts.has_documents(merged, None, begun.retrieved):
            found = self.parts.find_documents(merged, None, begun.retrieved)
        return answer, Call(state, merged, found, self.parts.find_question(merged, merged), begun.inner)

    def _answer(self, state: Mapping[str, Any], old: Sequence[BaseMessage]) -> _Answer | None:
        key = self.parts.answer
        if key is None:
            key = "messages" if _messages(state) else next((k for k in ANSWER_KEYS if state.get(k)), None)
        if not isinstance(key, str) or key not in state:
            if self.inner is not None and not (self.parts.answer is None and _says_something(state)):
                return None
            raise UsageError(
                f"no answer in the state (keys {sorted(map(str, state))}). Pass answer=<key> to guardrail_node."
            )
        value = state[key]
        at = -1
        if isinstance(value, (list, tuple)) and value and _message(value) is None:
            read = [_message(each) or each for each in value]
            if self.inner is not None:  # what a node writes behind its answer, such as removals, hides it not
                said = (n for n, m in enumerate(read) if isinstance(m, AIMessage) and m not in old)
                at = max(said, default=at)
            held = read[at]
        else:
            held = _message(value) or value
        if isinstance(held, BaseMessage) and (not isinstance(held, AIMessage) or held.tool_calls):
            return None
        return _Answer(key, value, held, at) if held else None

    def _updated(self, update: Any, answer: _Answer, guarded: GuardedAnswer) -> Any:
        self.verdict(guarded)
        about = summary(guarded)
        new = replaced(answer.held, guarded.text, about)
        rest = dict(_mapping(_update_of(update)))
        if isinstance(answer.value, (list, tuple)) and _message(answer.value) is None:
            kept = list(answer.value)  # all of them: not every list is merged by ids
            kept[answer.at] = _formed(kept[answer.at], new)
            rest[answer.key] = kept
        else:
            rest[answer.key] = _formed(answer.value, new)
        if answer.text != guarded.text:
            rest = {k: v if k == answer.key else scrub(v, answer.text, guarded.text) for k, v in rest.items()}
        rest["guardrail"] = about
        return rest if isinstance(update, Mapping) else replace(update, update=rest)


def guardrail_node(
    guard: Guard,
    *,
    around: Runnable[Any, Any] | Callable[..., Any] | None = None,
    answer: str | None = None,
    passages: Extract | None = None,
    question: Extract | None = None,
    regenerate: Regenerate | None = None,
    hide_from: HideFrom = "streams",
    listener: Listener | None = None,
) -> GuardrailNode:
    """A node for a StateGraph that checks the answer of the state.

    As a node of its own it comes after the one that wrote the answer: the delivered message takes its place by its id,
    but streams and checkpoints of the step before have shown the raw one. ``around`` that node, nothing raw is written.
    ``config["configurable"]["guardrail_policy"]`` is the policy of one call.

    Args:
        guard: The guard to run.
        around: The node that makes the answer: a Runnable, or a function of the state (and config).
        answer: Key of the answer in the state: a text, a message, or messages whose last one it is. Default:
            ``messages`` if there are any, else the first of answer, result, output, output_text.
        passages: Key or function of the state. Default: the first of context, source_documents, documents,
            input_documents; else what retrievers inside ``around`` or tools of the conversation returned.
        question: Key or function of the state. Default: input, query or question, else the last human message.
        regenerate: A Runnable or callable that takes a dict of question, passages, feedback, answer and input (the
            state), and returns the new answer. None or False = nobody: a node cannot answer again by itself.
        hide_from: See guard_chain; for runs inside ``around``.
        listener: Hears of every checked answer, with its report.

    Returns:
        A Runnable from the state to its update: the answer's key, and ``guardrail``, a summary as plain JSON, for
        states that have that key. Messages that call tools pass.

    Raises:
        UsageError: an argument is wrong; or at run time, where the state holds no answer or no documents.
    """
    read_guard(guard, "guardrail_node(Guard(...))")
    if regenerate is True:
        raise UsageError("guardrail_node cannot make its answer again: pass regenerate=<Runnable or callable>.")
    parts, hidden = Parts(answer, passages, question, wrapper="guardrail_node"), read_hide_from(hide_from)
    inner = coerce_to_runnable(around) if around is not None else None
    refuse_history(inner)
    found = regeneration_of(False if regenerate is None else regenerate, inner, parts, hidden)
    return GuardrailNode(inner, guard, parts, found, hidden, listener)


def _update_of(update: Any) -> Any:
    """What a node returned writes: an update, or that of a Command."""
    if update is None or isinstance(update, Mapping):
        return update or {}
    if is_dataclass(update) and hasattr(update, "goto"):
        return getattr(update, "update", None) or {}
    raise UsageError(
        f"the node around which the guard stands must return an update (dict), got {type(update).__name__}."
    )


def _mapping(state: Any) -> Mapping[str, Any]:
    """A state of any schema."""
    if isinstance(state, Mapping):
        return state
    if isinstance(state, BaseModel):
        return dict(state)
    if is_dataclass(state):
        return {each.name: getattr(state, each.name) for each in fields(state)}
    raise UsageError(f"the state must be a mapping, a model or a dataclass, got {type(state).__name__}.")


def _messages(state: Mapping[str, Any]) -> list[BaseMessage]:
    found = state.get("messages")
    if found is None or found == []:
        return []
    listed = found if isinstance(found, list) or (isinstance(found, tuple) and _message(found) is None) else [found]
    return [message for message in map(_message, listed) if message is not None]


def _says_something(update: Mapping[str, Any]) -> bool:
    """Whether an update without an answer where answers are expected holds a text: it would leave unchecked."""
    known = (*PASSAGE_KEYS, *QUESTION_KEYS, "messages")
    texts = (_message(value) or value for key, value in update.items() if key not in known)
    return any(isinstance(each, (str, BaseMessage)) and len(text_of(each)) >= PHRASE for each in texts)


def _message(item: Any) -> BaseMessage | None:
    """A message as LangGraph takes them: also ``{"role", "content"}`` and ``("ai", text)``; None = no message."""
    if isinstance(item, BaseMessage):
        return item
    is_pair = isinstance(item, tuple) and len(item) == 2 and all(isinstance(each, str) for each in item)
    if not is_pair and not (isinstance(item, Mapping) and "content" in item and ("role" in item or "type" in item)):
        return None
    try:
        return convert_to_messages([item])[0]
    except (ValueError, NotImplementedError):  # another kind of pair or mapping
        return None


def _formed(before: Any, new: Any) -> Any:
    """The delivered answer in the form in which the node wrote it."""
    if isinstance(before, BaseMessage) or not isinstance(new, BaseMessage):
        return new
    if isinstance(before, tuple):
        return (before[0], new.content)
    return {name: before[name] for name in ("role", "type", "id", "name") if name in before} | {"content": new.content}

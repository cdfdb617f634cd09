"""Where a chain's output holds its answer, its documents and the question."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage
from langchain_core.runnables import RunnableConfig

from guardrail import UsageError
from guardrail.wrap.answer_field import answer_field, is_structured, text_in
from guardrail_langchain.answers import replaced, replaced_in, scrub, text_of
from guardrail_langchain.documents import Retrieved

ANSWER_KEYS = ("answer", "result", "output", "output_text")
PASSAGE_KEYS = ("context", "source_documents", "documents", "input_documents")
QUESTION_KEYS = ("input", "query", "question")

_PLACES = {
    "guard_chain": "the chain's output",
    "guardrail_node": "the state",
    "guardrail_evaluator": "the run",
}
"""Where each wrapper looks, in its messages."""

Extract = str | Callable[[Any], Any]
"""Where to find something in the chain's output: a key, or a function of the output."""


@dataclass(frozen=True, slots=True)
class Parts:
    """Where the caller of a wrapper says things are; None = at the usual keys, in the longest field of free text."""

    answer: Extract | None = None
    passages: Extract | None = None
    question: Extract | None = None
    field: str | None = None
    wrapper: str = "guard_chain"

    @property
    def wants_callback(self) -> bool:
        """Whether documents may have to be caught on their way through the chain."""
        return self.passages is None

    @property
    def keys_without_answer(self) -> frozenset[str]:
        """Keys that hold documents or the question, so no answer."""
        named = {key for key in (self.passages, self.question) if isinstance(key, str)}
        return frozenset({*PASSAGE_KEYS, *QUESTION_KEYS, *named} - {self.answer})

    def answer_key(self, output: Any) -> str | None:
        """The key of the answer; None where the output is itself the answer."""
        return _key(output, self.answer, ANSWER_KEYS)

    def find_answer(self, output: Any) -> Any:
        """The answer, as the chain gives it.

        Raises:
            UsageError: there is none, or the delivered text would have no place.
        """
        if callable(self.answer) and isinstance(output, Mapping):
            raise UsageError(
                f"answer is a function, but the chain's output is a mapping with keys {_keys(output)}: the "
                f"delivered text would have no place in it. Pass the answer's key to {self.wrapper}."
            )
        if callable(self.answer) and is_object(output):
            raise UsageError(
                f"answer is a function, but the chain's output has the type {type(output).__name__}: the "
                "delivered text would have no place in it. Pass answer_field=<field> to guard_chain instead."
            )
        if self.answer is None and (isinstance(output, (str, BaseMessage)) or is_object(output, Mapping)):
            return output  # an LCEL chain that ends in a parser or a model
        return _find(output, self.answer, ANSWER_KEYS, "answer", self.wrapper)

    def text(self, answer: Any) -> str:
        """The answer's text: its own, or that of the field that holds it.

        Raises:
            UsageError: it has no text.
        """
        return text_in(answer, self._field(answer)) if is_object(answer) else text_of(answer)

    def with_text(self, answer: Any, text: str, about: Mapping[str, Any] | None = None) -> Any:
        """The answer with another text, of the same type; see ``replaced``."""
        if not is_object(answer):
            return replaced(answer, text, about)
        return answer if self.text(answer) == text else replaced_in(answer, self._field(answer), text)

    def without(self, value: Any, answer: Any, text: str) -> Any:
        """Another value of the output with the delivered text wherever it repeats the answer."""
        said = self.text(answer)
        if said == text:
            return value
        value = scrub(value, said, text)
        quoted = json.dumps(said, ensure_ascii=False)[1:-1]  # as in the message that spells out an object
        return scrub(value, quoted, json.dumps(text, ensure_ascii=False)[1:-1]) if quoted != said else value

    def _field(self, answer: Any) -> str:
        found = answer_field(answer, self.field)
        if found is None:
            raise UsageError(f"no field of the chain's answer, a {type(answer).__name__}, holds free text to check.")
        return found

    def find_documents(self, output: Any, given: object, retrieved: Retrieved | None) -> Any:
        """The documents: from the call's config, the named place, the usual keys, or as a retriever returned them.

        Args:
            output: The chain's.
            given: ``config["configurable"]["documents"]`` of the call, None = none.
            retrieved: What retrievers returned in this call, None = nobody listened.

        Raises:
            UsageError: there are none to be found; that a retriever finds nothing is no such case.
        """
        if given is not None:
            return given
        if self.passages is not None:
            return _find(output, self.passages, PASSAGE_KEYS, "passages", self.wrapper)
        caught = retrieved.documents if retrieved is not None else None
        key = _key(output, None, PASSAGE_KEYS)
        if key is not None and (caught is None or not isinstance(output[key], str)):
            return output[key]
        if caught is not None:
            return caught
        return _find(output, None, PASSAGE_KEYS, "passages", self.wrapper)

    def has_documents(self, output: Any, given: object, retrieved: Retrieved | None) -> bool:
        """Whether ``find_documents`` finds some already, while the output is still coming."""
        if given is not None:
            return True
        if self.passages is not None:
            return callable(self.passages) or (isinstance(output, Mapping) and self.passages in output)
        caught = retrieved is not None and retrieved.documents is not None
        return caught or _key(output, None, PASSAGE_KEYS) is not None

    def find_question(self, given: Any, output: Any) -> str | None:
        """The question, from the named place, or from the usual keys of output or input; None if nobody knows it."""
        if self.question is not None:
            return text_of(_find(output, self.question, QUESTION_KEYS, "question", self.wrapper))
        for source in (output, given):
            if isinstance(source, Mapping):
                found = next((source[key] for key in QUESTION_KEYS if key in source), None)
                if isinstance(found, (str, BaseMessage)):
                    return text_of(found)
        if isinstance(given, Mapping):
            given = given.get("messages")
        return question_in(given)

    def has_question(self, output: Any) -> bool:
        """Whether ``find_question`` can tell already, while the output is still coming."""
        return not isinstance(self.question, str) or (isinstance(output, Mapping) and self.question in output)


def is_object(value: object, *other: type) -> bool:
    """Whether an answer is an object with fields (with ``other``: but none of these) and no message."""
    return is_structured(value) and not isinstance(value, (BaseMessage, *other))


def configured(config: RunnableConfig, name: str) -> Any:
    """What a call's config says: its ``documents``, its ``guardrail_policy``; None = nothing."""
    return (config.get("configurable") or {}).get(name)


def question_in(given: object) -> str | None:
    """The question in a chain's plain input: a text, or the last human message."""
    if isinstance(given, (str, HumanMessage)):
        return text_of(given)
    if isinstance(given, Sequence):
        return next((text_of(m) for m in reversed(given) if isinstance(m, HumanMessage)), None)
    return None


def _key(output: Any, extract: Extract | None, known: tuple[str, ...]) -> str | None:
    if isinstance(extract, str):
        return extract
    if extract is None and isinstance(output, Mapping):
        return next((key for key in known if key in output), None)
    return None


def _find(output: Any, extract: Extract | None, known: tuple[str, ...], what: str, wrapper: str) -> Any:
    if callable(extract):
        return extract(output)
    key = _key(output, extract, known)
    if isinstance(output, Mapping) and key in output:
        return output[key]
    shape = f"keys {_keys(output)}" if isinstance(output, Mapping) else f"type {type(output).__name__}"
    wanted = repr(key) if key else f"any of {', '.join(known)}"
    missed = ", and no retriever ran" if what == "passages" and extract is None else ""
    raise UsageError(
        f"no {what} in {_PLACES[wrapper]} ({shape}); looked for {wanted}{missed}. "
        f"Pass {what}=<key or function> to {wrapper}."
    )


def _keys(output: Mapping[Any, Any]) -> list[str]:
    return sorted(map(str, output))

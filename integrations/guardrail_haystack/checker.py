"""A Haystack component: replies and documents in, checked replies out."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.dataclasses import ChatMessage

from guardrail import Guard, GuardedAnswer, Passage, Policy, UsageError
from guardrail.retrieval.request.tool_outputs import distinct

Replies = list[str] | list[ChatMessage]


@component
class GroundingChecker:
    """Checks replies of a generator against the documents of a retriever, and delivers what the policy says.

    Outputs: ``replies`` (as they came, with another text where the policy changes it; a ChatMessage tells in
    ``meta["guardrail"]`` what was found), ``results`` (the same as plain JSON, one for each reply, without texts) and
    ``blocked`` (whether any is).

    Args:
        policy: Preset or file of a policy.
        engine: Name of an engine (``guardrail.engines.NAMES``).
        guard: Instead of both, for a guard that names cannot say; such a component cannot be serialized.
    """

    def __init__(self, policy: str = "monitor", engine: str = "local", guard: Guard | None = None) -> None:
        self.policy, self.engine, self._given = policy, engine, guard
        self._guard = guard

    def warm_up(self) -> None:
        """Load the engine."""
        if self._guard is None:
            self._guard = Guard(policy=Policy.load(self.policy), engine=self.engine)

    def to_dict(self) -> dict[str, Any]:
        """For pipelines in files.

        Raises:
            UsageError: it was made with a guard.
        """
        if self._given is not None:
            raise UsageError("GroundingChecker(guard=...) cannot be serialized. Name a policy and an engine instead.")
        data: dict[str, Any] = default_to_dict(self, policy=self.policy, engine=self.engine)
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GroundingChecker:
        """See to_dict."""
        made: GroundingChecker = default_from_dict(cls, data)
        return made

    @component.output_types(replies=Replies, results=list[dict[str, Any]], blocked=bool)
    def run(self, replies: Replies, documents: list[Document], question: str | None = None) -> dict[str, Any]:
        """Check the replies.

        Args:
            replies: Texts or messages.
            documents: What they were generated from.
            question: What was asked.
        """
        self.warm_up()
        passages = _passages(documents)
        guarded = [self._at_work.run(_text(reply), passages, question=question) for reply in replies]
        return _outputs(replies, guarded)

    @component.output_types(replies=Replies, results=list[dict[str, Any]], blocked=bool)
    async def run_async(
        self, replies: Replies, documents: list[Document], question: str | None = None
    ) -> dict[str, Any]:
        """The same in an AsyncPipeline."""
        self.warm_up()
        passages = _passages(documents)
        checks = [self._at_work.arun(_text(reply), passages, question=question) for reply in replies]
        return _outputs(replies, await asyncio.gather(*checks))

    @property
    def _at_work(self) -> Guard:
        if self._guard is None:  # pragma: no cover  warm_up comes first
            raise UsageError("call warm_up() first.")
        return self._guard


def _passages(documents: list[Document]) -> tuple[Passage, ...]:
    found = []
    for document in documents:
        title = document.meta.get("title") or document.meta.get("name")
        if document.content:
            found.append(
                Passage(text=document.content, id=document.id, title=title if isinstance(title, str) else None)
            )
    return distinct(found)


def _text(reply: str | ChatMessage) -> str:
    return reply if isinstance(reply, str) else reply.text or ""


def _outputs(replies: Replies, guarded: list[GuardedAnswer]) -> dict[str, Any]:
    results = [each.to_dict() for each in guarded]
    listed: Sequence[str | ChatMessage] = replies
    return {
        "replies": [_with(reply, each) for reply, each in zip(listed, guarded, strict=True)],
        "results": results,
        "blocked": any(each.action == "block" for each in guarded),
    }


def _with(reply: str | ChatMessage, guarded: GuardedAnswer) -> str | ChatMessage:
    if isinstance(reply, str):
        return guarded.text
    if reply.tool_calls and not reply.text:
        return reply
    return ChatMessage.from_assistant(
        guarded.text, meta={**reply.meta, "guardrail": guarded.to_dict()}, name=reply.name
    )

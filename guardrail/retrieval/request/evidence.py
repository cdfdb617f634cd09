"""The evidence resolver: which passages a request brings, and where they stand. Pure.

What counts, in this order (docs/service-proxy.md has the table):

1. ``guardrail.passages``: alone, where the request has it.
2. Content parts tagged ``grounding_source``, of trusted roles; results of tools; ``documents``; sources written into
   system messages.
3. Sources written into messages of the user, unless something is tagged.

What the assistant said is never evidence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from guardrail.check.intake import read_passages
from guardrail.errors import UsageError
from guardrail.retrieval.request.documents import document, documents_in
from guardrail.retrieval.request.found import Evidence, Found, Ignored, distinct
from guardrail.retrieval.request.sections import question_in, sources_in
from guardrail.types import Passage

SYSTEM: Final = ("system", "developer")
TOOLS: Final = ("tool", "function")
SOURCE, QUERY = "grounding_source", "query"
_TEXT_PARTS: Final = ("text", "input_text")
_TOOL_ITEMS: Final = ("function_call_output", "custom_tool_call_output", "mcp_call", "local_shell_call_output")


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust:
    """Whose words may be evidence.

    Attributes:
        tagged: Roles whose parts tagged ``grounding_source`` count.
        sources: Roles in whose texts blocks and numbered sources are looked for.
        tools: Whether results of tools count.
    """

    tagged: tuple[str, ...] = SYSTEM
    sources: tuple[str, ...] = (*SYSTEM, "user")
    tools: bool = True


@dataclass(slots=True)
class _Search:
    """What one request brings, while it is read."""

    trust: Trust
    found: list[Found] = field(default_factory=list)
    of_user: list[Found] = field(default_factory=list)
    ignored: list[Ignored] = field(default_factory=list)
    asked: str | None = None
    query: str | None = None
    tools: dict[str, str] = field(default_factory=dict)  # names of tools by the id of the call

    def add(self, passages: list[Passage], kind: str, place: str) -> None:
        self.found += [Found(passage=each, kind=kind, place=place) for each in passages]

    def message(self, message: Mapping[str, Any], place: str) -> None:
        role = message.get("role")
        if message.get("type") in _TOOL_ITEMS or role in TOOLS:
            self.tool(message, place)
        elif role == "assistant" or message.get("type") == "function_call":
            self.note_calls(message)
        elif isinstance(role, str):
            texts: list[str] = []
            for part, where in _parts(message.get("content"), f"{place}.content"):
                self.part(role, part, where, texts)
            if role == "user":
                self.asked = "\n".join(texts) or self.asked

    def part(self, role: str, part: Mapping[str, Any], place: str, texts: list[str]) -> None:
        kind, text = part.get("type"), part.get("text")
        if not isinstance(text, str):
            return
        if kind == SOURCE and role in self.trust.tagged:
            title, ident = part.get("title"), part.get("id")
            self.add([Passage(text=text, id=_str(ident) or "", title=_str(title))], SOURCE, place)
        elif kind == SOURCE:
            self.ignored.append(Ignored(kind=SOURCE, place=place, reason=f"the role {role!r} is not trusted with it"))
        elif kind == QUERY:
            self.query = text
        elif kind in _TEXT_PARTS:
            self.text(role, text, place, texts)

    def text(self, role: str, text: str, place: str, texts: list[str]) -> None:
        sources = sources_in(text) if role in self.trust.sources else []
        target = self.of_user if role not in SYSTEM else self.found
        target += [Found(passage=each.passage, kind=each.kind, place=place) for each in sources]
        if asked := question_in(text, sources):
            texts.append(asked)

    def tool(self, message: Mapping[str, Any], place: str) -> None:
        key = "output" if "output" in message else "content"
        name = _str(message.get("name")) or self.tools.get(str(message.get("tool_call_id") or message.get("call_id")))
        for part, where in _parts(message.get(key), f"{place}.{key}"):
            text = part.get("text")
            if not isinstance(text, str) or not text.strip():
                continue
            if not self.trust.tools:
                self.ignored.append(Ignored(kind="tool_message", place=where, reason="tools are not trusted"))
                continue
            documents = documents_in(text) or [each.passage for each in sources_in(text)] or [Passage(text=text)]
            titled = [Passage(text=d.text, id=d.id, title=d.title or name) for d in documents]
            self.add(titled, "tool_message", where)

    def note_calls(self, message: Mapping[str, Any]) -> None:
        calls = message.get("tool_calls")
        for call in calls if isinstance(calls, list) else [message]:
            about = call.get("function", call) if isinstance(call, Mapping) else None
            if isinstance(about, Mapping) and (name := _str(about.get("name"))):
                self.tools[str(call.get("call_id") or call.get("id"))] = name

    def result(self) -> Evidence:
        tagged = any(each.kind == SOURCE for each in self.found)
        used = self.found if tagged else self.found + self.of_user
        for each in self.of_user if tagged else ():
            reason = "something is tagged, so that texts of users are not looked at"
            self.ignored.append(Ignored(kind=each.kind, place=each.place, reason=reason))
        return Evidence(found=distinct(used), question=self.query or self.asked, ignored=tuple(self.ignored))


def find_evidence(body: Mapping[str, Any], trust: Trust | None = None) -> Evidence:
    """The passages and the question of a request of ``/chat/completions`` or ``/responses``.

    Args:
        body: Its JSON, with our field ``guardrail``, if it has one.
        trust: Whose words count.

    Raises:
        UsageError: ``guardrail.passages`` holds what is no passage, or ``guardrail.question`` is no text.
    """
    search = _Search(trust or Trust())
    for message, place in _messages(body):
        search.message(message, place)
    documents = body.get("documents")
    for number, item in enumerate(documents if isinstance(documents, list) else ()):
        if (read := document(item)) is not None:
            search.add([read], "documents", f"documents[{number}]")
    evidence = search.result()
    ours = body.get("guardrail")
    if not isinstance(ours, Mapping):
        return evidence
    question = ours.get("question")
    if question is not None and not isinstance(question, str):
        raise UsageError(f"guardrail.question must be a text, got {type(question).__name__}.")
    explicit = ours.get("passages")
    found = evidence.found if explicit is None else _given(explicit)
    ignored = evidence.ignored if explicit is None else ()
    return Evidence(found=found, question=question or evidence.question, ignored=ignored)


def _given(passages: Any) -> tuple[Found, ...]:
    try:
        read = read_passages(passages)
    except UsageError as error:
        raise UsageError(f"guardrail.passages: {error}") from None
    return tuple(
        Found(passage=each, kind="guardrail.passages", place=f"guardrail.passages[{number}]")
        for number, each in enumerate(read)
    )


def _messages(body: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The messages of either API, with their places."""
    if isinstance(instructions := body.get("instructions"), str):
        yield {"role": "system", "content": instructions}, "instructions"
    if isinstance(given := body.get("input"), str):
        yield {"role": "user", "content": given}, "input"
    for key in ("messages", "input"):
        listed = body.get(key)
        for number, message in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(message, Mapping):
                yield message, f"{key}[{number}]"


def _parts(content: Any, place: str) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The parts of a content; a text is one part."""
    if isinstance(content, str):
        yield {"type": "text", "text": content}, place.removesuffix(".content") if "[" not in place else place
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if isinstance(part, Mapping):
            yield part, f"{place}[{number}]"


def _str(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None

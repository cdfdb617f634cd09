"""``guardrail demo``: the main job on shipped input. A RAG chain answers, the guard checks, explains and repairs."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Annotated

import typer
from rich.console import Console

from guardrail.cli.show import show
from guardrail.evaluation.data.demo_case import Case, load_case
from guardrail.guard import Guard
from guardrail.policy.by_name import PRESET_OR_FILE, read_policy
from guardrail.types import GuardedAnswer

_TOP = 3


def demo(
    policy: Annotated[str, typer.Option(help=PRESET_OR_FILE)] = "repair",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON lines instead of text.")] = False,
) -> None:
    """Watch a RAG chain's answers being checked: an invented sentence, a namesake's medal, a reversed cause.

    Example: guardrail demo --policy annotate
    """
    guard, case, console = Guard(policy=read_policy(policy)), load_case(), Console(highlight=False)
    ask = langchain_chain(case, guard) if find_spec("langchain_core") else plain_chain(case, guard)
    if not as_json:
        kind = "LangChain retrieval chain" if find_spec("langchain_core") else "retrieval function"
        rules = guard.policy.current().name
        console.print(f"A {kind} over {len(case.documents)} documents; recorded answers, policy {rules}.\n")
    for question, guarded in _answers(case, ask):
        if as_json:
            from guardrail.types.report_json import result_record

            typer.echo(json.dumps(result_record(question, guarded)))
        else:
            console.print(f"[bold]Q[/bold] {question}")
            show(guarded)


def _answers(case: Case, ask: Callable[[str], GuardedAnswer]) -> Iterator[tuple[str, GuardedAnswer]]:
    for question in case.answers:
        yield question, ask(question)


def plain_chain(case: Case, guard: Guard) -> Callable[[str], GuardedAnswer]:
    """Retrieve by word overlap, answer from the record, guard: what any RAG function can do."""
    from guardrail.text.words import Overlap, content_words

    bags = [content_words(f"{d.title} {d.text}") for d in case.documents]
    overlap = Overlap(bags)

    def ask(question: str) -> GuardedAnswer:
        words = content_words(question)
        order = sorted(range(len(bags)), key=lambda i: -overlap.coverage(words, [i]))
        return guard.run(case.answers[question], [case.documents[i] for i in order[:_TOP]], question=question)

    return ask


def langchain_chain(case: Case, guard: Guard) -> Callable[[str], GuardedAnswer]:
    """A real langchain-core chain: in-memory vector store, prompt, chat model with recorded answers, guarded."""
    os.environ.setdefault("LANGCHAIN_TRACING_V2", "false")  # a demo must not phone home
    from guardrail_langchain import guard_chain
    from guardrail_langchain.demo import recorded_rag_chain

    # The answers are recorded, so there are no others to ask for.
    chain = guard_chain(recorded_rag_chain(case.documents, case.answers, top=_TOP), guard, regenerate=False)

    def ask(question: str) -> GuardedAnswer:
        guarded: GuardedAnswer = chain.invoke({"input": question})["guardrail"]
        return guarded

    return ask

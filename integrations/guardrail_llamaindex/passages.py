"""LlamaIndex nodes as passages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from llama_index.core.schema import NodeWithScore

from guardrail import Passage
from guardrail.check.intake import PassageLike

Selector = Callable[[Sequence[NodeWithScore]], Iterable[PassageLike]]
"""Which of an answer's source nodes are passages to check against, and as what."""


def to_passages(nodes: Sequence[NodeWithScore]) -> list[Passage]:
    """Source nodes as passages: node ids are kept, titles come from metadata ``title``."""
    passages: list[Passage] = []
    seen: set[str] = set()
    for number, scored in enumerate(nodes, 1):
        ident = scored.node.node_id
        if not ident or ident in seen:
            ident = f"{ident}#{number}"
        seen.add(ident)
        title = scored.node.metadata.get("title")
        text = scored.node.get_content()
        passages.append(Passage(id=ident, text=text, title=title if isinstance(title, str) else None))
    return passages

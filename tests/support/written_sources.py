"""Sources that are written into texts, as the proxy reads them."""

from __future__ import annotations

from guardrail.retrieval.request.sections import question_in, sources_in

DAM = "The dam is 64 metres high."
OPENED = "It was opened in 1963."


def read(text: str) -> tuple[list[tuple[str, str | None, str, str]], str | None]:
    """Text, title, id and kind of each source, and the question beside them."""
    sources = sources_in(text)
    return [(s.passage.text, s.passage.title, s.passage.id, s.kind) for s in sources], question_in(text, sources)

"""A reader's own words for the answers of tests/engines/llm/replies: replies by what was asked, whatever the instructions."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from guardrail.engines.llm import Completion
from guardrail.engines.llm.protocol import Prompt

FOLDER = Path(__file__).parents[1] / "engines" / "llm" / "replies"
ANSWERS = [json.loads(line) for line in (FOLDER / "answers.jsonl").read_text(encoding="utf-8").splitlines()]


def asked(prompt: Prompt) -> str:
    """Key of a request: its prompt file without the version, and the data; a change of instructions keeps the reply."""
    name = prompt.identity.partition(".v")[0]
    return hashlib.sha256(f"{name}\n{prompt.user}".encode()).hexdigest()[:16]


class RecordedLLM:
    """Replies from ``replies/<name>.jsonl``, lines of ``{"asked": key, "reply": text}``.

    Raises:
        LookupError: nobody has answered this request; the data of a prompt were changed, so it must be read again.
    """

    model = "recorded"

    def __init__(self, name: str) -> None:
        rows = (json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
        self.replies = {row["asked"]: row["reply"] for row in rows}
        self.used: set[str] = set()

    def complete(self, prompt: Prompt, *, timeout: float | None) -> Completion:
        key = asked(prompt)
        if key not in self.replies:
            raise LookupError(f"no reply is recorded for {prompt.identity}, {key}:\n{prompt.user[:2000]}")
        self.used.add(key)
        return Completion(text=self.replies[key], model=self.model)

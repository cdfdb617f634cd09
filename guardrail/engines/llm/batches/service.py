"""What is needed of a provider's batch endpoint, and the settings of batches."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from guardrail.engines.llm.protocol import LLM, AsyncLLM, Prompt, Reply
from guardrail.errors import ConfigurationError

HALF = 0.5
"""Share of the price that OpenAI and Anthropic charge for what a batch asks."""


def _silent(_: str) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSettings:
    """How calls are gathered into batches.

    Attributes:
        state: File that remembers batches and replies until all answers are judged: a second start goes on with it.
        longest_poll: Seconds between two looks at a batch at most; the first comes after one second.
        wait: Seconds to wait for one round of batches; then its answers are UNVERIFIED, and a second start goes on.
        retry_share: Share of a round's requests that may be asked again by ordinary calls, at full price, where the
            batch failed or expired for them; 20 requests may be in any case, unless it is 0.
        at_once: Answers worked on at once between two rounds.
        tell: Is told of batches sent and how far they are, in a line each.

    Raises:
        ConfigurationError: a number is out of its range.
    """

    state: str | Path
    longest_poll: float = 60.0
    wait: float = 25 * 3600.0
    retry_share: float = 0.1
    at_once: int = 8
    tell: Callable[[str], None] = field(default=_silent, repr=False)

    def __post_init__(self) -> None:
        for name in ("longest_poll", "wait"):
            if not 0 < getattr(self, name) < math.inf:
                raise ConfigurationError(f"BatchSettings: {name} must be seconds above 0, got {getattr(self, name)!r}.")
        if not 0 <= self.retry_share <= 1:
            raise ConfigurationError(f"BatchSettings: retry_share must be from 0 to 1, got {self.retry_share!r}.")
        if isinstance(self.at_once, bool) or self.at_once < 1:
            raise ConfigurationError(f"BatchSettings: at_once must be at least 1, got {self.at_once!r}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a batch is: requests done of all. ``failed``: why it was refused as a whole; "" = it was not."""

    ended: bool
    done: int
    total: int
    failed: str = ""


class BatchService(Protocol):
    """A provider's batch endpoint. All methods raise LLMError where a request fails."""

    @property
    def address(self) -> str:
        """Protocol and endpoint; replies of one are not those of another."""
        ...

    @property
    def most_lines(self) -> int:
        """Requests that one batch may hold."""
        ...

    @property
    def most_bytes(self) -> int:
        """Size of one batch."""
        ...

    def line(self, ident: str, prompt: Prompt) -> bytes:
        """One request of a batch as a line of JSON, without its end."""
        ...

    def submit(self, lines: Sequence[bytes], intent: str) -> str:
        """Send a batch; ``intent`` names it where the endpoint keeps such names. Returns its id."""
        ...

    def progress(self, batch: str) -> Progress:
        """How far a batch is."""
        ...

    def results(self, batch: str) -> Iterator[tuple[str, Reply]]:
        """Ids of requests and what came of them, in any order; lines that cannot be read are left out."""
        ...

    def find(self, intent: str, idents: Collection[str], since: float, known: Collection[str]) -> str | None:
        """The id of a batch whose sending was broken off, if it arrived.

        ``since``: ``time.time()`` of the attempt; ``known``: ids of batches that are not it.
        """
        ...


def service_of(llm: LLM | AsyncLLM) -> BatchService:
    """The batch endpoint of a model.

    Raises:
        ConfigurationError: it has none.
    """
    make = getattr(llm, "batch_service", None)
    if make is None:
        raise ConfigurationError(
            f"{type(llm).__name__} has no batch endpoint. Use OpenAILLM or AnthropicLLM, or leave batches out."
        )
    service: BatchService = make()
    return service

"""How a guarded client was set up."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from guardrail.check.intake import PassageLike
from guardrail.errors import UsageError
from guardrail.guard import Guard
from guardrail.streaming.events import Mode
from guardrail.wrap.openai.request import PassagesFrom


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """See GuardedOpenAI."""

    guard: Guard
    mode: Mode
    passages_from: PassagesFrom | None
    allow_unguarded: bool

    def __post_init__(self) -> None:
        if not isinstance(self.guard, Guard):
            raise UsageError(f"guard must be a Guard, got {type(self.guard).__name__}. Write Guard(policy=...).")

    def find(self, passages: Iterable[PassageLike] | None, messages: Sequence[Any]) -> Any:
        """The passages of a call, or an awaitable of them; None where nobody gave any."""
        if passages is not None or self.passages_from is None:
            return passages
        return self.passages_from(messages)

    def refuse(self, name: str) -> NoReturn:
        """Say that this is not checked."""
        raise UsageError(
            f"{name} is not checked by the guard. Use chat.completions.create(..., passages=[...]). Where answers may "
            "leave unchecked, use the client within, or pass allow_unguarded=True to the guarded one."
        )

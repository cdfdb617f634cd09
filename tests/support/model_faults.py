"""All faults of ``guardrail.testing``, and those that only replies in the forms of guardrail.engines.llm can have."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from guardrail.testing import FaultKind, Faults
from tests.support.prompt_names import prompt_name, request_data
from tests.support.short_replies import lengthened, shortened
from tests.support.spoiled_replies import SPOILERS

ALL_KINDS: tuple[str, ...] = (*map(str, FaultKind), *SPOILERS)


class ModelFaults(Faults):
    """Faults that also put wrong content into our own prompts' replies; see ``Faults`` for the arguments."""

    def __init__(self, rate: float = 0.2, *, kinds: Iterable[str] = ALL_KINDS, **options: Any) -> None:
        spoilers = {name: partial(_spoil, name) for name in SPOILERS}
        super().__init__(rate, kinds=kinds, spoilers=spoilers, **options)


def _spoil(name: str, value: dict[str, Any], body: dict[str, Any], draw: Any) -> dict[str, Any] | None:
    prompt, data = prompt_name(body), request_data(body)
    spoiled = SPOILERS[name](lengthened(prompt, value, data), data, draw)
    return None if spoiled is None else shortened(prompt, spoiled)

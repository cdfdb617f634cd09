"""Options of ``--batch``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from guardrail.cli.streams import is_file
from guardrail.errors import UsageError

if TYPE_CHECKING:
    from guardrail.engines.llm.batches.service import BatchSettings


_LONGEST_POLL = 60.0


def batch_settings(file: Path | None, state: Path | None, longest_poll: float | None, *, at_once: int) -> BatchSettings:
    """The settings that these options stand for; what becomes of batches is told on standard error.

    Raises:
        UsageError: there is no file to name the state after.
    """
    from guardrail.engines.llm.batches.service import BatchSettings  # what asks a model is loaded only where one is

    if state is None:
        if file is None or not is_file(file):
            raise UsageError("--batch of the standard input needs --batch-state FILE, to go on with after a stop.")
        state = file.with_name(file.name + ".batch")
    return BatchSettings(
        state=state,
        longest_poll=longest_poll or _LONGEST_POLL,
        at_once=at_once,
        tell=lambda said: typer.echo(said, err=True),
    )

"""Checked answers as they are generated: ``guarded_stream`` and its typed events."""

from guardrail.streaming.events import MODES, Checked, Delta, Finished, Mode, StreamEvent, Withheld
from guardrail.streaming.stream import PassageSource, aguarded_stream, guarded_stream

__all__ = [
    "MODES",
    "Checked",
    "Delta",
    "Finished",
    "Mode",
    "PassageSource",
    "StreamEvent",
    "Withheld",
    "aguarded_stream",
    "guarded_stream",
]

"""Which answers are kept: all that somebody may have to look at, and of the others a known share."""

from __future__ import annotations

from hashlib import blake2b

from guardrail.telemetry.outcome import Outcome
from guardrail.types import Action, Verdict

_FINE = (Verdict.SUPPORTED, Verdict.ABSTAINED)
_LEFT_ALONE = (Action.ALLOW.value, "none")
_WHOLE = 2**64


def is_clean(outcome: Outcome) -> bool:
    """Nothing was objected to and nothing was done."""
    return outcome.verdict in _FINE and outcome.action in _LEFT_ALONE


def chance(outcome: Outcome, sample: float, *, keep_faults: bool) -> float:
    """The share of such answers that is kept (0..1)."""
    return 1.0 if keep_faults and not is_clean(outcome) else sample


def drawn(ident: str, rate: float) -> bool:
    """Whether the answer of this id is among the share ``rate``: always the same, in every process."""
    if rate >= 1.0:
        return True
    digest = blake2b(ident.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest) < rate * _WHOLE

"""What decides a verdict beside the texts: the engine with its model and scorer, the policy, and our version."""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from guardrail.policy.calibration import engine_identity

if TYPE_CHECKING:
    from guardrail.guard import Guard


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Answers judged under one ``id`` (12 hex digits) can be compared and need not be judged again.

    ``engine`` is the identity of the engine: its name, the hash of model and scorer, our version. ``policy`` are the
    policy's fields. ``base``: of a second look, the id of the first.
    """

    id: str
    engine: str
    policy: dict[str, Any]
    base: str | None = None

    def after(self, first: Fingerprint) -> Fingerprint:
        """This engine as the second look at what ``first`` judged."""
        ident = blake2b(f"{first.id} {self.id}".encode(), digest_size=6).hexdigest()
        return Fingerprint(ident, f"{first.engine}, then {self.engine}", self.policy, first.id)


def fingerprint_of(guard: Guard) -> Fingerprint:
    """The fingerprint of a guard.

    Raises:
        ConfigurationError: the engine's folder cannot be read.
    """
    policy = guard.policy.current()
    fields = {name: getattr(policy, name) for name in sorted(policy.__dataclass_fields__)}
    written = json.loads(json.dumps(fields, sort_keys=True, default=str))
    engine = engine_identity(guard.judge)
    told = json.dumps([engine, written, guard.linking], sort_keys=True)
    return Fingerprint(blake2b(told.encode(), digest_size=6).hexdigest(), engine, written)

"""What the engine remembers of earlier replies: by instructions, model, documents and words, never by ids.

So a segment that stands in a regenerated answer again is not judged again. What comes out of a cache is read like a
fresh reply, quotes and all: a cache is no more to be trusted than a model.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from guardrail.engines.llm.caches.memory import Cache
from guardrail.engines.llm.replies import read_object
from guardrail.errors import rust_panics_as_errors
from guardrail.types import Claim, Segment

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReplyMemory:
    """A cache, and a digest of what all keys of one request share (identities of prompts, model, documents)."""

    cache: Cache | None
    scope: str

    def key(self, *parts: object) -> str:
        """Key of these parts in the scope."""
        return digest(self.scope, *parts)

    def recall(self, key: str) -> dict[str, Any] | None:
        """What was remembered under the key; a cache that fails remembers nothing."""
        try:
            with rust_panics_as_errors():
                text = self.cache.get(key) if self.cache is not None else None
        except Exception as error:  # somebody's cache must not cost a verdict
            _log.warning("the cache failed", exc_info=error)
            return None
        return read_object(text) if text is not None else None

    def remember(self, key: str, raw: Mapping[str, Any]) -> None:
        """Keep a reply under the key."""
        try:
            if self.cache is not None:
                with rust_panics_as_errors():
                    self.cache.set(key, json.dumps(raw, ensure_ascii=True))
        except Exception as error:  # see recall
            _log.warning("the cache failed", exc_info=error)


def digest(*parts: object) -> str:
    """SHA-256 of anything that JSON can hold."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True, sort_keys=True).encode()).hexdigest()


def without_ids(raw: Mapping[str, Any], claims: Sequence[Claim]) -> dict[str, Any]:
    """A complete reply about a segment, its points in the order of the claims and without ids."""
    by_id = {point["id"]: point for point in raw["points"]}
    return {**raw, "id": "", "points": [{**by_id[claim.id], "id": ""} for claim in claims]}


def with_ids(kept: Mapping[str, Any], segment: Segment, claims: Sequence[Claim]) -> dict[str, Any] | None:
    """The same as a reply about this segment; None if it does not fit."""
    points = kept.get("points")
    if not isinstance(points, list) or len(points) != len(claims) or not all(isinstance(p, dict) for p in points):
        return None
    named = [{**point, "id": claim.id} for point, claim in zip(points, claims, strict=True)]
    return {**kept, "id": segment.id, "points": named}

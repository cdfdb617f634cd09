"""Namesakes: which individuals the passages describe, and which one each part of the answer speaks of."""

from guardrail.entities.groups import group
from guardrail.entities.link import Mix, link, mixed
from guardrail.entities.passages import cluster

__all__ = ["Mix", "cluster", "group", "link", "mixed"]

"""Namesakes: which individuals the passages describe, and which one each part of the answer speaks of."""

from guardrail.check.entities.groups import group
from guardrail.check.entities.individuals import cluster
from guardrail.check.entities.link import Mix, biographies, link, mixed, named_groups

__all__ = ["Mix", "biographies", "cluster", "group", "link", "mixed", "named_groups"]

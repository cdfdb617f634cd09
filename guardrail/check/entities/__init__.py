"""Namesakes: which individuals the passages describe, and which one each part of the answer speaks of."""

from guardrail.check.entities.biographies import biographies, named_groups
from guardrail.check.entities.groups import group
from guardrail.check.entities.link import LINKINGS, Linking, Mix, link, mixed
from guardrail.check.entities.passages import cluster

__all__ = ["LINKINGS", "Linking", "Mix", "biographies", "cluster", "group", "link", "mixed", "named_groups"]

"""Namesakes: which individuals the passages describe, and which one each part of the answer speaks of."""

from guardrail.entities.biographies import biographies, named_groups
from guardrail.entities.groups import group
from guardrail.entities.link import LINKINGS, Linking, Mix, link, mixed
from guardrail.entities.passages import cluster

__all__ = ["LINKINGS", "Linking", "Mix", "biographies", "cluster", "group", "link", "mixed", "named_groups"]

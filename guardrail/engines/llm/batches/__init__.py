"""Calls of many answers at half the price: gathered per round, sent as batch files, matched by id (docs/llm.md)."""

"""An LLM as judge: the three seed methods in two round trips (docs/llm.md)."""

"""Input of ``guardrail demo``: documents, questions, and the answers that a model gave to them."""

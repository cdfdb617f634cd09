"""Requests to a model: calls, retries, breaker, budget, limits, failures."""

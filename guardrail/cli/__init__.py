"""Command line: ``guardrail --help``."""

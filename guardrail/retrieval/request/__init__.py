"""Passages that a request brings: in our field, in tagged parts, in results of tools, written into its messages."""

"""The rewriter that needs no model."""

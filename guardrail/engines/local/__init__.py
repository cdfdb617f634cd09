"""The shipped engine: a small cross-encoder, rules as signals, and a fitted scorer."""

"""Where verdicts of a model are kept: memory, disk, Redis."""

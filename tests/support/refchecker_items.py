"""Items in RefChecker's format."""

from __future__ import annotations

DAM = "Larkmoor Dam was built between 1958 and 1963."


HIGH = "It is 64 metres high."


WRONG = "Rita Halloway designed it."


REFERENCE = f"{DAM} {HIGH}"


def item(**fields):
    """An item in RefChecker's own order of keys."""
    return {"reference": REFERENCE, "question": "What is Larkmoor Dam?", "response": f"{DAM} {HIGH} {WRONG}"} | fields

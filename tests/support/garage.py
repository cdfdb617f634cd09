"""What chains answer about a garage: one sentence of three is invented."""

from __future__ import annotations

FACT, INVENTED, END = "The garage opens at 6:00.", "Parking was invented by a duke.", "A day costs 14 euros."
RAW = f"{FACT} {INVENTED} {END}"
QUESTION = "When does the garage open?"

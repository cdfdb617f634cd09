"""Questions to recorded answers: which ones, how many of them are faulty, and what changed. No HTTP in here."""

"""The studio: a local page to check answers, look at recorded ones, label them and set thresholds."""

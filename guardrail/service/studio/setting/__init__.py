"""Thresholds: labelled answers judged for every threshold, and the policy file that one is written to."""

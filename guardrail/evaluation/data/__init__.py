"""Readers of labelled data, one module per format. Each yields labelled answers, and a BadRow for a bad row."""

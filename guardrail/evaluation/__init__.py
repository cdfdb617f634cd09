"""Measure the guard on labelled answers, and set its threshold from them."""

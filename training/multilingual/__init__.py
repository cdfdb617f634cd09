"""The reader of six languages: multilingual-e5-small, reading a premise once for all claims.

Order: ``base``, ``train`` (resumable, each run from the last weights), ``export``.
"""

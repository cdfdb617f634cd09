"""The larger reader: MPNet, reading a premise once for all claims; an engine of its own and a teacher of smaller ones.

Order: ``download``, ``train`` (resumable, each run from the last weights), ``export``.
"""

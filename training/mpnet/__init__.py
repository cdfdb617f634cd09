"""The larger reader: MPNet as a cross-encoder, for an engine of its own and as a teacher of smaller ones.

Order: ``download``, ``training.stage --reader mpnet`` (as often as time allows, each run from the last weights),
``export``. Not shipped yet: see docs/model-card.md.
"""

"""The larger reader: MPNet as a cross-encoder, for an engine of its own and as a teacher of smaller ones.

Per pair it learns by far the most of the bases that ordinary packages bring (issue of the base models in
docs/decisions/base-model.md); training hours decide. Order: ``download``, ``train`` (as often as time allows, each run
from the weights of the last), ``export``.
"""

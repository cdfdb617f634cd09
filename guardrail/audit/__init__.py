"""Millions of logged answers judged, here or on a Ray cluster: how bad it was, where, and which documents did it.

from guardrail.audit import audit
audit("logs/*.parquet", "audit")
"""

from guardrail.audit.audit import Audited, Progress, audit
from guardrail.audit.columns import Columns
from guardrail.audit.on_ray import Cluster
from guardrail.audit.sources import FORMATS, Source, open_source

__all__ = ["FORMATS", "Audited", "Cluster", "Columns", "Progress", "Source", "audit", "open_source"]

"""Two audits side by side: what became better, what worse, and where."""

from guardrail.audit.compare.comparison import Comparison, compare
from guardrail.audit.compare.written import changes_of, write_comparison

__all__ = ["Comparison", "changes_of", "compare", "write_comparison"]

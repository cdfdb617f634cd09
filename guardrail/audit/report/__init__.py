"""What came of an audit: how bad, where, and because of which documents; as HTML, Markdown and tables."""

from guardrail.audit.report.figures import Figures, figures_of
from guardrail.audit.report.written import write_report

__all__ = ["Figures", "figures_of", "write_report"]

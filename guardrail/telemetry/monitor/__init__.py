"""What an operator needs to watch guarded answers: Prometheus rules, alerts and dashboards, and a /metrics to scrape.

from guardrail.telemetry.monitor import serve_metrics, write_files
serve_metrics()                # in the service: http://127.0.0.1:9464/metrics
write_files("monitoring")      # then: prometheus --config.file=monitoring/prometheus.yml
"""

from guardrail.telemetry.monitor.files import write_files
from guardrail.telemetry.monitor.serve import MetricsServer, serve_metrics

__all__ = ["MetricsServer", "serve_metrics", "write_files"]

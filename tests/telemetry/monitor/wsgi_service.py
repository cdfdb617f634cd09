"""A guarded WSGI service with records and metrics for test_gunicorn.py, loaded before its workers fork."""

from __future__ import annotations

import os

from guardrail import Guard
from guardrail.telemetry import Telemetry
from guardrail.telemetry.monitor import serve_metrics
from guardrail.telemetry.records import RecordStore
from guardrail.testing import FakeEngine

serve_metrics(int(os.environ["METRICS_PORT"]))
store = RecordStore(os.environ["RECORDS_FILE"], sample=1.0)
guard = Guard(engine=FakeEngine(), telemetry=Telemetry(recorder=store))
guard.run("The bridge opened in 1931.", ["The bridge opened in 1931."])  # it has worked before the fork


def app(environ, start_response):
    """Deliver one guarded answer, and say which worker it was."""
    guard.run("The bridge opened in 1931.", ["The bridge opened in 1931."])
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]

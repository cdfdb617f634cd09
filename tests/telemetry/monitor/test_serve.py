"""A /metrics for services without OpenTelemetry. Each case is a process: a MeterProvider can be set once in it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = os.pathsep.join(filter(None, [str(Path.cwd()), os.environ.get("PYTHONPATH")]))
START = """
import socket, urllib.request
from opentelemetry import metrics
from guardrail.errors import *
from guardrail.telemetry.monitor import serve_metrics
read = lambda url: urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5).read().decode()
def refused(call, *arguments):
    try:
        call(*arguments)
    except GuardrailError as error:
        return f"{type(error).__name__}: {error}"
"""


def python(code):
    """What the code prints, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", START + code],
        env=os.environ | {"PYTHONPATH": ROOT},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_a_guard_made_before_is_served_too_until_it_is_closed():
    """With the buckets that the guard advises; the port is free again afterwards."""
    (said,) = python("""
from guardrail import Guard
from guardrail.testing import FakeEngine
guard = Guard(engine=FakeEngine())
with serve_metrics(0) as served:
    guard.check("The Rhine flows through Basel.", ["The Rhine flows through Basel."])
    page = read(served.url)
    assert served.url == f"http://127.0.0.1:{served.port}/metrics"
served.close()
with socket.create_server(("127.0.0.1", served.port)):
    pass
print([line.split("{")[0] for line in page.splitlines() if line.startswith("guardrail_answers_total")],
      'guardrail_check_duration_seconds_bucket{engine="fake",le="0.0025"' in page)
""")
    assert said == "['guardrail_answers_total'] True"


def test_it_is_refused_where_a_provider_is_set():
    """The message says how to go on; nothing keeps listening."""
    second, other = python("""
with serve_metrics(0):
    print(refused(serve_metrics, 0))
print(refused(serve_metrics, 0))
""")
    assert second == other
    assert second.startswith("ConfigurationError: this process has a MeterProvider already. Add opentelemetry.exporter")


def test_a_provider_of_another_kind_is_left_alone():
    """One that is not the SDK's."""
    said, kept = python("""
import logging
logging.disable(logging.WARNING)  # opentelemetry warns of the attempt
from opentelemetry.metrics import NoOpMeterProvider
own = NoOpMeterProvider()
metrics.set_meter_provider(own)
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
print(refused(serve_metrics, port))
with socket.create_server(("127.0.0.1", port)):
    print(metrics.get_meter_provider() is own)
""")
    assert said.startswith("ConfigurationError: this process has a MeterProvider already")
    assert kept == "True"


def test_a_port_that_is_taken_can_be_mended():
    """Nothing is set up then, so a second call works."""
    said, counted = python("""
with socket.create_server(("127.0.0.1", 0)) as taken:
    port = taken.getsockname()[1]
    print(refused(serve_metrics, port).replace(str(port), "PORT"))
with serve_metrics(0) as served:
    metrics.get_meter("test").create_counter("calls").add(1)
    print([line.split("{")[0] for line in read(served.url).splitlines() if line.startswith("calls_total")])
""")
    assert (
        said
        == "UsageError: cannot serve metrics at '127.0.0.1', port PORT: Address already in use. Name another port or host."
    )
    assert counted == "['calls_total']"


@pytest.mark.parametrize("port", ["-1", "65536", "'9464'", "None", "True"])
def test_what_is_no_port_is_refused(port):
    """Before anything is set up."""
    from guardrail.errors import ConfigurationError
    from guardrail.telemetry.monitor import serve_metrics

    with pytest.raises(ConfigurationError, match="port must be a number from 0 to 65535"):
        serve_metrics(eval(port))


@pytest.mark.parametrize("host", [None, "", 5])
def test_what_is_no_host_is_refused(host):
    """None would listen on all addresses."""
    from guardrail.errors import ConfigurationError
    from guardrail.telemetry.monitor import serve_metrics

    with pytest.raises(ConfigurationError, match="host must be a name or an address"):
        serve_metrics(0, host)


def test_a_name_that_nobody_can_look_up_is_an_error_of_the_caller():
    """Not a traceback."""
    (said,) = python("print(refused(serve_metrics, 0, 'x' * 80))")
    assert said.startswith("UsageError: cannot serve metrics at 'xxx")


def test_a_fork_that_closes_does_not_wait_for_ever():
    """It has no thread that serves; its parent serves on."""
    ended, page = python("""
import os, signal
with serve_metrics(0) as served:
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        served.close()
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    print("python_info" in read(served.url))
""")
    assert (ended, page) == ("7", "True")


def test_a_missing_extra_names_the_line_that_installs_it():
    """The package itself imports without it."""
    (said,) = python("""
import sys
sys.modules["opentelemetry.exporter.prometheus"] = None
print(refused(serve_metrics))
""")
    assert said == 'MissingExtraError: serve_metrics needs OpenTelemetry: pip install "rag-guardrail[monitoring]".'


def test_importing_the_package_imports_no_sdk():
    """Nor a client of Prometheus."""
    (said,) = python("""
import sys, guardrail.telemetry.monitor
print([name for name in ("opentelemetry.sdk", "prometheus_client", "opentelemetry.exporter") if name in sys.modules])
""")
    assert said == "[]"

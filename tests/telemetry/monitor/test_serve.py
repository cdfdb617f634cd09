"""A /metrics for services without OpenTelemetry. Each case is a process: a MeterProvider can be set once in it."""

from __future__ import annotations

import pytest

from tests.telemetry.monitor.processes import run_python

pytestmark = pytest.mark.clock

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


def python(code, **environment):
    """What the code prints, in a process of its own."""
    done = run_python(START + code, "-W", "error", **environment)
    assert [line for line in done.stderr.splitlines() if "was forked after serve_metrics" not in line] == []
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


def test_an_address_that_is_not_ours_can_be_mended():
    """Nothing is set up then, so a second call works."""
    said, counted = python("""
print(refused(serve_metrics, 9464, "192.0.2.1"))
with serve_metrics(0) as served:
    metrics.get_meter("test").create_counter("calls").add(1)
    print([line.split("{")[0] for line in read(served.url).splitlines() if line.startswith("calls_total")])
""")
    assert said == (
        "UsageError: cannot serve metrics at '192.0.2.1', port 9464: Cannot assign requested address. "
        "Name another port or host."
    )
    assert counted == "['calls_total']"


def test_a_port_that_is_taken_stops_no_service():
    """The next free one is taken; a warning names both and says what to do."""
    said, page = python("""
import logging, sys
logging.basicConfig(stream=sys.stdout, format="%(message)s")
with socket.create_server(("127.0.0.1", 0)) as taken:
    port = taken.getsockname()[1]
    with serve_metrics(port) as served:
        assert served.port != port
        print("python_info" in read(served.url))
""")
    assert "is in use: the metrics of this process are on port" in said
    assert "PROMETHEUS_MULTIPROC_DIR" in said
    assert page == "True"


def test_with_a_folder_the_process_that_has_the_port_serves_the_page(tmp_path):
    """The others only count; a folder that cannot be one is refused."""
    folder = tmp_path / "made" / "here"
    page, refusal = python(
        """
import os
from pathlib import Path
from guardrail import Guard
from guardrail.telemetry.monitor import serve
from guardrail.telemetry.monitor.workers import shared_page
from guardrail.testing import FakeEngine
from prometheus_client import start_http_server
Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]).mkdir(parents=True)
page = shared_page(Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]))
with start_http_server(0, "127.0.0.1", page)[0] as first, serve_metrics(first.server_port) as served:
    Guard(engine=FakeEngine()).check("It is long.", ["It is long."])
    print("guardrail_answers_total{" in read(served.url))
    first.shutdown()
print(refused(serve.usable_folder, "/dev/null/x"))
""",
        PROMETHEUS_MULTIPROC_DIR=str(folder),
    )
    assert page == "True"
    assert refusal == (
        "ConfigurationError: PROMETHEUS_MULTIPROC_DIR is '/dev/null/x', and cannot be a folder: Not a directory."
    )


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
        signal.alarm(60)
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

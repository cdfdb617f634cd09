"""The log: a JSON object a line, and no text of an exception."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import Any

from guardrail.service.logs import JsonLines, place_of


def fail() -> None:
    raise ValueError("my secret answer")


def raised() -> Exception:
    try:
        fail()
    except ValueError as error:
        return error
    raise AssertionError("it did not fail")


def line_of(error: Exception | None = None, **fields: Any) -> dict[str, Any]:
    record = logging.LogRecord("guardrail.service", logging.WARNING, __file__, 1, "took %d", (7,), None)
    if error is not None:
        record.exc_info = (type(error), error, error.__traceback__)
    record.fields = fields
    text = JsonLines().format(record)
    assert "\n" not in text
    line: dict[str, Any] = json.loads(text)
    return line


def test_a_record_is_one_line_with_its_fields() -> None:
    line = line_of(route="/v1/run", note="zwei\nZeilen: ü")
    assert (line["level"], line["logger"], line["message"]) == ("warning", "guardrail.service", "took 7")
    assert (line["route"], line["note"]) == ("/v1/run", "zwei\nZeilen: ü")
    assert line["time"].endswith("Z")
    assert "error" not in line


def test_of_an_exception_its_kind_and_place_are_told_only() -> None:
    error = raised()
    assert place_of(error).startswith("ValueError test_logs.py:")
    line = line_of(error)
    assert line["error"] == place_of(error)
    assert "secret" not in json.dumps(line)
    assert place_of(ValueError("never raised")) == "ValueError"


def test_all_logs_of_a_process_go_to_standard_error_from_their_level_on() -> None:
    script = """
import logging
from guardrail.service.logs import log_as_json
log_as_json("info")
logging.getLogger("guardrail.service").info("ours")
logging.getLogger("guardrail.service").debug("too small")
logging.getLogger("uvicorn.error").info("the server's")
logging.getLogger("uvicorn.access").info("a path with texts")
logging.getLogger("some.library").info("chatter")
logging.getLogger("some.library").warning("a warning")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    said = [json.loads(line)["message"] for line in done.stderr.splitlines()]
    assert said == ["ours", "the server's", "a warning"]
    assert done.stdout == ""

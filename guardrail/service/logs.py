"""The log: one JSON object per line, without texts of answers, passages and requests."""

from __future__ import annotations

import json
import logging
import sys
import time
import traceback
from pathlib import PurePath


class JsonLines(logging.Formatter):
    """A record as one line. Of an exception its kind and place are told: what it says may hold texts or secrets."""

    def format(self, record: logging.LogRecord) -> str:
        """See logging.Formatter."""
        line = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created)) + f".{int(record.msecs):03}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = place_of(record.exc_info[1])
        return json.dumps(line, ensure_ascii=False)


def place_of(error: BaseException) -> str:
    """The kind of an exception, and where it was raised."""
    last = traceback.extract_tb(error.__traceback__)[-1:]
    return " ".join([type(error).__name__, *(f"{PurePath(frame.filename).name}:{frame.lineno}" for frame in last)])


def log_as_json(level: str) -> None:
    """Send all logs of this process to standard error, as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("guardrail").setLevel(level.upper())
    uvicorn = logging.getLogger("uvicorn")
    uvicorn.handlers.clear()
    uvicorn.propagate = True
    uvicorn.setLevel(max(logging.INFO, logging.getLevelName(level.upper())))
    logging.getLogger("uvicorn.access").disabled = True  # as in `configured`; a spawned worker does not come by there

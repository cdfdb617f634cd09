"""Labelled answers of a bridge, in a file, and ``guardrail eval`` on them."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from guardrail.cli.main import app

BRIDGE = "The bridge opened in 1931. It is 300 metres long."


ROWS = [
    {"id": "1", "answer": "The bridge opened in 1931.", "passages": [BRIDGE], "label": "supported"},
    {
        "id": "2",
        "answer": "The bridge opened in 1971.",
        "passages": [BRIDGE],
        "label": "contradicted",
        "error_type": "contradiction",
    },
    {"id": "3", "answer": "The bridge is 300 metres long.", "passages": [BRIDGE], "label": "supported"},
    {
        "id": "4",
        "answer": "Elephants cross it daily.",
        "passages": [BRIDGE],
        "label": "unsupported",
        "error_type": "<b>'odd' & \"type\"</b>",
    },
    {"id": "5", "answer": "I could not find this in the documents.", "passages": [BRIDGE], "label": "abstained"},
]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["eval", *map(str, arguments)], env={"COLUMNS": "200"})

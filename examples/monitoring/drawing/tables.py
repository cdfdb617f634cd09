"""Tables as Grafana makes them of several answers: merged by their labels, columns renamed, sorted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from drawing.dashboard import Series

Row = dict[str, float | str]


def rows(panel: Mapping[str, Any], answers: Sequence[Sequence[Series]]) -> list[Row]:
    """One row per set of labels, with a value of each query that has one; sorted as the panel says."""
    organize = next(t["options"] for t in panel["transformations"] if t["id"] == "organize")
    renamed, left_out = organize["renameByName"], organize["excludeByName"]
    merged: dict[tuple[tuple[str, str], ...], Row] = {}
    for i, series in enumerate(answers):
        raw = "Value" if len(answers) == 1 else f"Value #{chr(65 + i)}"
        for one in series:
            key = tuple(sorted(one.labels.items()))
            row = merged.setdefault(key, {renamed.get(k, k): v for k, v in one.labels.items()})
            if not left_out.get(raw):
                row[renamed.get(raw, raw)] = one.points[-1][1]
    by = panel["options"]["sortBy"][0]
    last = float("-inf") if by["desc"] else ""
    return sorted(merged.values(), key=lambda row: row.get(by["displayName"], last), reverse=by["desc"])


def columns(panel: Mapping[str, Any], found: Sequence[Row]) -> list[str]:
    """Names of the columns: labels first, then the queries in their order."""
    organize = next(t["options"] for t in panel["transformations"] if t["id"] == "organize")
    values = [name for raw, name in organize["renameByName"].items() if raw.startswith("Value")]
    seen = dict.fromkeys(name for row in found for name in row)
    return [n for n in seen if n not in values] + [n for n in dict.fromkeys(values) if n in seen]

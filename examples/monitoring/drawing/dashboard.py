"""Reads a Grafana dashboard and asks a Prometheus what its panels show, its variables filled in as by Grafana."""

from __future__ import annotations

import json
import re
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

SHIPPED = Path(find_spec("guardrail").origin).parent / "telemetry" / "monitor" / "files" / "grafana" / "guardrail.json"
_VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)(?::(?P<format>\w+))?\}|(?P<bare>\w+))")
_LABEL_VALUES = re.compile(r"label_values\((?P<selector>.+), *(?P<label>\w+)\)")
_SPECIAL = re.compile(r"[\\$^*{}\[\]'+?.()|]")  # of regular expressions, which stand in quotes in a query
_LEGEND = re.compile(r"\{\{ *(\w+) *\}\}")
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


@dataclass(frozen=True)
class Panel:
    """One panel; ``grid`` is x, y, width, height in Grafana's units (24 columns)."""

    id: int
    type: str
    title: str
    grid: tuple[int, int, int, int]
    targets: tuple[Mapping[str, Any], ...]
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def look(self) -> Mapping[str, Any]:
        """Unit, thresholds, limits and colours."""
        found: Mapping[str, Any] = self.raw["fieldConfig"]["defaults"]
        return found


@dataclass(frozen=True)
class Series:
    """One line of an answer: its labels, its name as the legend has it, and (unix seconds, value) points."""

    labels: Mapping[str, str]
    name: str
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Dashboard:
    """A dashboard file."""

    raw: Mapping[str, Any]

    @classmethod
    def read(cls, path: Path = SHIPPED) -> Dashboard:
        """The dashboard of a file; the shipped one by default."""
        return cls(json.loads(path.read_text(encoding="utf-8")))

    @property
    def panels(self) -> tuple[Panel, ...]:
        """All panels, rows and those inside collapsed rows included, in their order."""
        found: list[Mapping[str, Any]] = []
        for panel in self.raw["panels"]:
            found += [panel, *panel.get("panels", ())]
        return tuple(
            Panel(
                id=p["id"],
                type=p["type"],
                title=p["title"],
                grid=(p["gridPos"]["x"], p["gridPos"]["y"], p["gridPos"]["w"], p["gridPos"]["h"]),
                targets=tuple(p.get("targets", ())),
                raw=p,
            )
            for p in found
        )

    @property
    def annotations(self) -> tuple[Mapping[str, Any], ...]:
        """Annotations that a query finds."""
        return tuple(a for a in self.raw["annotations"]["list"] if "target" in a)

    def values(self, prometheus: Prometheus, chosen: Mapping[str, str | tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        """The values of all variables: what was ``chosen``, else what the dashboard starts with.

        Raises:
            KeyError: the dashboard has no such variable.
        """
        known = {v["name"]: v for v in self.raw["templating"]["list"]}
        if unknown := set(chosen) - set(known):
            raise KeyError(f"no variable {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
        values: dict[str, tuple[str, ...]] = {}
        for name, variable in known.items():
            value = chosen.get(name, variable.get("current", {}).get("value", ""))
            picked = (value,) if isinstance(value, str) else tuple(value)
            if picked == ("$__all",):
                picked = (variable.get("allValue"),) if variable.get("allValue") else None
                picked = picked or prometheus.label_values(substitute(variable["query"]["query"], values))
            elif variable["type"] == "query":
                picked = tuple(_quoted(v) for v in picked)
            values[name] = picked
        return values


def substitute(text: str, values: Mapping[str, tuple[str, ...]]) -> str:
    """The text with its variables filled in: several values as ``(a|b)``, or ``a,b`` for ``${name:csv}``.

    Raises:
        KeyError: it names a variable that has no value.
    """

    def fill(match: re.Match[str]) -> str:
        value = values[match["braced"] or match["bare"]]
        if match["format"] == "csv":
            return ",".join(value)
        return value[0] if len(value) == 1 else f"({'|'.join(value)})"

    return _VARIABLE.sub(fill, text)


@dataclass(frozen=True)
class Prometheus:
    """The HTTP API of a Prometheus server; raises OSError where it does not answer or refuses."""

    url: str

    def get(self, path: str, **parameters: object) -> Any:
        """``data`` of an answer below /api/v1."""
        query = urllib.parse.urlencode(parameters, doseq=True)
        with _OPENER.open(f"{self.url.rstrip('/')}/api/v1/{path}?{query}", timeout=30) as reply:
            return json.load(reply)["data"]

    def label_values(self, query: str) -> tuple[str, ...]:
        """What Grafana's ``label_values(selector, label)`` gives."""
        match = _LABEL_VALUES.fullmatch(query)
        if match is None:
            raise ValueError(f"not a label_values query: {query}")
        return tuple(self.get(f"label/{match['label']}/values", **{"match[]": match["selector"]}))

    def scrape_interval(self) -> float:
        """Seconds between two scrapes of the most frequent target; 15 where there is none."""
        targets = self.get("targets", state="active")["activeTargets"]
        return min((_seconds(t["scrapeInterval"]) for t in targets), default=15.0)


@dataclass(frozen=True)
class Window:
    """The time range of a dashboard, in unix seconds; ``scrape`` is the data source's scrape interval."""

    start: float
    end: float
    scrape: float = 15.0
    points: int = 300

    @property
    def step(self) -> float:
        """Seconds between two points."""
        return max(self.scrape, (self.end - self.start) / self.points)

    @property
    def values(self) -> dict[str, tuple[str, ...]]:
        """Grafana's own variables for this range."""
        rate = max(self.step + self.scrape, 4 * self.scrape)
        given = {"__interval": self.step, "__rate_interval": rate, "__range": self.end - self.start}
        return {name: (f"{max(1, round(value))}s",) for name, value in given.items()}


def ask(
    prometheus: Prometheus, target: Mapping[str, Any], values: Mapping[str, tuple[str, ...]], window: Window
) -> tuple[Series, ...]:
    """What a target of a panel gives over the window; an instant target gives one point, at its end."""
    expr = substitute(target["expr"], {**values, **window.values})
    if target.get("instant"):
        result = prometheus.get("query", query=expr, time=window.end)["result"]
        found = [(r["metric"], [r["value"]]) for r in result]
    else:
        result = prometheus.get("query_range", query=expr, start=window.start, end=window.end, step=window.step)[
            "result"
        ]
        found = [(r["metric"], r["values"]) for r in result]
    legend = substitute(target.get("legendFormat", ""), {**values, **window.values})
    return tuple(
        Series(labels, _name(legend, labels), tuple((float(at), float(value)) for at, value in points))
        for labels, points in found
    )


def _quoted(value: str) -> str:
    """The value itself as a regular expression, inside the quotes of a query: a backslash there is two."""
    return _SPECIAL.sub(lambda match: "\\\\" + match[0].replace("\\", "\\\\"), value)


def _name(legend: str, labels: Mapping[str, str]) -> str:
    return " ".join(_LEGEND.sub(lambda match: labels.get(match[1], ""), legend).split())


def _seconds(duration: str) -> float:
    units = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
    return sum(float(n) * units[unit] for n, unit in re.findall(r"(\d+)(ms|s|m|h|d)", duration))

"""The same rules, only faster: every duration of a configuration divided by a pace, for demos and tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

import yaml

_CLOCKS = frozenset({"interval", "scrape_interval", "scrape_timeout", "evaluation_interval", "timeInterval"})
_DELAYS = frozenset({"for", "keep_firing_for", "eval_time"})
_QUERIES = frozenset({"expr"})

_SHORTEST_CLOCK = 1_000
_SHORTEST_WINDOW = 4_000
"""Milliseconds; increase() needs two samples in a window, and some of them may come late."""

_UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000, "y": 31_536_000_000}
_STEP = re.compile(r"(\d+)(ms|[smhdwy])")
_TOKEN = re.compile(
    r"""
      "(?:\\.|[^"\\])*" | '(?:\\.|[^'\\])*' | `[^`]*`   # strings
    | \#[^\n]*                                          # comments
    | [A-Za-z_][A-Za-z0-9_:]*                           # names: increase1h stays increase1h
    | (?P<duration>(?:\d+(?:ms|[smhdwy]))+)(?![A-Za-z0-9_])
    | \d+(?:\.\d*)?(?:[eE][+-]?\d+)?
    """,
    re.VERBOSE,
)


def paced(text: str, pace: float) -> str:
    """A Prometheus, rule, rule test or Grafana file in YAML with all its durations divided by ``pace``.

    Clocks (scrapes, evaluations) stay at 1 s or above, windows and offsets of queries at 4 s. All other text, comments
    included, stays as it is.
    """
    if pace == 1:
        return text
    places = [(0, 0, ""), *sorted(_changes(text, pace)), (len(text), len(text), "")]
    pieces = [new + text[end:start] for (_, end, new), (start, _, _) in pairwise(places)]
    return "".join(pieces)


def paced_query(query: str, pace: float) -> str:
    """A PromQL expression with its windows, steps and offsets divided by ``pace``."""

    def divide(match: re.Match[str]) -> str:
        duration = match["duration"]
        return match[0] if duration is None else _divided(duration, pace, _SHORTEST_WINDOW)

    return _TOKEN.sub(divide, query)


def _changes(text: str, pace: float) -> Iterator[tuple[int, int, str]]:
    """Where the values that hold durations start and end in the text, and what they become."""
    for key, node in _scalars(yaml.compose(text, Loader=yaml.SafeLoader)):
        quotes = 1 if node.style in ("'", '"') else 0
        start, end = node.start_mark.index + quotes, node.end_mark.index - quotes
        value = text[start:end]
        if key in _QUERIES:
            yield start, end, paced_query(value, pace)
        elif key in _CLOCKS:
            yield start, end, _divided(value, pace, _SHORTEST_CLOCK)
        elif key in _DELAYS:
            yield start, end, _divided(value, pace, 0)


def _scalars(node: yaml.Node | None) -> Iterator[tuple[str, yaml.ScalarNode]]:
    """Scalar values of mappings, at any depth, with their keys."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _scalars(item)
    elif isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(value, yaml.ScalarNode):
                yield key.value, value
            else:
                yield from _scalars(value)


def _divided(duration: str, pace: float, shortest: int) -> str:
    whole = sum(int(count) * _UNITS[unit] for count, unit in _STEP.findall(duration))
    part = max(round(whole / pace), shortest)
    return f"{part // 1000}s" if part % 1000 == 0 else f"{part}ms"

"""The folder that ships: written where an operator wants it, for their targets."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from guardrail.errors import ConfigurationError, UsageError
from guardrail.telemetry.monitor.pace import paced

TARGET = "127.0.0.1:9464"
JOB = "guardrail"

_SLOWEST = 0.001
"""Pace with windows of years; Prometheus takes none of centuries."""

_TARGET = re.compile(r"(?:\[[\w:.%-]+\]|[\w.-]+):(\d{1,5})", re.ASCII)
_JOB = re.compile(r"[\w.:/@-]+")


def write_files(
    folder: str | os.PathLike[str],
    *,
    targets: Iterable[str] = (TARGET,),
    job: str = JOB,
    pace: float = 1.0,
    force: bool = False,
) -> tuple[Path, ...]:
    """Write Prometheus configuration, rules, alerts and Grafana dashboard, ready to run as they are.

    Args:
        folder: Where to; made if it does not exist.
        targets: Where the guarded service serves /metrics, as ``host:port``.
        job: Prometheus' name for the service; its alerts look at it.
        pace: Divides all windows, delays and intervals, so that a demo shows in seconds what takes hours. Scrapes and
            evaluations stay at 1 s or above, windows at 4 s.
        force: Write over files that are there.

    Returns:
        The files written.

    Raises:
        ConfigurationError: a target, the job or the pace cannot be used.
        UsageError: a file is there already and ``force`` is not given (then nothing is written), or cannot be written.
    """
    wanted = _read_targets(targets)
    if not isinstance(job, str) or not _JOB.fullmatch(job):
        raise ConfigurationError(f"job must be a name of letters, digits and . : / @ _ -, got {job!r}.")
    if not isinstance(pace, (int, float)) or not math.isfinite(pace) or not pace >= _SLOWEST:
        raise ConfigurationError(
            f"pace must be a number from {_SLOWEST} on, got {pace!r}. 1 is real time, 60 makes hours minutes."
        )
    shipped = {
        Path(folder) / name: _filled(text, wanted, job, pace) if name.endswith((".yml", ".yaml")) else text
        for name, text in _shipped()
    }
    there = [path for path in shipped if os.path.lexists(path)]
    if there and not force:
        raise UsageError(
            f"{str(there[0])!r} is there already{f', and {len(there) - 1} more' if there[1:] else ''}. "
            "Name another folder, or force to write over it."
        )
    for path, text in shipped.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise UsageError(f"cannot write {str(path)!r}: {error.strerror}.") from error
    return tuple(shipped)


def _read_targets(targets: Iterable[str]) -> tuple[str, ...]:
    if isinstance(targets, str):
        raise ConfigurationError(
            f"targets must be a list of 'host:port', got the str {targets!r}. Write [{targets!r}]."
        )
    wanted = tuple(targets)
    for target in wanted:
        match = _TARGET.fullmatch(target) if isinstance(target, str) else None
        if match is None or not 0 < int(match[1]) <= 65535:
            raise ConfigurationError(
                f"a target is host:port, such as {TARGET} or [::1]:9464, got {target!r}. "
                "Scheme and path go into prometheus.yml."
            )
    if not wanted:
        raise ConfigurationError(f"targets is empty. Name where the service serves /metrics, such as {TARGET}.")
    return wanted


def _filled(text: str, targets: tuple[str, ...], job: str, pace: float) -> str:
    text = text.replace(f'targets: ["{TARGET}"]', f"targets: {json.dumps(targets)}")
    text = text.replace(f'job="{JOB}"', f'job="{job}"')
    return paced(text.replace(f'job_name: "{JOB}"', f'job_name: "{job}"'), pace)


def _shipped() -> Iterator[tuple[str, str]]:
    """Name, with folders, and text of every file that ships."""

    def walk(folder: Traversable, prefix: str) -> Iterator[tuple[str, str]]:
        for item in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if item.is_dir():
                yield from walk(item, f"{prefix}{item.name}/")
            else:
                yield prefix + item.name, item.read_text(encoding="utf-8")

    return walk(files("guardrail.telemetry.monitor") / "files", "")

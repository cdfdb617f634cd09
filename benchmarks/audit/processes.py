"""An audit in a process of its own, watched: how far it is, and the memory of it and its workers (Linux)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path


def memory_of(pid):
    """Proportional memory (PSS) in MiB of a process and all below it: pages that are shared count once."""
    total = 0.0
    for one in (pid, *_below(pid)):
        try:
            lines = Path(f"/proc/{one}/smaps_rollup").read_text(encoding="ascii").splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:")) / 1024
    return total


def _below(pid):
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text(encoding="ascii").rpartition(")")[2].split()[1])
            except OSError:
                continue
            found.append((parent, int(entry.name)))
    below, new = [], [pid]
    while new:
        new = [child for parent, child in found if parent in new]
        below += new
    return below


@dataclass
class Watched:
    """What one process did: seconds since its start with rows seen and written, and MiB."""

    progress: list = field(default_factory=list)
    memory: list = field(default_factory=list)
    code: int | None = None

    @property
    def written(self):
        """Rows that it added."""
        return self.progress[-1][2] if self.progress else 0

    @property
    def rate(self):
        """Answers a second from the first commit to the last."""
        of = [p for p in self.progress if p[2]]
        return (of[-1][2] - of[0][2]) / (of[-1][0] - of[0][0]) if len(of) > 1 else 0.0

    @property
    def peak(self):
        """MiB."""
        return max((mib for _, mib in self.memory), default=0.0)


def watch(words, kill_at=None):
    """Run ``words`` of Python, reading its lines of progress; SIGKILL it once so many rows are seen."""
    found, begun = Watched(), time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *map(str, words)], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},  # of a killed process' semaphores
    )  # fmt: skip
    stopped = threading.Event()

    def sample():
        while not stopped.wait(0.5):
            found.memory.append((time.monotonic() - begun, memory_of(process.pid)))

    threading.Thread(target=sample, daemon=True).start()
    for line in process.stdout:
        seen, written = json.loads(line)
        found.progress.append((time.monotonic() - begun, seen, written))
        if kill_at is not None and seen >= kill_at:
            os.kill(process.pid, signal.SIGKILL)
            break
    found.code = process.wait()
    stopped.set()
    return found

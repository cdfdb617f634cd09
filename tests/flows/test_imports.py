"""Imports run one way: no two files need each other, and no folder needs one that stands above it (docs/architecture.md).

Imports inside functions and those for type checkers count as well.
"""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "guardrail"
FLOORS = (
    "types errors text telemetry policy check retrieval repair engines testing streaming guard wrap evaluation service "
    "audit cli"
).split()
"""Folders and files of the package, each above all that it imports."""


def modules() -> dict[str, Path]:
    """All files by the name under which they are imported; faces (``__init__``) only hand names on."""
    files = (path for path in ROOT.rglob("*.py") if path.name != "__init__.py")
    return {".".join(path.relative_to(ROOT.parent).with_suffix("").parts): path for path in files}


def imported(path: Path) -> set[str]:
    """What a file imports: modules, and names of modules, which may be modules too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
    return {name for name in found if name.startswith("guardrail.")}


def floor(name: str) -> int:
    """The floor of a module; what the package itself hands on stands with the guard."""
    room = name.split(".")[1]
    return FLOORS.index(room if room in FLOORS else "guard")


def test_no_two_files_need_each_other() -> None:
    known = modules()
    graph = {name: imported(path) & known.keys() for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"these import each other: {' <- '.join(error.args[1])}")


def test_no_folder_needs_one_above_it() -> None:
    up = [
        f"{name} -> {other}"
        for name, path in modules().items()
        for other in imported(path)
        if floor(name) < floor(other)
    ]
    assert up == []

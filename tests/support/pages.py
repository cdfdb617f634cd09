"""The documentation as data: its code blocks, links and names; and what the blocks print when they run.

``python -m tests.support.pages`` writes what the blocks print now into the pages, where it differs.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
_FOLDERS = ("docs", "examples", "benchmarks", "training", "guardrail/telemetry/monitor")
PAGES = (
    *(ROOT / "README.md", ROOT / "CHANGELOG.md"),
    *(page for folder in _FOLDERS for page in sorted((ROOT / folder).rglob("*.md"))),
)
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*)[^\n`]*\n(?P<text>.*?)^(?P=indent)```[ ]*$", re.MULTILINE | re.DOTALL
)
_MARK = re.compile(r"<!-- not run: (?P<why>[^>]+) -->\s*\Z")
_NUMBER = re.compile(r"-?\d+\.\d+")
# The pages whose code runs offline in a few seconds; the others need a key, a vendor's objects or files of the reader.
RUN = tuple(
    ROOT / name
    for name in (
        *("README.md", "docs/quickstart.md", "docs/concepts.md", "docs/policies.md", "docs/repair.md"),
        *("docs/streaming.md", "docs/claims.md", "docs/stress.md", "docs/testing.md", "docs/memory.md"),
        "docs/recipes.md",
        *(f"docs/extend/{name}.md" for name in ("engine", "policy", "retriever", "rewriter")),
    )
)
ANSWER = "Larkmoor Dam is 64 metres high. Monks painted it gold in 1985."
PASSAGES = ("Larkmoor Dam is 64 metres high.", "Larkmoor Dam was built between 1958 and 1963.")
QUESTION = "How high is Larkmoor Dam?"


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of a page. ``not_run`` is the reason that a comment above it gives, if it does."""

    page: Path
    line: int
    language: str
    text: str
    start: int
    end: int
    not_run: str | None

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path, content: str | None = None) -> tuple[Block, ...]:
    """All fenced blocks of the page, in order."""
    content = page.read_text(encoding="utf-8") if content is None else content
    found = []
    for match in _FENCE.finditer(content):
        mark = _MARK.search(content, 0, match.start())
        found.append(
            Block(
                page=page,
                line=content.count("\n", 0, match.start()) + 1,
                language=match["language"],
                text=match["text"],
                start=match.start("text"),
                end=match.end("text"),
                not_run=mark["why"] if mark else None,
            )
        )
    return tuple(found)


def prose(page: Path) -> str:
    """The page without its fenced blocks."""
    return _FENCE.sub("", page.read_text(encoding="utf-8"))


def runs(page: Path, folder: Path) -> Iterator[tuple[Block, Block | None, str]]:
    """Run the page's Python and console blocks in the folder: block, the block of its output if shown, its output.

    The Python blocks of a page share their names, as a reader would type them one after the other. A console block
    holds its own output.
    """
    content = page.read_text(encoding="utf-8")
    found = blocks(page, content)
    names: dict[str, object] = {"answer": ANSWER, "passages": list(PASSAGES), "question": QUESTION}
    for block, following in zip(found, (*found[1:], None), strict=False):
        if block.not_run:
            continue
        if block.language == "console":
            yield block, block, _shell(block, folder)
        elif block.language == "python":
            shown = following if following and following.language in ("", "text") else None
            if shown and re.sub(r"```(?:text)?|\s", "", content[block.end : shown.start]):
                shown = None
            yield block, shown, _python(block, names, folder)


def _python(block: Block, names: dict[str, object], folder: Path) -> str:
    printed = io.StringIO()
    source = "\n" * block.line + block.text
    code = compile(source, str(block.page), "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    with contextlib.chdir(folder), contextlib.redirect_stdout(printed):
        if code.co_flags & inspect.CO_COROUTINE:
            asyncio.run(eval(code, names))
        else:
            exec(code, names)
    return printed.getvalue()


def _shell(block: Block, folder: Path) -> str:
    programs = folder / ".programs"
    programs.mkdir(exist_ok=True)
    for name, code in (("guardrail", '-c "from guardrail.cli.main import main; main()"'), ("python", "")):
        (programs / name).write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {code} "$@"\n')
        (programs / name).chmod(0o755)
    environment = os.environ | {
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "integrations"))),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    said = ""
    for line in block.text.splitlines():
        if line.startswith("$ "):
            done = subprocess.run(
                ["bash", "-c", line[2:]],
                cwd=folder,
                env=environment,
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
            said += f"{line}\n{done.stdout}"
    return said


def masked(text: str) -> str:
    """Without what differs from machine to machine and from model to model: decimals, durations, widths of tables."""
    text = re.sub(r"\d+ ms", "# ms", _NUMBER.sub("#", text))
    return re.sub(r"[\s─━│]+", " ", text).strip()


def refresh() -> None:
    """Write what the blocks print now into the pages."""
    for page in RUN:
        content = page.read_text(encoding="utf-8")
        changes = []
        with tempfile.TemporaryDirectory() as folder:
            for _, shown, printed in runs(page, Path(folder)):
                if shown and masked(shown.text) != masked(printed):
                    changes.append((shown, printed))
        for shown, printed in reversed(changes):
            content = (
                content[: shown.start] + "\n".join(map(str.rstrip, printed.splitlines())) + "\n" + content[shown.end :]
            )
            sys.stdout.write(f"{shown} refreshed\n")
        page.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    refresh()

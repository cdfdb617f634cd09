"""What type checkers see."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest


def test_type_checkers_see_parameters_and_results(tmp_path):
    """``reveal_type`` of each kind."""
    pytest.importorskip("mypy")
    code = """
from collections.abc import AsyncIterator, Iterator
from guardrail import Guard
from guardrail.wrap.function import guarded

@guarded(Guard())
def plain(question: str, top: int = 3) -> tuple[str, list[str]]: raise NotImplementedError
@guarded(Guard(), deliver="text")
async def awaited(question: str) -> tuple[str, list[str]]: raise NotImplementedError
@guarded(Guard())
def words(question: str) -> Iterator[str | list[str]]: raise NotImplementedError
@guarded(Guard(), deliver="text")
def awords(question: str) -> AsyncIterator[str | list[str]]: raise NotImplementedError

reveal_type(plain)
reveal_type(awaited)
reveal_type(words)
reveal_type(awords)
"""
    file = tmp_path / "typed.py"
    file.write_text(code)
    # The options of `make lint`: with others mypy would read all that is imported anew, and again for the next lint.
    command = [sys.executable, "-m", "mypy", "--strict", str(file)]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    said = re.sub(r"\b[a-z_]+\.(?:[a-z_]+\.)*(?=[A-Za-z])", "", said)  # versions differ in how they name types
    assert "def (question: str, top: int =) -> GuardedAnswer" in said
    assert "def (question: str) -> Coroutine[Any, Any, str]" in said
    assert "def (question: str) -> Iterator[Delta |" in said
    assert "def (question: str) -> AsyncIterator[str]" in said
    assert "error" not in said

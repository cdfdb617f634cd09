"""The package as others meet it: import cost, public names, file sizes, no network, extras."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import guardrail_langchain
import pytest

import guardrail

ROOT = Path(guardrail.__file__).parent
INTEGRATIONS = Path(guardrail_langchain.__file__).parents[1]
SOURCES = sorted([*ROOT.rglob("*.py"), *INTEGRATIONS.glob("guardrail_*/**/*.py")])


def python(code):
    """Run code in a fresh interpreter; its standard output."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (ROOT.parent, INTEGRATIONS)))}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


VENDORS = "torch openai langchain_core llama_index onnxruntime tokenizers opentelemetry.sdk transformers sentence_transformers".split()


def test_importing_the_core_imports_no_vendor():
    """They are loaded where they are used, if they are."""
    code = f"import guardrail, sys; print([v for v in {VENDORS!r} if v in sys.modules])"
    assert python(code) == "[]"


HEAVY = [
    f"guardrail.{name}"
    for name in "check.decompose check.logic check.judge check.fault engines.local engines.llm repair.local".split()
]


def test_importing_the_core_loads_no_stage():
    """They come when a guard is made: so the import is quick (benchmarks/footprint.py shows the time)."""
    code = f"import guardrail, sys; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert python(code) == "[]"


def test_all_names_are_public_and_all_public_names_are_listed():
    """``__all__`` is the contract."""
    public = {
        name for name, value in vars(guardrail).items() if not name.startswith("_") and not inspect.ismodule(value)
    }
    assert sorted(guardrail.__all__) == list(guardrail.__all__)
    assert set(guardrail.__all__) == public


@pytest.mark.parametrize("name", guardrail.__all__)
def test_every_public_name_is_documented(name):
    """With words of its own, not those of its base or a generated signature."""
    value = getattr(guardrail, name)
    assert value.__dict__.get("__doc__")
    assert not value.__doc__.startswith(f"{name}(")


def test_files_stay_readable():
    """At most 500 lines, and a docstring that says what the file is for."""
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    assert len(texts) > 500
    assert [path for path, text in texts.items() if text.count("\n") > 500] == []
    assert [path for path, text in texts.items() if text.strip() and not text.startswith('"""')] == []


def test_types_are_shipped():
    """For the core and each integration."""
    folders = [ROOT, *(p.parent for p in INTEGRATIONS.glob("guardrail_*/__init__.py"))]
    assert len(folders) >= 2
    assert [f.name for f in folders if not (f / "py.typed").is_file()] == []


def test_the_models_are_small():
    """At most 25 MB for English ship, and 65 MB in all: 60, and adapters."""
    english, others = (
        sum(p.stat().st_size for p in (ROOT / "engines" / "local" / name).iterdir()) for name in ("model", "languages")
    )
    assert english <= 25 * 2**20
    assert english + others <= 65 * 10**6


def test_a_check_opens_no_connection():
    """The first check of a process, model and all, with every way out barred."""
    code = """
import socket
def barred(*_, **__):
    raise SystemExit("a connection was opened")
socket.socket.connect = socket.socket.connect_ex = socket.create_connection = socket.getaddrinfo = barred
from guardrail import Guard, Policy
guarded = Guard(policy=Policy.repair()).run("The dam is 64 metres high. Bees dance.", ["The dam is 64 metres high."])
print(guarded.report.verdict.value, guarded.report.findings[0].verdict.value)
"""
    assert python(code) == "unsupported supported"


def test_a_missing_extra_names_the_line_that_installs_it():
    """LangChain hidden; the error is ours and still an ImportError."""
    code = """
import sys
sys.modules["langchain_core"] = None
from guardrail import MissingExtraError
try:
    import guardrail_langchain
except MissingExtraError as error:
    print(isinstance(error, ImportError), error)
"""
    said = python(code)
    assert said.startswith("True ")
    assert 'pip install "rag-guardrail[langchain]"' in said


def test_the_demo_runs_without_langchain():
    """The plain chain stands in: same questions, same guard."""
    code = """
import sys
sys.modules["langchain_core"] = None
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "langchain_core" else found(name, *rest)
sys.argv = ["guardrail", "demo", "--json"]
from guardrail.cli.main import main
main()
"""
    assert python(code).count('"verdict"') >= 4


@pytest.mark.parametrize("command", [["--help"], ["check", "--help"], ["demo", "--help"], ["--version"]])
def test_help_and_version_need_no_input(command):
    """Each command shows an example; the version is that of the package."""
    said = python(f"import sys; sys.argv = ['guardrail', *{command!r}]; from guardrail.cli.main import main; main()")
    assert guardrail.__version__ in said if command == ["--version"] else "Usage" in said
    assert len(command) == 1 or "Example" in said


def test_every_extra_that_a_text_names_exists():
    """In messages, docstrings and docs."""
    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    docs = [ROOT.parent / "README.md", *(ROOT.parent / "docs").glob("*.md"), *(ROOT.parent / "examples").glob("*.py")]
    named = {
        extra
        for path in (*SOURCES, *docs)
        for extras in re.findall(r"rag-guardrail\[([^]]*)\]", path.read_text(encoding="utf-8"))
        for extra in extras.split(",")
    }
    assert {"openai", "llm", "sentence-transformers"} <= named <= set(project["optional-dependencies"])


def test_the_core_stays_light():
    """What the engines of others need are extras."""
    project = tomllib.loads((ROOT.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {re.split(r"[><=]", line)[0] for line in project["dependencies"]}
    assert core == {
        *("numpy", "onnxruntime", "opentelemetry-api", "pydantic", "pyyaml", "rich", "sentencex", "tokenizers", "typer")
    }

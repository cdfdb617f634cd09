"""Size of the model, the wheel and an installation; import time; peak memory of a process that checks answers.

    python benchmarks/footprint.py [--json] [--strict]

Builds the wheel and installs it into a fresh environment in a temporary folder, so it needs an index of packages to
install from. With --strict the exit code is 1 where a bar is missed. MB are millions of bytes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MODELS = tuple(ROOT / "guardrail" / "engines" / "local" / name for name in ("model", "languages"))
BARS = {"model_mb": 65.0, "installed_mb": 120.0, "import_s": 0.5, "peak_mb": 400.0}
NEVER_IMPORTED = tuple("torch transformers openai langchain_core llama_index onnxruntime tokenizers numpy".split())
"""What ``import guardrail`` must leave alone; numpy is only reported."""
_TOLERATED = {"numpy"}
_TOOLS = ("pip", "setuptools", "pkg_resources", "_distutils_hack", "distutils-precedence.pth")

_IMPORT = f"""
import sys, time
started = time.perf_counter()
import guardrail
seconds = time.perf_counter() - started
import json
print(json.dumps([seconds, guardrail.__file__, [m for m in {NEVER_IMPORTED!r} if m in sys.modules]]))
"""

_PEAK = f"""
import json, resource, sys
sys.path.insert(0, {str(ROOT / "benchmarks")!r})
from latency import example
from guardrail import Guard, Passage
guard = Guard()
for variant in range(20):
    case = example(variant)
    passages = [Passage(id=f"p{{n}}", **passage) for n, passage in enumerate(case.passages)]
    assert guard.check(case.answer, passages, question=case.question).findings
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps(peak * (1 if sys.platform == "darwin" else 1024)))
"""

_PACKAGES = """
import importlib.metadata, json
sizes = {}
for package in importlib.metadata.distributions():
    files = [package.locate_file(f) for f in package.files or () if f.suffix != ".pyc"]
    sizes[package.name] = sum(f.stat().st_size for f in files if f.exists())
print(json.dumps(sizes))
"""


def megabytes(*paths: Path) -> float:
    """Size of files and folders without compiled Python."""
    files = (f for path in paths for f in (path.rglob("*") if path.is_dir() else [path]))
    return sum(f.stat().st_size for f in files if f.is_file() and f.suffix != ".pyc") / 1e6


def run(python: Path, *arguments: str, cwd: Path) -> str:
    """Standard output of a Python process that sees neither the sources nor the caller's environment of packages."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")}
    done = subprocess.run([python, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"python {' '.join(arguments)[:120]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def measure(folder: Path) -> dict[str, Any]:
    """All figures; works in ``folder``."""
    venv.create(folder / "venv", with_pip=True)
    python = folder / "venv" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = ("-m", "pip", "--disable-pip-version-check", "-q")
    run(python, *pip, "wheel", "--no-deps", "-w", str(folder / "wheel"), str(ROOT), cwd=folder)
    wheel = next((folder / "wheel").glob("*.whl"))
    downloads = folder / "downloads"
    run(python, *pip, "download", "--only-binary", ":all:", "-d", str(downloads), str(wheel), cwd=folder)
    run(python, *pip, "install", "--no-index", "--find-links", str(downloads), str(wheel), cwd=folder)

    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    ours = [p for p in site.iterdir() if not p.name.startswith(_TOOLS)]
    sizes: dict[str, int] = json.loads(run(python, "-c", _PACKAGES, cwd=folder))
    largest = sorted((size / 1e6, name) for name, size in sizes.items() if name not in _TOOLS)[::-1][:6]
    imports = [json.loads(run(python, "-c", _IMPORT, cwd=folder)) for _ in range(5)]
    if not Path(imports[0][1]).is_relative_to(site):
        raise SystemExit(f"measured the wrong installation: {imports[0][1]}")
    return {
        "model_mb": megabytes(*MODELS),
        "wheel_mb": megabytes(wheel),
        "download_mb": megabytes(downloads),
        "installed_mb": megabytes(*ours),
        "largest": {name: round(size, 2) for size, name in largest},
        "packages": len(sizes) - sum(name in _TOOLS for name in sizes),
        "import_s": min(seconds for seconds, *_ in imports),
        "imported": imports[0][2],
        "peak_mb": json.loads(run(python, "-c", _PEAK, cwd=folder)) / 1e6,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--strict", action="store_true", help="exit with 1 where a bar is missed")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="footprint-") as folder:
        figures = measure(Path(folder).resolve())
    met = {name: figures[name] <= bar for name, bar in BARS.items()}
    met["imported"] = not set(figures["imported"]) - _TOLERATED
    if args.json:
        print(json.dumps({**figures, "met": met}))
    else:
        _print(figures, met)
    if args.strict and not all(met.values()):
        sys.exit(1)


def _print(figures: dict[str, Any], met: dict[str, bool]) -> None:
    def row(label: str, figure: str, bar: str = "", key: str = "") -> None:
        mark = ("  met" if met[key] else "  MISSED") if key else ""
        print(f"{label:<34}{figure:>12}   {bar}{mark}")

    row("models, tokenizers and scorers", f"{figures['model_mb']:.1f} MB", "<= 65 MB", "model_mb")
    row("wheel", f"{figures['wheel_mb']:.1f} MB")
    row("download of all wheels", f"{figures['download_mb']:.1f} MB")
    row(f"installed, {figures['packages']} packages", f"{figures['installed_mb']:.1f} MB", "<= 120 MB", "installed_mb")
    for name, size in figures["largest"].items():
        row(f"  {name}", f"{size:.1f} MB")
    row("import guardrail, best of 5", f"{figures['import_s']:.3f} s", "<= 0.5 s", "import_s")
    row("  heavy modules imported", ", ".join(figures["imported"]) or "none", "none", "imported")
    row("peak memory, 20 checks", f"{figures['peak_mb']:.0f} MB", "<= 400 MB", "peak_mb")


if __name__ == "__main__":
    main()

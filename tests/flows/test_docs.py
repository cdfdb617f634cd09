"""The documentation: its links lead somewhere, its names exist, its code runs and prints what the pages show."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import re

import pytest

from tests.support.pages import PAGES, ROOT, RUN, blocks, masked, prose, runs

DOCS = ROOT / "docs"
PACKAGES = "guardrail", "guardrail_langchain", "guardrail_llamaindex"
MOVED = (
    *("aggregate", "cascade", "citations", "cross_encoder", "entities", "guarded", "local", "localize", "monitor"),
    *("openai_client", "record_store", "rewriting", "stress"),
)
DOTTED = re.compile(r"(?<![\w./-])(?:guardrail|guardrail_langchain|guardrail_llamaindex)(?:\.[A-Za-z_]\w*)+")
FILE = re.compile(
    r"(?<![\w/.])(?:guardrail|integrations|tests|benchmarks|examples|training|docs)/[\w./-]*\w(?:/(?![\w*<{]))?"
)
LINK = re.compile(r"(?<!\\)\[[^\]]*\]\((?P<target>[^)\s]+)\)")


def ids(values):
    return [str(page.relative_to(ROOT)) for page in values]


def anchors(page):
    """Of headings, as GitHub and MkDocs make them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w -]", "", re.sub(r"\]\([^)]*\)", "", h).lower()).replace(" ", "-") for h in headings}


def is_module(dotted):
    """Whether the name is one of a module, or was: names of spans, metrics and files begin with the package's, too."""
    first, second = dotted.split(".")[:2]
    if first != "guardrail" or second in MOVED:
        return True
    return hasattr(importlib.import_module(first), second) or importlib.util.find_spec(f"{first}.{second}") is not None


def exists(dotted):
    """Whether a module, or a name in one, can be imported."""
    parts = dotted.split(".")
    if parts[1] in MOVED:
        return False
    for length in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:length]))
        except ImportError as error:
            if getattr(error, "name", "") and not str(error.name).startswith(PACKAGES):
                return True  # a vendor is missing here
            continue
        for name in parts[length:]:
            if not hasattr(value, name) and name not in getattr(value, "__annotations__", {}):
                return False
            value = getattr(value, name, None)
        return True
    return False


def is_broken(page, link):
    target, _, anchor = link.partition("#")
    if re.match(r"[a-z]+:", target):
        return False
    there = (page.parent / target).resolve() if target else page
    return not there.exists() or bool(anchor and anchor not in anchors(there))


def test_links_lead_somewhere():
    links = [(page, link["target"]) for page in PAGES for link in LINK.finditer(prose(page))]
    assert len(links) > len(PAGES)
    assert [(page, link) for page, link in links if is_broken(page, link)] == []


def test_names_exist():
    named = set()
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        if page.name == "CHANGELOG.md":
            text = re.sub(r"(?s)### Moved.*?(?=\n### Changed|\n## )", "", text)  # names of before stand there
        named |= {(page, match[0]) for match in DOTTED.finditer(text) if is_module(match[0])}
    assert len(named) > 50
    assert sorted((page, name) for page, name in named if not exists(name)) == []


def test_files_exist():
    named = {
        (page, match[0])
        for page in PAGES
        if page.name != "CHANGELOG.md"
        for match in FILE.finditer(page.read_text(encoding="utf-8"))
        if not re.search(r"/[xy]/|/x\.py|test_y", match[0])
    }
    assert len(named) > len(PAGES)
    assert sorted((page, name) for page, name in named if not (ROOT / name).exists()) == []


PYTHON = [block for page in PAGES for block in blocks(page) if block.language == "python"]


@pytest.mark.parametrize("block", PYTHON, ids=str)
def test_code_is_python_and_its_imports_hold(block):
    tree = compile(block.text, str(block), "exec", flags=ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    missing = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in PACKAGES:
            missing += [f"{node.module}.{n.name}" for n in node.names if not exists(f"{node.module}.{n.name}")]
    assert missing == []


@pytest.mark.filterwarnings("ignore:.*(RunnableWithMessageHistory|InMemoryChatMessageHistory).* deprecated")
@pytest.mark.parametrize("page", RUN, ids=ids(RUN))
def test_code_runs_and_prints_what_the_page_shows(page, tmp_path):
    """Where numbers differ from machine to machine, the words count (``python -m tests.support.pages`` refreshes)."""
    for needed in ("openai", "bm25s", "langgraph"):
        if needed in page.read_text(encoding="utf-8") and importlib.util.find_spec(needed) is None:
            pytest.skip(f"needs {needed}")
    for block, shown, printed in runs(page, tmp_path):
        if shown:
            assert masked(printed) == masked(shown.text), str(block)


def test_every_page_is_in_the_navigation():
    """Of the site; decisions have an index of their own."""
    config = (DOCS / "site" / "mkdocs.yml").read_text(encoding="utf-8")
    pages = {str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md") if p.parent.name != "decisions"}
    assert pages - set(re.findall(r"[\w/-]+\.md", config)) == set()
    index = (DOCS / "decisions" / "index.md").read_text(encoding="utf-8")
    assert {p.name for p in (DOCS / "decisions").glob("*.md")} - {"index.md"} == set(
        re.findall(r"\(([\w-]+\.md)\)", index)
    )

"""The examples run as their docstrings say, offline, from any folder."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
PRINTED = {
    "check_answer.py": ["contradicted", "60 days", "action: redact", "returns["],
    "guarded_function.py": ["Larkmoor Dam is 64 metres high.\nallow, 2 attempts\nbefore: No passage"],
    "haystack_pipeline.py": ["A day costs 19 euros.[^g1]", "the passage says 14 euros"],
    "langchain_agent.py": ["ai: The garage opens at 6:00 and closes at 23:00.\n", "supported, allow, 2 attempts"],
    "langchain_chain.py": ["A day costs 20 euros.[^g1]", "- supported: The garage opens"],
    "langchain_lcel.py": ["23:00.| A day costs 14 euros.|", "redact: ['An architect from Vienna designed it.']"],
    "langgraph_node.py": ["{'generate': \"I can't give a reliable answer"],
    "llamaindex_agent.py": ["tool: garage\nThe garage opens at 6:00.\n- supported", "- contradicted: A day costs 20"],
    "llamaindex_query.py": ["sources: ['swimmer']", "history: Dick Hanley coached Northwestern from 1927 to 1934.\n"],
    "llamaindex_workflow.py": ["[annotate] The garage opens", "A day costs 20 euros.[^g1]"],
    "mcp_client.py": ["contradicted block", "contradicted: A day costs 19 euros."],
    "openai_agents.py": ["delivered: The garage opens at 6:00.\n"],
    "openai_client.py": ["Larkmoor Dam is 64 metres high.\nredact: ", "|Larkmoor Dam is 64 metres high.||\n"],
    "own_engine.py": ["the engine keeps the contract", "supported", "unsupported"],
    "pydantic_ai_agent.py": ["verdict: supported  passages: ['Garage']", "A day costs 14 euros."],
    "vendor_interfaces.py": ['"detected":true', '"correctionText":"The garage', '"supportScore":0.5'],
}


def test_every_example_is_tested():
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(PRINTED)


ALL = """
import contextlib, io, json, os, runpy, sys, traceback

sys.path[0] = os.path.dirname(sys.argv[1])
for path in sys.argv[1:]:
    said, error = io.StringIO(), ""
    sys.argv = [path]
    with contextlib.redirect_stdout(said):
        try:
            runpy.run_path(path, run_name="__main__")
        except BaseException:
            error = traceback.format_exc()
    print(json.dumps([path, said.getvalue(), error]), flush=True)
"""


def missing(name):
    """Why an example cannot run here, or nothing."""
    needed = "langchain_core" if name in ("langchain_chain.py", "langchain_lcel.py") else name.partition("_")[0]
    if needed in ("langchain_core", "langchain", "langgraph") and importlib.util.find_spec(needed) is None:
        return "needs the extra langchain or langchain-agents"
    if needed == "llamaindex" and importlib.util.find_spec("llama_index") is None:
        return "needs the extra llama-index"
    if name == "openai_agents.py" and importlib.util.find_spec("agents") is None:
        return "needs the extra openai-agents, whose openai others of dev cannot have yet"
    return ""


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    """What each example prints and how it fails; one process runs all, for most of their time is importing."""
    paths = [str(EXAMPLES / name) for name in PRINTED if not missing(name)]
    command = [sys.executable, "-c", ALL, *paths]
    folder = tmp_path_factory.mktemp("elsewhere")
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=600, check=False)
    told = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [path for path, _, _ in told] == paths, ran.stderr
    return {Path(path).name: (said, error) for path, said, error in told}


@pytest.mark.parametrize("name", PRINTED)
def test_example_runs(name, done):
    if why := missing(name):
        pytest.skip(why)
    said, error = done[name]
    assert not error, error
    for words in PRINTED[name]:
        assert words in said

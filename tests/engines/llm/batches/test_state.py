"""What must not be paid twice: replies and batches that outlive the process, in a file that one process holds."""

from __future__ import annotations

import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from guardrail import Cause, UsageError
from guardrail.engines.llm.batches.state import BatchState
from guardrail.engines.llm.protocol import Completion, LLMError

REPLY = Completion(text="大坝 \ud800", model="m", input_tokens=7, cut_off=True, calls=2, price_share=0.5)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_replies_and_refusals_come_back_after_a_restart(path: Path) -> None:
    state = BatchState(path)
    state.keep({"a": REPLY, "b": LLMError("refused", cause=Cause.REPLY, spent=REPLY), "c": LLMError("late")})
    state.close(remove=False)
    again = BatchState(path)
    assert again.reply("a") == REPLY
    refused, late = again.reply("b"), again.reply("c")
    assert isinstance(refused, LLMError)
    assert isinstance(late, LLMError)
    assert (str(refused), refused.cause, refused.spent) == ("refused", Cause.REPLY, REPLY)
    assert (str(late), late.spent) == ("late", None)
    assert again.reply("z") is None
    again.close(remove=True)
    assert not path.exists()


@pytest.mark.parametrize("written", ["", "{", "null", "[]", '{"text": "x", "of another version": 1}', '{"error": "x"}'])
def test_what_another_version_wrote_is_asked_again(path: Path, written: str) -> None:
    BatchState(path).close(remove=False)
    with sqlite3.connect(path) as link:
        link.execute("INSERT INTO replies (key, reply) VALUES ('a', ?)", (written,))
    link.close()
    state = BatchState(path)
    assert state.reply("a") is None
    state.keep({"a": REPLY})
    assert state.reply("a") == REPLY
    state.close(remove=True)


def test_a_batch_is_open_from_its_intent_to_its_end(path: Path) -> None:
    state = BatchState(path)
    state.begin("one", "openai x", ["a", "b"])
    state.begin("two", "openai x", ["c"])
    state.begin("three", "anthropic y", ["d"])
    state.submitted("one", "batch_1")
    first, second = state.open_batches("openai x")
    assert (first.intent, first.id, first.keys, first.sure) == ("one", "batch_1", frozenset("ab"), False)
    assert (second.intent, second.id, first.made <= second.made) == ("two", None, True)
    assert (state.others("one"), state.others("two")) == (frozenset[str](), frozenset({"batch_1"}))
    state.end("one")
    assert [batch.intent for batch in state.open_batches("openai x")] == ["two"]
    state.close(remove=True)
    assert path.exists()  # a batch is under way
    again = BatchState(path)
    assert [batch.intent for batch in again.open_batches("anthropic y")] == ["three"]
    again.close(remove=False)


def test_a_second_run_is_refused_until_the_first_lets_go(path: Path) -> None:
    first = BatchState(path)
    with pytest.raises(UsageError, match=r"state': another run is at work with it\. Wait for it, or name another file"):
        BatchState(path)
    first.close(remove=False)
    BatchState(path).close(remove=True)


@pytest.mark.parametrize("content", [b"no database at all, but a text that somebody wrote" * 20, None])
def test_a_file_that_is_none_of_ours_is_refused_and_kept(path: Path, content: bytes | None) -> None:
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)
    with pytest.raises(UsageError, match="it cannot be read or written"):
        BatchState(path)
    assert content is None or path.read_bytes() == content


@pytest.mark.skipif(sys.platform == "win32", reason="modes of Unix")
def test_replies_are_for_the_owner_alone(path: Path) -> None:
    BatchState(path).close(remove=False)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

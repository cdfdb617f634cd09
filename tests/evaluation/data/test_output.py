"""Files that the commands write: whole or not at all, and never over what was read."""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from guardrail.errors import UsageError
from guardrail.evaluation.data import output
from guardrail.evaluation.data.output import refuse_unwritable, write_whole


@pytest.fixture
def interrupted(tmp_path):
    """Press Ctrl-C as soon as a file's text has been written; gives the names that were in the folder then."""
    seen = []

    def press(frame, event, called):
        if event == "c_return" and frame.f_code is output._fill.__code__ and called.__name__ == "write":
            seen.extend(path.name for path in tmp_path.iterdir())
            os.kill(os.getpid(), signal.SIGINT)

    before = sys.getprofile()
    sys.setprofile(press)
    yield seen
    sys.setprofile(before)


def test_ctrl_c_while_writing_keeps_the_old_file(tmp_path, interrupted):
    target = tmp_path / "out.json"
    target.write_text("old")
    with pytest.raises(KeyboardInterrupt):
        write_whole(target, "new")
    assert len(interrupted) == 2  # the old file and the one being written
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_file_is_replaced_with_its_permissions_and_a_link_stays(tmp_path):
    target, link = tmp_path / "out.json", tmp_path / "link.json"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "a\r\n\ud800")
    assert target.read_bytes() == b"a\r\n\\ud800"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert link.is_symlink()


def test_a_new_file_has_the_permissions_of_any_new_file(tmp_path):
    write_whole(tmp_path / "new", "x")
    (tmp_path / "other").write_text("x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_device_is_written_into():
    write_whole(Path("/dev/null"), "x")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_an_error_of_the_system_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"cannot write .*No such file"):
        write_whole(tmp_path / "gone" / "out", "x")


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("-", "standard output"),
        (".", "is a folder"),
        ("gone/out", "no folder"),
        ("data", "is the input itself"),
        ("sub/../data", "is the input itself"),
        ("link", "is the input itself"),
        ("page", "two outputs"),
        ("./page", "two outputs"),
    ],
)
def test_what_is_refused(tmp_path, monkeypatch, target, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "data").write_text("x")
    (tmp_path / "link").symlink_to("data")
    with pytest.raises(UsageError, match=words):
        refuse_unwritable(Path(target), [tmp_path / "data"], others=[tmp_path / "page"])


def test_what_is_allowed(tmp_path):
    (tmp_path / "old").write_text("x")
    for name in ("new", "old"):
        refuse_unwritable(tmp_path / name, [tmp_path / "data"], others=[tmp_path / "page"])

"""The policy file that the Set view writes: only the one named at the start, and never over what was not shown."""

from __future__ import annotations

import difflib
import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from guardrail.errors import ConfigurationError, UsageError
from guardrail.evaluation.data.output import write_whole
from guardrail.policy.policy import Policy

NOTHING = ""
"""In place of a fingerprint: there is no file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A text for the file and what it changes.

    Attributes:
        name: Of the file.
        text: What it would hold.
        diff: Lines of a unified diff against what it holds now; none where it holds just this.
        over: Fingerprint of what it holds now (SHA-256), or NOTHING: ``write`` replaces nothing else.
        comments: Lines of comments in it, which would be lost.
    """

    name: str
    text: str
    diff: tuple[str, ...]
    over: str
    comments: int


def draft(path: Path, text: str) -> Draft:
    """What writing this text would change.

    Raises:
        UsageError: the file cannot be read, or is one of several policies.
        ConfigurationError: the text is no policy that the guard can use.
    """
    _refuse_invalid(text, path.name)
    now = _now(path)
    before = "" if now is None else now.decode("utf-8", "replace")
    if now is not None and _holds_several(path):
        raise UsageError(
            f"{path.name!r} holds several policies, and all but one would be lost. Start the studio with another "
            "file for --policy-out."
        )
    lines = difflib.unified_diff(
        before.splitlines(), text.splitlines(), path.name if before else "(no file)", path.name, lineterm=""
    )
    return Draft(
        name=path.name,
        text=text,
        diff=tuple(lines),
        over=_fingerprint(now),
        comments=sum(line.lstrip().startswith("#") for line in before.splitlines()),
    )


def write(path: Path, text: str, over: str) -> Policy:
    """Write the file, if it still holds what the diff was shown against; the policy that it says then.

    Raises:
        UsageError: it was changed meanwhile, or cannot be written.
        ConfigurationError: as ``draft``.
    """
    if draft(path, text).over != over:
        raise UsageError(f"{path.name!r} was changed since its diff was shown. Look at the diff again.")
    write_whole(path, text)
    return Policy.load(path)


def _now(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot read {path.name!r}: {error.strerror or error}.") from error


def _fingerprint(held: bytes | None) -> str:
    return NOTHING if held is None else hashlib.sha256(held).hexdigest()


def _holds_several(path: Path) -> bool:
    try:
        return len(Policy.load_all(path)) > 1
    except ConfigurationError:  # what is no policy is only shown
        return False


def _refuse_invalid(text: str, name: str) -> None:
    """What we wrote must be what the guard reads."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / (name if name.endswith((".yaml", ".yml", ".json")) else "policy.yaml")
        path.write_text(text, encoding="utf-8")
        Policy.load(path)

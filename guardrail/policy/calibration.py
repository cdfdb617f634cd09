"""What a policy file says of how its threshold was chosen, so that anybody can see what it promises, and for what."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar

from guardrail.errors import ConfigurationError

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Where a threshold comes from (``guardrail calibrate`` writes it).

    Attributes:
        data: SHA-256 of the labelled data.
        n: Labelled answers, or cases of answers that share a question or a passage, that count.
        risk: What is bounded: ``missed``, ``delivered-wrong`` or ``false-alarm`` (docs/calibration.md).
        target: The bound (0..1).
        threshold: The threshold chosen; the policy's own must be the same.
        engine: Identity of the engine whose scores were seen (see engine_identity).
        guarantee: What is guaranteed, in words.
        delta: The guarantee holds with probability 1 - delta over the labels; None = in expectation.
        date: When, if given.
    """

    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    data: str
    n: int
    risk: str
    target: float
    threshold: float
    engine: str
    guarantee: str
    delta: float | None = None
    date: str | None = None


def engine_identity(engine: object) -> str:
    """``identity`` of an engine, else its ``name`` and the hashes of its folders' files; and version of this package.

    Scores of another model, or of other rules, are other scores: a threshold does not carry over. The version stands
    for the rules and for the weights that are in the code.

    Raises:
        ConfigurationError: the folder cannot be read.
    """
    from importlib import metadata  # it brings email and zipfile along

    try:
        version = metadata.version("rag-guardrail")
    except metadata.PackageNotFoundError:  # a source tree that was never installed
        version = "0"
    identity = getattr(engine, "identity", None)
    if isinstance(identity, str):
        return f"{identity} rag-guardrail-{version}"
    folders = (getattr(engine, name, None) for name in ("folder", "passage_reader", "languages"))
    model = "".join(f" sha256:{_folder_hash(Path(each))}" for each in folders if isinstance(each, (str, Path)))
    return f"{getattr(engine, 'name', engine)} rag-guardrail-{version}{model}"


def warn_of_another(calibration: Calibration | None, identity: str, policy: str) -> None:
    """Log a warning if the policy of that name was calibrated for another engine than the one of that identity."""
    if calibration is not None and calibration.engine != identity:
        _log.warning(
            "policy %r was calibrated for engine %r, this one is %r: its guarantee does not hold. Calibrate again.",
            policy, calibration.engine, identity,
        )  # fmt: skip


@lru_cache(maxsize=8)
def _folder_hash(folder: Path) -> str:
    try:
        return hash_files(sorted(path for path in folder.iterdir() if path.is_file()))[:16]
    except OSError as error:
        raise ConfigurationError(
            f"cannot read the engine's model folder {str(folder)!r}: {error.strerror}. Name the folder of the model."
        ) from error


def hash_files(paths: list[Path]) -> str:
    """SHA-256 (hexadecimal) of the contents of the files, one after the other; of one file, its own."""
    digest = hashlib.sha256()
    for path in paths:
        digest.update(path.read_bytes())
    return digest.hexdigest()

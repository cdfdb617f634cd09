"""Where the files of a model lie: a folder, or the hub's cache. The only place that may download, and only if asked."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import logging
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from guardrail.errors import ConfigurationError, EngineError, MissingExtraError

_log = logging.getLogger(__name__)
_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
_TEXTS = ("*.json", "*.txt", "*.model")  # never *.py: no code of a model is run
_WEIGHTS = (("model*.safetensors",), ("pytorch_model*.bin",))
_TAIL = 65_536
_INSTALL = 'pip install "rag-guardrail[sentence-transformers]"'


def require_libraries() -> None:
    """Raise MissingExtraError unless torch, transformers and sentence-transformers are installed (none is imported)."""
    wanted = ("torch", "transformers", "sentence_transformers", "huggingface_hub")
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if missing:
        raise MissingExtraError(f"cross-encoder engines need {missing[0]}: {_INSTALL}")


def locate(model: str | Path, *, download: bool, revision: str | None = None, weights: str | None = "model") -> Path:
    """The folder that holds a model.

    The hub's cache is looked at first, without the network; a download happens here, at construction, or never.

    Args:
        model: A folder, or an id on the hub.
        download: Whether what is missing may be downloaded.
        revision: Commit, tag or branch on the hub.
        weights: ``model`` = the usual weight files; a file name; None = config and tokenizer only.

    Raises:
        ConfigurationError: there is no such folder, or the files are neither there nor to be had.
    """
    folder = in_folder(model)
    if folder is not None:
        return folder
    text = str(model)
    if isinstance(model, Path) or not _HUB_ID.fullmatch(text):
        raise ConfigurationError(f"no model folder {text!r}. Name a folder that exists, or an id on the hub.")
    found = _in_cache(text, revision, weights)
    if found is None and download:
        found = _downloaded(text, revision, weights)
    if found is None:
        raise ConfigurationError(
            f"the model {text!r} is neither a folder nor in the cache of the hub. Download it first "
            f"(`hf download {text}`), name a folder, or allow download=True."
        )
    return found


def in_folder(model: str | Path) -> Path | None:
    """The folder that a model's name names, if it does."""
    try:
        folder = Path(model).expanduser()
        return folder if folder.is_dir() else None
    except (OSError, RuntimeError):  # no file could have that name, or nobody has that home
        return None


def texts(folder: Path) -> tuple[Path, ...]:
    """Config and tokenizer, as far as they are there."""
    return tuple(path for name in ("config.json", "tokenizer.json") if (path := folder / name).is_file())


def weight_files(folder: Path) -> tuple[Path, ...]:
    """The files that the weights are read from."""
    by_kind = ([path for name in names for path in sorted(folder.glob(name))] for names in _WEIGHTS)
    return tuple(next(filter(None, by_kind), ()))


def fingerprint(paths: Iterable[Path]) -> str:
    """A hash of the names, sizes and last 64 KiB of files: cheap, and other weights have another.

    The end of a file of safetensors is weights; the end of a checkpoint of torch holds the checksums of all weights.

    Raises:
        ConfigurationError: a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                file.seek(max(0, size - _TAIL))
                digest.update(f"{path.name} {size} ".encode() + file.read(_TAIL))
        except OSError as error:
            raise ConfigurationError(f"cannot read {str(path)!r}: {error.strerror}. Check the folder.") from error
    return digest.hexdigest()[:16]


def _in_cache(model: str, revision: str | None, weights: str | None) -> Path | None:
    from huggingface_hub import snapshot_download

    try:
        folder = Path(snapshot_download(model, revision=revision, local_files_only=True))
    except Exception:  # several classes by version of the library; all say that it is not there
        return None
    return folder if _complete(folder, weights) else None


def _downloaded(model: str, revision: str | None, weights: str | None) -> Path | None:
    from huggingface_hub import snapshot_download

    _log.warning("downloading the model %r from the hub", model)
    wanted: tuple[tuple[str, ...], ...] = _WEIGHTS if weights == "model" else ((weights,) if weights else (),)
    try:
        for names in wanted:  # pickled weights only where there are no others
            folder = Path(snapshot_download(model, revision=revision, allow_patterns=[*_TEXTS, *names]))
            if _complete(folder, weights):
                return folder
    except Exception as error:
        raise ConfigurationError(
            f"cannot download the model {model!r} ({type(error).__name__}). Download it where there is a network "
            f"(`hf download {model}`), then name the folder or copy the cache of the hub."
        ) from error
    return None


def _complete(folder: Path, weights: str | None) -> bool:
    if weights is None:
        return (folder / "config.json").is_file()
    if weights != "model":
        return (folder / weights).is_file()
    return bool(weight_files(folder)) and (folder / "config.json").is_file()


def read_config(folder: Path) -> dict[str, Any]:
    """The content of config.json.

    Raises:
        ConfigurationError: there is none, or it is no JSON object.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigurationError(f"no readable config.json in {str(folder)!r}. Name the folder of a model.") from error
    if not isinstance(config, dict):
        raise ConfigurationError(f"config.json in {str(folder)!r} is no JSON object. Name the folder of a model.")
    return config


@contextmanager
def loading(folder: Path) -> Iterator[None]:
    """What fails while a model is loaded becomes EngineError, with the folder and the cause named."""
    from transformers.utils import logging as bars

    shown = bars.is_progress_bar_enabled()
    bars.disable_progress_bar()  # loading must not draw on the terminal of somebody's service
    try:
        yield
    except (ConfigurationError, EngineError):
        raise
    except Exception as error:
        cause = f"{type(error).__name__}: {error}"
        raise EngineError(f"cannot load the model in {str(folder)!r}: {cause:.300}") from error
    finally:
        if shown:
            bars.enable_progress_bar()

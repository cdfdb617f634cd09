"""From the name of a model to its engine. What is wrong with a name, a folder or an option is told here, at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from guardrail.engines.cross_encoder.catalog import SPECS, ModelSpec, Options, read_options
from guardrail.engines.cross_encoder.engine import CrossEncoderEngine
from guardrail.engines.cross_encoder.folders import (
    fingerprint,
    in_folder,
    loading,
    locate,
    read_config,
    require_libraries,
    texts,
    weight_files,
)
from guardrail.engines.cross_encoder.labels import Head, read_head
from guardrail.engines.cross_encoder.lettucedetect import LettuceDetect
from guardrail.engines.cross_encoder.pair_models import alignscore, factcg, find_weights, hhem, minicheck, nli
from guardrail.engines.cross_encoder.pairs import PairJudge, PairModel
from guardrail.engines.cross_encoder.reading import Judge
from guardrail.errors import ConfigurationError, did_you_mean


def is_cross_encoder(name: str) -> bool:
    """Whether ``name`` is one that ``make`` knows: a model's name, alone or before a colon."""
    return name.partition(":")[0] in SPECS


def make(name: str, **options: Any) -> CrossEncoderEngine:
    """An engine on a model of the hub or of a folder.

    Missing files are downloaded here, unless ``download=False``; a check never touches the network. Code in a model's
    repository is never run.

    Args:
        name: ``minicheck``, ``factcg``, ``hhem``, ``alignscore`` or ``lettucedetect``, alone or with a variant, a hub
            id or a folder (``minicheck:roberta-large``, ``minicheck:/models/minicheck``); or ``nli:`` with a hub id or
            a folder.
        options: See Options.

    Raises:
        MissingExtraError: torch, transformers or sentence-transformers is not installed.
        ConfigurationError: the name, an option, a folder or the meaning of the labels is not known, or the files are
            not there and cannot be had.
    """
    kind, _, rest = name.partition(":")
    spec = SPECS.get(kind)
    if spec is None:
        raise ConfigurationError(f"unknown cross-encoder {kind!r}. {did_you_mean(kind, SPECS)}")
    chosen = read_options(options)
    variant = rest or spec.default
    if not variant:
        raise ConfigurationError(f"{kind!r} needs a model: '{kind}:<hub id or folder>'.")
    require_libraries()
    model = spec.models.get(variant, variant)
    found = _prepared(spec, model, variant, chosen)
    local = in_folder(model) is not None
    # Of a folder only its own name: a threshold does not depend on where it lies.
    model = found.folder.name if local else model
    return CrossEncoderEngine(
        name=kind if local else f"{kind}:{variant}",
        identity=f"{kind} {model}{chosen.scoring} files:{fingerprint(found.files)}",
        folder=found.folder,
        english=spec.english and not chosen.multilingual,
        threshold=spec.threshold,
        options=chosen,
        load=partial(_loaded, found),
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """The folder of a model, the files that its scores depend on, and what loads it."""

    folder: Path
    files: tuple[Path, ...]
    build: Callable[[], Judge]


_PAIR_MODELS: Mapping[str, Callable[[Path, Head, Options], PairModel]] = {
    "minicheck": minicheck,
    "factcg": factcg,
    "nli": nli,
}


def _loaded(found: _Found) -> Judge:
    with loading(found.folder):
        return found.build()


def _by_pairs(load: Callable[[], PairModel], options: Options) -> Callable[[], Judge]:
    return lambda: PairJudge(load(), options.batch_tokens)


def _prepared(spec: ModelSpec, model: str, variant: str, options: Options) -> _Found:
    """Where a model is; no weights are read yet."""
    if spec.name == "alignscore":
        return _alignscore(spec, model, variant, options)
    folder = locate(model, download=options.download, revision=options.revision)
    config = read_config(folder)
    head = read_head(config, options.labels, spec.labels, model)
    files = (*texts(folder), *weight_files(folder))
    if spec.name == "hhem":
        own = config.get("model_type") == "t5" and (folder / "tokenizer.json").is_file()
        base = _base(spec, variant, options, folder if own else None)
        return _Found(folder, (*files, *texts(base)), _by_pairs(partial(hhem, folder, base, head, options), options))
    if spec.name == "lettucedetect":
        return _Found(folder, files, partial(LettuceDetect, folder, head, options))
    if spec.name == "nli":
        _expect_classifier(config, model)
    return _Found(folder, files, _by_pairs(partial(_PAIR_MODELS[spec.name], folder, head, options), options))


def _alignscore(spec: ModelSpec, model: str, variant: str, options: Options) -> _Found:
    file = f"AlignScore-{variant}.ckpt" if variant in spec.models else None
    folder = locate(model, download=options.download, revision=options.revision, weights=file or "model")
    weights = find_weights(folder, file)
    size = "base" if "base" in weights.name.casefold() else "large"
    own = (folder / "config.json").is_file() and (folder / "tokenizer.json").is_file()
    base = _base(spec, size, options, folder if own else None)
    head = read_head({}, options.labels, spec.labels, model)
    load = partial(alignscore, weights, base, head, options)
    return _Found(folder, (weights, *texts(base)), _by_pairs(load, options))


def _base(spec: ModelSpec, variant: str, options: Options, own: Path | None) -> Path:
    """Where config and tokenizer lie: as the options say, else the model's own, else as documented."""
    if options.base is None and own is not None:
        return own
    named = options.base if options.base is not None else spec.base.get(variant, next(iter(spec.base.values())))
    try:
        return locate(named, download=options.download, weights=None)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{spec.name} also needs the config and tokenizer of {str(named)!r} (not its weights); base= names "
            f"another folder. {error}"
        ) from error


def _expect_classifier(config: Mapping[str, Any], model: str) -> None:
    kinds = [str(kind) for kind in config.get("architectures") or ()]
    if kinds and not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise ConfigurationError(
            f"the model {model!r} is a {kinds[0]}, no cross-encoder. Name a model trained for NLI."
        )

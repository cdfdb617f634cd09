"""From the name of a model to its engine. What is wrong with a name, a folder or an option is told here, at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from guardrail.cross_encoder.catalog import CARDS, Card
from guardrail.cross_encoder.engine import CrossEncoderEngine
from guardrail.cross_encoder.folders import loading, locate, read_config, require_libraries
from guardrail.cross_encoder.labels import Head, read_head
from guardrail.cross_encoder.options import Options, read_options
from guardrail.cross_encoder.reading import Judge
from guardrail.errors import ConfigurationError, did_you_mean


def is_cross_encoder(name: str) -> bool:
    """Whether ``name`` is one that ``make`` knows: a card's name, alone or before a colon."""
    return name.partition(":")[0] in CARDS


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
    card = CARDS.get(kind)
    if card is None:
        raise ConfigurationError(f"unknown cross-encoder {kind!r}. {did_you_mean(kind, CARDS)}")
    chosen = read_options(options)
    variant = rest or card.default
    if not variant:
        raise ConfigurationError(f"{kind!r} needs a model: '{kind}:<hub id or folder>'.")
    require_libraries()
    model = card.models.get(variant, variant)
    folder, build = _prepared(card, model, variant, chosen)
    return CrossEncoderEngine(
        name=kind if Path(model).expanduser().is_dir() else f"{kind}:{variant}",
        folder=folder,
        english=card.english and not chosen.multilingual,
        threshold=card.threshold,
        options=chosen,
        load=partial(_loaded, folder, build),
    )


def _loaded(folder: Path, build: partial[Judge]) -> Judge:
    with loading(folder):
        return build()


def _prepared(card: Card, model: str, variant: str, options: Options) -> tuple[Path, partial[Judge]]:
    """The folder of the model and what loads it; no weights are read yet."""
    if card.name == "alignscore":
        return _alignscore(card, model, variant, options)
    folder = locate(model, download=options.download, revision=options.revision)
    config = read_config(folder)
    head = read_head(config, options.labels, card.labels, model)
    if card.name == "hhem":
        own = config.get("model_type") == "t5" and (folder / "tokenizer.json").is_file()
        base = _base(card, variant, options, folder if own else None)
        return folder, partial(_hhem, folder, base, head, options)
    kinds = {"minicheck": _minicheck, "factcg": _factcg, "lettucedetect": _lettucedetect, "nli": _nli}
    if card.name == "nli":
        _expect_classifier(config, model)
    return folder, partial(kinds[card.name], folder, head, options, str(config.get("model_type")))


def _alignscore(card: Card, model: str, variant: str, options: Options) -> tuple[Path, partial[Judge]]:
    from guardrail.cross_encoder.alignscore import find_weights

    file = f"AlignScore-{variant}.ckpt" if variant in card.models else None
    folder = locate(model, download=options.download, revision=options.revision, weights=file or "model")
    weights = find_weights(folder, file)
    size = "base" if "base" in weights.name.casefold() else "large"
    own = (folder / "config.json").is_file() and (folder / "tokenizer.json").is_file()
    base = _base(card, size, options, folder if own else None)
    head = read_head({}, options.labels, card.labels, model)
    return folder, partial(_align, weights, base, head, options)


def _base(card: Card, variant: str, options: Options, own: Path | None) -> Path:
    """Where config and tokenizer lie: as the options say, else the model's own, else as documented."""
    if options.base is None and own is not None:
        return own
    named = options.base if options.base is not None else card.base.get(variant, next(iter(card.base.values())))
    try:
        return locate(named, download=options.download, weights=None)
    except ConfigurationError as error:
        raise ConfigurationError(
            f"{card.name} also needs the config and tokenizer of {str(named)!r} (not its weights); base= names "
            f"another folder. {error}"
        ) from error


def _expect_classifier(config: Mapping[str, Any], model: str) -> None:
    kinds = [str(kind) for kind in config.get("architectures") or ()]
    if kinds and not any(kind.endswith("ForSequenceClassification") for kind in kinds):
        raise ConfigurationError(
            f"the model {model!r} is a {kinds[0]}, no cross-encoder. Name a model trained for NLI."
        )


def _minicheck(folder: Path, head: Head, options: Options, model_type: str) -> Judge:
    from guardrail.cross_encoder.minicheck import MiniCheckEncoder, MiniCheckFlanT5
    from guardrail.cross_encoder.pairs import PairJudge

    if model_type == "t5":
        return PairJudge(MiniCheckFlanT5(folder, head, options), options.batch_tokens)
    return PairJudge(MiniCheckEncoder(folder, head, options, model_type), options.batch_tokens)


def _factcg(folder: Path, head: Head, options: Options, _: str) -> Judge:
    from guardrail.cross_encoder.factcg import FactCG
    from guardrail.cross_encoder.pairs import PairJudge

    return PairJudge(FactCG(folder, head, options), options.batch_tokens)


def _nli(folder: Path, head: Head, options: Options, _: str) -> Judge:
    from guardrail.cross_encoder.nli import CrossEncoderNLI
    from guardrail.cross_encoder.pairs import PairJudge

    return PairJudge(CrossEncoderNLI(folder, head, options), options.batch_tokens)


def _lettucedetect(folder: Path, head: Head, options: Options, _: str) -> Judge:
    from guardrail.cross_encoder.lettucedetect import LettuceDetect

    return LettuceDetect(folder, head, options)


def _hhem(folder: Path, base: Path, head: Head, options: Options) -> Judge:
    from guardrail.cross_encoder.hhem import HHEM
    from guardrail.cross_encoder.pairs import PairJudge

    return PairJudge(HHEM(folder, base, head, options), options.batch_tokens)


def _align(weights: Path, base: Path, head: Head, options: Options) -> Judge:
    from guardrail.cross_encoder.alignscore import AlignScore
    from guardrail.cross_encoder.pairs import PairJudge

    return PairJudge(AlignScore(weights, base, head, options), options.batch_tokens)

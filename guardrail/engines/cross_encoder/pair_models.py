"""Loaded models that read a window and a claim: input, chunks and score of each as its authors document them.

A model with a head of its own kind is built here and filled with its weights; no code of its repository is run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from guardrail.engines.cross_encoder.catalog import Options
from guardrail.engines.cross_encoder.folders import read_config
from guardrail.engines.cross_encoder.labels import Head
from guardrail.engines.cross_encoder.pairs import Pair, PairModel
from guardrail.engines.cross_encoder.torch_model import Forward, Tokens, pretrained
from guardrail.engines.cross_encoder.windows import even, filled, words, words_and_marks
from guardrail.errors import ConfigurationError

_LONGEST = 2048
"""Tokens, for models without a limit of their own: memory grows with the square. HHEM's card times it on 2k."""
_SHORT = 512
"""Tokens of models that were trained on short texts (NLI, AlignScore)."""
_ROBERTA_OFFSET = 2
"""Positions that RoBERTa and similar models keep for themselves."""
_ENCODER_LIMITS = {"roberta": 512}
_NO, _YES = 3, 209
"""Token ids whose logits Flan-T5's answer is read from, after one decoder step."""
_T5_EMBEDDINGS = ("shared.weight", "encoder.embed_tokens.weight", "decoder.embed_tokens.weight")
_T5_ENCODER = ("transformer.shared.weight", "transformer.encoder.embed_tokens.weight")

Scores = Callable[[Sequence[Pair]], NDArray[np.float64]]


def minicheck(folder: Path, head: Head, options: Options) -> PairModel:
    """MiniCheck (Tang et al., EMNLP 2024; github.com/Liyan06/MiniCheck, minicheck/inference.py).

    Document and claim are one text with the tokenizer's end token between them. Chunks of whole sentences: 400 tokens
    for the encoders, 500 words for Flan-T5, which reads the text after ``predict:`` and says no or yes in the first
    token of its answer. The score is the best chunk's; above 0.5 the claim is supported.
    """
    kind = str(read_config(folder).get("model_type"))
    if kind == "t5":
        return _minicheck_t5(folder, head, options)
    tokens, scores = _classifier(folder, head, options)
    return PairModel(
        tokens=tokens,
        cut=partial(filled, measure=tokens.count, size=options.window or 400),
        encode=lambda window, claim: tokens.ids(window + tokens.end + claim),
        scores=scores,
        limit=options.max_tokens or _ENCODER_LIMITS.get(kind, _LONGEST),
    )


def _minicheck_t5(folder: Path, head: Head, options: Options) -> PairModel:
    from transformers import AutoModelForSeq2SeqLM

    tokens = Tokens(folder)
    model = _with_own_embeddings(pretrained(AutoModelForSeq2SeqLM, folder), folder)
    forward = Forward(model, options.device, tokens.padding)

    def scores(batch: Sequence[Pair]) -> NDArray[np.float64]:
        start = np.zeros((len(batch), 1), dtype=np.int64)  # the decoder starts with token 0, as in training
        logits = forward([pair.ids for pair in batch], decoder_input_ids=start)
        return head.probabilities(logits[:, 0, [_NO, _YES]])

    return PairModel(
        tokens=tokens,
        cut=partial(filled, measure=words, size=options.window or 500),
        encode=lambda window, claim: tokens.ids(f"predict: {window}{tokens.end}{claim}"),
        scores=scores,
        limit=options.max_tokens or _LONGEST,
    )


def factcg(folder: Path, head: Head, options: Options) -> PairModel:
    """FactCG-DeBERTa-v3-Large (Lei et al., NAACL 2025; github.com/derenlei/FactCG, factcg/inference.py and utils.py).

    One text with a question about the claim, chunks of whole sentences up to 550 words and marks, one sentence per
    line.
    """
    tokens, scores = _classifier(folder, head, options)
    before = '\n\nChoose your answer: based on the paragraph above can we conclude that "'
    after = '"?\n\nOPTIONS:\n- Yes\n- No\nI think the answer is '
    return PairModel(
        tokens=tokens,
        cut=partial(filled, measure=words_and_marks, size=options.window or 550),
        encode=lambda window, claim: tokens.ids(window + before + claim + after),
        scores=scores,
        limit=options.max_tokens or _LONGEST,
        joiner="\n",
    )


def nli(folder: Path, head: Head, options: Options) -> PairModel:
    """Any cross-encoder for natural language inference, loaded through ``sentence_transformers.CrossEncoder``.

    The label order is that of its config; heads of 2 and 3 labels, or of 1 where ``labels`` says so. Premise first.
    """
    import torch
    from sentence_transformers import CrossEncoder
    from transformers import AutoModelForSequenceClassification

    # CrossEncoder would fill a missing head with random numbers, without a word.
    pretrained(AutoModelForSequenceClassification, folder, num_labels=head.width)
    tokens = Tokens(folder)
    limit = options.max_tokens or min(tokens.longest, _SHORT, _positions(read_config(folder)))
    model = CrossEncoder(
        str(folder),
        device=options.device,
        max_length=limit,
        num_labels=head.width,
        local_files_only=True,
        trust_remote_code=False,
    )
    lock = threading.Lock()  # predict configures the shared tokenizer
    plain = torch.nn.Identity()

    def scores(batch: Sequence[Pair]) -> NDArray[np.float64]:
        texts = [(pair.window, pair.claim) for pair in batch]
        with lock:
            logits = model.predict(texts, batch_size=len(texts), activation_fn=plain, show_progress_bar=False)
        return head.probabilities(np.asarray(logits))

    size = options.window or min(400, limit - limit // 4)
    # The ids only tell whether a pair fits.
    return PairModel(tokens, partial(filled, measure=tokens.count, size=size), tokens.pair, scores, limit)


def hhem(folder: Path, base: Path, head: Head, options: Options) -> PairModel:
    """HHEM-2.1-Open (model card of vectara/hallucination_evaluation_model), without the code in its repository.

    That code only wraps a T5ForTokenClassification of transformers: it fills in the prompt below and reads the logits
    at the first token, a ``<pad>`` that stands where other models have ``[CLS]``. The weights lie under ``t5.``; config
    and tokenizer are those of google/flan-t5-base. Whole passages; very long ones in windows of half the limit.
    """
    tokens = Tokens(base)
    limit = options.max_tokens or _LONGEST
    forward = Forward(_hhem_model(folder, base, head.width), options.device, tokens.padding)
    question = "<pad> Determine if the hypothesis is true given the premise?"
    return PairModel(
        tokens=tokens,
        cut=partial(filled, measure=tokens.count, size=options.window or limit // 2),
        encode=lambda window, claim: tokens.ids(f"{question}\n\nPremise: {window}\n\nHypothesis: {claim}"),
        scores=lambda batch: head.probabilities(forward([pair.ids for pair in batch])[:, 0, :]),
        limit=limit,
    )


def alignscore(weights: Path, base: Path, head: Head, options: Options) -> PairModel:
    """AlignScore (Zha et al., ACL 2023; github.com/yuh-zha/AlignScore, src/alignscore/inference.py, mode ``nli_sp``).

    A RoBERTa with a head of three labels (aligned, neutral, contradicted) on the pooled first token; chunks of equally
    many sentences, about 350 words each; a pair of texts; best chunk. The authors publish a checkpoint of PyTorch
    Lightning, which is read as data only.
    """
    tokens = Tokens(base)
    model = _alignscore_model(weights, base, head.width)
    forward = Forward(model, options.device, tokens.padding, lambda output: model.tri_layer(output.pooler_output))
    return PairModel(
        tokens=tokens,
        cut=partial(even, size=options.window or 350),
        encode=tokens.pair,
        scores=_by_ids(forward, head),
        limit=options.max_tokens or _SHORT,
        joiner=" ",
    )


def _classifier(folder: Path, head: Head, options: Options) -> tuple[Tokens, Scores]:
    """A head of labels on the whole text."""
    from transformers import AutoModelForSequenceClassification

    tokens = Tokens(folder)
    model = pretrained(AutoModelForSequenceClassification, folder, num_labels=head.width)
    return tokens, _by_ids(Forward(model, options.device, tokens.padding), head)


def _by_ids(forward: Forward, head: Head) -> Scores:
    return lambda batch: head.probabilities(forward([pair.ids for pair in batch]))


def _positions(config: Mapping[str, Any]) -> int:
    """Tokens that the model has positions for."""
    positions = config.get("max_position_embeddings")
    offset = _ROBERTA_OFFSET if "roberta" in str(config.get("model_type")) else 0
    return positions - offset if isinstance(positions, int) and positions > 0 else _SHORT


def _with_own_embeddings(model: Any, folder: Path) -> Any:
    """The model with the input embeddings of its files.

    Files keep a shared matrix under one of three names. Where that is not the first, transformers 5 takes the output
    matrix instead, without a word (huggingface/transformers issue 48154).
    """
    import torch
    from safetensors import safe_open

    for file in sorted(folder.glob("model*.safetensors")):
        with safe_open(str(file), framework="pt") as stored:
            names = [name for name in _T5_EMBEDDINGS if name in stored.keys()]  # noqa: SIM118  it is no mapping
            if names:
                weights = stored.get_tensor(names[0]).to(model.dtype)
                model.set_input_embeddings(torch.nn.Embedding.from_pretrained(weights))
                return model
    return model


def _hhem_model(folder: Path, base: Path, width: int) -> Any:
    from safetensors.torch import load_file
    from transformers import AutoConfig, T5ForTokenClassification

    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise ConfigurationError(f"no model.safetensors in {str(folder)!r}. Name the folder of HHEM-2.1-Open.")
    state: dict[str, Any] = {}
    for file in files:
        state.update({name.removeprefix("t5."): tensor for name, tensor in load_file(str(file)).items()})
    stored = [name for name in _T5_ENCODER if name in state]
    if stored:  # one matrix under two names, of which files keep one
        state = dict.fromkeys(_T5_ENCODER, state[stored[0]]) | state
    config = AutoConfig.from_pretrained(str(base), local_files_only=True, trust_remote_code=False, num_labels=width)
    model = T5ForTokenClassification(config)
    try:
        found = model.load_state_dict(state, strict=False)
    except RuntimeError as error:  # shapes differ
        raise ConfigurationError(
            f"the weights in {str(folder)!r} do not fit the config in {str(base)!r}. Set base= to google/flan-t5-base."
        ) from error
    wrong = [*found.missing_keys, *found.unexpected_keys]
    if wrong:
        raise ConfigurationError(
            f"the weights in {str(folder)!r} are not those of HHEM-2.1-Open: {wrong[0]} is missing or unknown. "
            "Name the folder of vectara/hallucination_evaluation_model."
        )
    return model


def find_weights(folder: Path, name: str | None) -> Path:
    """The checkpoint in a folder: the one named, else the only one.

    Raises:
        ConfigurationError: there is none, or several.
    """
    found = sorted([*folder.glob("*.ckpt"), *folder.glob("*.safetensors")])
    chosen = [path for path in found if path.name == name] or found
    if len(chosen) != 1:
        raise ConfigurationError(
            f"{len(found)} checkpoints of AlignScore in {str(folder)!r}, need one. "
            "Put AlignScore-large.ckpt or AlignScore-base.ckpt there."
        )
    return chosen[0]


def _state(weights: Path) -> dict[str, Any]:
    if weights.suffix == ".safetensors":
        from safetensors.torch import load_file

        return dict(load_file(str(weights)))
    import pickle

    import torch

    try:
        # Only tensors and plain values: a pickle could run code.
        content = torch.load(str(weights), map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        raise ConfigurationError(
            f"{weights.name} holds more than weights and is not read, for it could run code. Where you trust it, save "
            "torch.load(path, weights_only=False)['state_dict'] with safetensors, and name that folder."
        ) from error
    state = content.get("state_dict", content) if isinstance(content, dict) else {}
    return dict(state)


def _alignscore_model(weights: Path, base: Path, width: int) -> Any:
    import torch
    from transformers import AutoConfig, RobertaModel

    state = _state(weights)
    config = AutoConfig.from_pretrained(str(base), local_files_only=True, trust_remote_code=False)
    encoder = RobertaModel(config)
    own = {name.removeprefix("base_model."): tensor for name, tensor in state.items() if name.startswith("base_model.")}
    head = torch.nn.Linear(config.hidden_size, width)
    top = {name.removeprefix("tri_layer."): tensor for name, tensor in state.items() if name.startswith("tri_layer.")}
    try:
        missing = encoder.load_state_dict(own, strict=False).missing_keys
        head.load_state_dict(top)
    except RuntimeError as error:  # shapes differ, or there is no head
        raise ConfigurationError(
            f"{weights.name} does not fit the config in {str(base)!r}. Set base= to the RoBERTa it was trained from."
        ) from error
    if missing:
        raise ConfigurationError(f"{weights.name} is no AlignScore checkpoint: it lacks {missing[0]}.")

    encoder.tri_layer = head  # so that it moves to the device with the rest
    return encoder

"""Tiny models with random weights, of the architecture and head of the real ones, in the hub's folder format."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

WORDS = (
    "Larkmoor Dam was built in between 1958 and 1963 . It is 64 metres high The reservoir holds water dam bridge river "
    "Rita painted turbines mayor opened tower predict : Premise Hypothesis passage ? \" ' Yes No - 水 坝 高 是 米"
).split()
ROBERTA = ("<s>", "</s>", "<pad>", "<unk>")
BERT = ("[CLS]", "[SEP]", "[PAD]", "[UNK]")
T5 = ("</s>", "</s>", "<pad>", "<unk>")
SMALL = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 48}


def save_tokenizer(folder, special, longest=512):
    """A word-level tokenizer with the control tokens and templates of the real one; ids begin with <pad> = 0."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    start, end, pad, unknown = special
    tokens = list(dict.fromkeys([pad, end, unknown, start, *WORDS]))
    tokens += [f"w{n}" for n in range(256 - len(tokens))]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token=unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(r"[\u3400-\u9fff]"), "isolated"), pre_tokenizers.Whitespace()]
    )
    templates = {
        ROBERTA: (f"{start} $A {end}", f"{start} $A {end} {end} $B {end}"),
        BERT: (f"{start} $A {end}", f"{start} $A {end} $B {end}"),
        T5: (f"$A {end}", f"$A {end} $B {end}"),
    }
    single, pair = templates[special]
    named = [(token, vocabulary[token]) for token in {start, end}]
    tokenizer.post_processor = processors.TemplateProcessing(single=single, pair=pair, special_tokens=named)
    kinds = {"eos_token": end, "pad_token": pad, "unk_token": unknown}
    kinds |= {} if special is T5 else {"bos_token": start, "cls_token": start, "sep_token": end}
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=longest, **kinds)
    fast.save_pretrained(str(folder))
    return fast


def edit_config(folder, **changes):
    path = Path(folder) / "config.json"
    config = json.loads(path.read_text())
    for name, value in changes.items():
        config.pop(name, None) if value is None else config.update({name: value})
    path.write_text(json.dumps(config))


def numbered(names):
    return {"id2label": {str(n): name for n, name in enumerate(names)}, "label2id": {v: k for k, v in enumerate(names)}}


class Tiny:
    """Builds the folders, each once."""

    edit_config = staticmethod(edit_config)
    numbered = staticmethod(numbered)
    BERT, ROBERTA, T5 = BERT, ROBERTA, T5

    def __init__(self, root):
        self.root = root

    def _new(self, name):
        folder = self.root / name
        made = folder.exists()
        folder.mkdir(exist_ok=True)
        return folder, made

    def _save(self, folder, model, special, labels, longest=512, scale=12.0):
        import torch

        with torch.no_grad():  # a random head of 0.02 says 0.5 of everything
            for name, weight in model.named_parameters():
                if name.split(".")[0] in {"classifier", "pooler", "head"} and "norm" not in name:
                    weight.mul_(scale)
        model.save_pretrained(str(folder))
        save_tokenizer(folder, special, longest)
        if labels:
            edit_config(folder, **numbered(labels))
        return folder

    def encoder(self, name, kind="roberta", labels=(), longest=512, positions=520):
        """A sequence classifier: roberta, deberta or bert."""
        import torch
        import transformers as t

        folder, made = self._new(name)
        if made:
            return folder
        torch.manual_seed(7)
        width = len(labels) or 2
        common = {**SMALL, "vocab_size": 256, "num_labels": width, "pad_token_id": 0}
        if kind == "roberta":
            model = t.RobertaForSequenceClassification(
                t.RobertaConfig(**common, max_position_embeddings=520, type_vocab_size=1)
            )
        elif kind == "deberta":
            model = t.DebertaV2ForSequenceClassification(
                t.DebertaV2Config(
                    **common,
                    max_position_embeddings=512,
                    type_vocab_size=0,
                    relative_attention=True,
                    position_buckets=16,
                    pos_att_type=["p2c", "c2p"],
                    share_att_key=True,
                    norm_rel_ebd="layer_norm",
                    position_biased_input=False,
                )
            )
        else:
            model = t.BertForSequenceClassification(t.BertConfig(**common, max_position_embeddings=positions))
        return self._save(folder, model, ROBERTA if kind == "roberta" else BERT, labels, longest)

    def t5(self, name, embeddings="shared.weight"):
        """A Flan-T5, whose output matrix is not that of the input, which its file keeps under one name."""
        import torch
        import transformers as t
        from safetensors.torch import save_file

        folder, made = self._new(name)
        if made:
            return folder
        torch.manual_seed(7)
        model = t.T5ForConditionalGeneration(_t5_config())
        state = {key: value.clone() for key, value in model.state_dict().items() if "embed_tokens" not in key}
        state["lm_head.weight"] = torch.randn(256, 32) * 0.15
        state[embeddings] = state.pop("shared.weight")
        save_file(state, str(folder / "model.safetensors"), metadata={"format": "pt"})
        model.config.save_pretrained(str(folder))
        edit_config(folder, tie_word_embeddings=False, architectures=["T5ForConditionalGeneration"])
        save_tokenizer(folder, T5)
        return folder

    def hhem(self, name="hhem"):
        """HHEM's own files: weights under ``t5.``, a config of no known type; base: config and tokenizer of a T5."""
        import torch
        import transformers as t
        from safetensors.torch import save_file

        folder, made = self._new(name)
        base, _ = self._new(name + "-base")
        if made:
            return folder, base
        torch.manual_seed(7)
        model = t.T5ForTokenClassification(_t5_config(num_labels=2))
        with torch.no_grad():
            model.classifier.weight.mul_(0.05)
        state = {f"t5.{key}": value.contiguous() for key, value in model.state_dict().items()}
        state.pop("t5.transformer.encoder.embed_tokens.weight", None)  # a file keeps a shared matrix once
        save_file(state, str(folder / "model.safetensors"))
        config = {"model_type": "HHEMv2", "architectures": ["HHEMv2ForSequenceClassification"]}
        config["auto_map"] = {"AutoModelForSequenceClassification": "modeling_hhem_v2.HHEMv2ForSequenceClassification"}
        (folder / "config.json").write_text(json.dumps(config | numbered(["hallucinated", "consistent"])))
        (folder / "modeling_hhem_v2.py").write_text("raise SystemExit('code of the model was run')\n")
        _t5_config().save_pretrained(str(base))
        save_tokenizer(base, T5)
        return folder, base

    def alignscore(self, name="alignscore", file="AlignScore-large.ckpt"):
        """A checkpoint as PyTorch Lightning writes it, with the heads that the authors train, and its base."""
        import torch
        import transformers as t

        folder, made = self._new(name)
        base, _ = self._new(name + "-base")
        if made:
            return folder, base
        torch.manual_seed(7)
        config = t.RobertaConfig(
            **SMALL, vocab_size=256, max_position_embeddings=520, type_vocab_size=1, pad_token_id=0
        )
        state = {f"base_model.{key}": value for key, value in t.RobertaModel(config).state_dict().items()}
        for head, width in (("bin_layer", 2), ("tri_layer", 3), ("reg_layer", 1)):
            state |= {f"{head}.weight": torch.randn(width, 32) * 3, f"{head}.bias": torch.randn(width)}
        checkpoint = {"state_dict": state, "hyper_parameters": {"model": "roberta-large"}, "epoch": 3}
        torch.save(checkpoint, str(folder / file))
        config.save_pretrained(str(base))
        save_tokenizer(base, ROBERTA)
        return folder, base

    def lettuce(self, name="lettuce", labels=()):
        """A ModernBERT that labels tokens."""
        import torch
        import transformers as t

        folder, made = self._new(name)
        if made:
            return folder
        torch.manual_seed(7)
        config = t.ModernBertConfig(
            **SMALL,
            vocab_size=256,
            num_labels=2,
            pad_token_id=0,
            cls_token_id=3,
            sep_token_id=1,
            bos_token_id=3,
            eos_token_id=1,
            max_position_embeddings=4096,
        )
        return self._save(folder, t.ModernBertForTokenClassification(config), BERT, labels, 8192, 3.0)


def _t5_config(**more):
    import transformers as t

    return t.T5Config(
        vocab_size=256,
        d_model=32,
        d_kv=16,
        d_ff=48,
        num_layers=2,
        num_heads=2,
        feed_forward_proj="gated-gelu",
        tie_word_embeddings=False,
        pad_token_id=0,
        eos_token_id=1,
        decoder_start_token_id=0,
        **more,
    )


@pytest.fixture(scope="session")
def tiny(tmp_path_factory):
    import torch

    torch.set_num_threads(1)  # the models are too small for more
    return Tiny(tmp_path_factory.mktemp("models"))


@pytest.fixture(scope="session")
def engine_of(tiny):
    """An engine on a tiny model, by name; each is made once."""
    from guardrail.engines.cross_encoder import make

    def build(name, **options):
        options = {"device": "cpu", "download": False, **options}
        if name == "hhem":
            folder, base = tiny.hhem()
            return make(f"hhem:{folder}", base=base, **options)
        if name == "alignscore":
            folder, base = tiny.alignscore()
            return make(f"alignscore:{folder}", base=base, **options)
        folders = {
            "minicheck": lambda: tiny.encoder("roberta"),
            "minicheck-deberta": lambda: tiny.encoder("deberta", "deberta"),
            "minicheck-t5": lambda: tiny.t5("flan-t5"),
            "factcg": lambda: tiny.encoder("deberta", "deberta"),
            "lettucedetect": tiny.lettuce,
            "nli": lambda: tiny.encoder("nli3", "bert", ("contradiction", "entailment", "neutral")),
            "nli2": lambda: tiny.encoder("nli2", "bert", ("entailment", "not_entailment")),
        }
        return make(f"{name.partition('-')[0].rstrip('2')}:{folders[name]()}", **options)

    return build


@pytest.fixture
def request_of():
    """A request from texts."""
    from guardrail.check.contract import VerifyRequest
    from guardrail.types import Passage, Segment, Span

    def build(segments, passages, **more):
        return VerifyRequest(
            segments=tuple(Segment(id=f"s{n}", span=Span(0, len(s)), text=s) for n, s in enumerate(segments, 1)),
            passages=tuple(p if isinstance(p, Passage) else Passage(id=str(n), text=p) for n, p in enumerate(passages)),
            **more,
        )

    return build


@pytest.fixture
def seen(monkeypatch):
    """What the forward passes get: lists of ids per batch, and what else is given."""
    from guardrail.engines.cross_encoder import torch_model

    calls = SimpleNamespace(batches=[], extra=[])
    real = torch_model.Forward.__call__

    def spy(self, batch, **extra):
        calls.batches.append([tuple(ids) for ids in batch])
        calls.extra.append(extra)
        return real(self, batch, **extra)

    monkeypatch.setattr(torch_model.Forward, "__call__", spy)
    return calls


@pytest.fixture
def no_hub(monkeypatch, tmp_path):
    """An empty cache, and any use of a socket fails the test."""
    import socket

    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "cache"))

    def refuse(*_, **__):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)

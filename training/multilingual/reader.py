"""The network: a small multilingual BERT over a premise and its claims, and a head that sees both of them whole."""

from __future__ import annotations

import json
from pathlib import Path

import torch
from safetensors.torch import load_file
from torch import Tensor, nn

from guardrail.engines.local.model import OUTPUTS, TOKEN_KINDS
from training.pack_stage import PackModel

LAYERS = 10
"""Of twelve: the two topmost serve the sentence embedding that the base was made for."""

FROZEN = 3
"""Lower layers that keep their weights, as the word embeddings do."""

HIDDEN = 256


class Layer(nn.Module):
    """One encoder layer: attention and a feed-forward part, each followed by a norm."""

    def __init__(self, width: int, inner: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.first_norm = nn.LayerNorm(width, eps=1e-12)
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.second_norm = nn.LayerNorm(width, eps=1e-12)

    def forward(self, state: Tensor, bias: Tensor) -> Tensor:
        """State: (packs, tokens, width); ``bias``, (packs, 1, tokens, tokens), is added to attention scores."""
        packs, tokens, width = state.shape
        shape = packs, tokens, 3, self.heads, width // self.heads
        parts = [part.transpose(1, 2) for part in self.qkv(state).view(shape).unbind(2)]
        if torch.is_grad_enabled():  # for heads as narrow as these the gradient in bfloat16 takes half as long again
            parts, bias = [part.float() for part in parts], bias.float()
        mixed = nn.functional.scaled_dot_product_attention(*parts, attn_mask=bias)
        mixed = mixed.to(state.dtype).transpose(1, 2).reshape(packs, tokens, width)
        state = self.first_norm(state + self.out(mixed))
        result: Tensor = self.second_norm(state + self.down(nn.functional.gelu(self.up(state))))
        return result


class Words(nn.Module):
    """Embeddings of word pieces in four bits, as the base has them: a scale for 32 values, low halves of bytes first.

    Not trained, and no part of the state dict.
    """

    def __init__(self, halves: Tensor, scale: Tensor) -> None:
        super().__init__()
        self.register_buffer("halves", halves, persistent=False)  # (words, blocks, 16), uint8
        self.register_buffer("scale", scale, persistent=False)  # (words, blocks), float16

    def forward(self, ids: Tensor) -> Tensor:
        """Shape (...) -> (..., width)."""
        both = self.halves[ids].float()
        high = torch.floor(both / 16)
        values = torch.cat([both - 16 * high, high], dim=-1) - 8
        return (values * self.scale[ids].float()[..., None]).flatten(-2)


class Reader(PackModel):
    """(ids, positions, segments, kinds), each (packs, tokens) -> logits (packs, claims, 3 verdicts and 10 error types).

    As training.mpnet.reader.Reader: the premise is read without the claims, each claim with the premise and without
    the other claims; the kinds of a claim's tokens are added above the frozen layers.
    """

    quantized = ("MatMul",)  # word embeddings are in four bits already

    def __init__(self, base: Path, frozen: int = FROZEN, layers: int = LAYERS) -> None:
        super().__init__()
        sizes = json.loads((base / "base.json").read_text())
        width = sizes["hidden"]
        self.frozen = frozen
        weights = load_file(base / "base.safetensors")
        self.words = Words(weights["emb.word.halves"], weights["emb.word.scale"])
        self.places = nn.Embedding(sizes["positions"], width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(width, sizes["inner"], sizes["heads"]) for _ in range(layers))
        self.kinds = nn.Embedding(TOKEN_KINDS, width)
        nn.init.zeros_(self.kinds.weight)
        self.head = nn.Sequential(nn.Linear(width * 4, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, OUTPUTS))
        self._take(weights)
        for part in (self.places, self.norm, *self.layers[:frozen]):
            part.requires_grad_(False)

    def _take(self, base: dict[str, Tensor]) -> None:
        with torch.no_grad():
            self.places.weight.copy_(base["emb.pos"] + base["emb.type"][0])
            self.norm.weight.copy_(base["emb.ln.w"])
            self.norm.bias.copy_(base["emb.ln.b"])
            for number, layer in enumerate(self.layers):
                own = {name.split(".", 1)[1]: base[name] for name in base if name.startswith(f"l{number}.")}
                layer.qkv.weight.copy_(torch.cat([own["q.w"], own["k.w"], own["v.w"]]))
                layer.qkv.bias.copy_(torch.cat([own["q.b"], own["k.b"], own["v.b"]]))
                pairs = {"out": "ao", "first_norm": "aln", "up": "fi", "down": "fo", "second_norm": "oln"}
                for name, short in pairs.items():
                    getattr(layer, name).weight.copy_(own[f"{short}.w"])
                    getattr(layer, name).bias.copy_(own[f"{short}.b"])

    def body(self) -> list[nn.Parameter]:
        """See PackModel.body."""
        return [p for p in self.layers.parameters() if p.requires_grad]

    def encoder(self) -> nn.Module:
        """See PackModel.encoder."""
        return self.layers

    def upper(self) -> nn.Module:
        """See PackModel.upper."""
        layers: nn.ModuleList = self.layers[self.frozen :]
        return layers

    def forward(self, ids: Tensor, positions: Tensor, segments: Tensor, kinds: Tensor) -> Tensor:
        """Logits, shape (packs, claims, 13); a pack with fewer claims has rows without meaning."""
        seen = (segments[:, None, :] == 0) | (segments[:, None, :] == segments[:, :, None])
        with torch.no_grad():
            state = self.norm(self.words(ids).to(self.places.weight.dtype) + self.places(positions))
            bias = (~seen)[:, None].to(state.dtype) * -1e4
            for layer in self.layers[: self.frozen]:
                state = layer(state, bias)
        state = state + self.kinds(kinds)
        for layer in self.layers[self.frozen :]:
            state = layer(state, bias)
        return self.judged(state, segments)

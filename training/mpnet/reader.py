"""The network: the lower layers of MPNet over a premise and its claims, and a head that sees both of them whole."""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor, nn
from transformers import MPNetModel

from guardrail.engines.local.model import OUTPUTS, TOKEN_KINDS
from training.pack_stage import PackModel

LAYERS = 10
"""Of twelve: the two topmost serve the sentence embedding that the base was made for."""

FROZEN = 5
"""Lower layers that keep their weights: no gradient is needed in them, which saves a third of a step."""

HIDDEN = 256


class Reader(PackModel):
    """(ids, positions, segments, kinds), each (packs, tokens) -> logits (packs, claims, 3 verdicts and 10 error types).

    The premise is read without the claims, each claim with the premise and without the other claims. The kinds of a
    claim's tokens (whether the premise has them) are added above the frozen layers.
    """

    def __init__(self, base: Path | MPNetModel, frozen: int = FROZEN, layers: int = LAYERS) -> None:
        super().__init__()
        net = base
        if isinstance(base, Path):
            net = MPNetModel.from_pretrained(base, add_pooling_layer=False, attn_implementation="eager")
        net.encoder.layer = net.encoder.layer[:layers]
        self.net, self.frozen = net, frozen
        width = net.config.hidden_size
        self.kinds = nn.Embedding(TOKEN_KINDS, width)
        nn.init.zeros_(self.kinds.weight)
        self.head = nn.Sequential(nn.Linear(width * 4, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, OUTPUTS))
        for part in (net.embeddings, net.encoder.relative_attention_bias, *net.encoder.layer[:frozen]):
            part.requires_grad_(False)
        for module in net.modules():
            if isinstance(module, nn.Dropout):  # its random numbers cost much on a CPU
                module.p = 0.0

    def body(self) -> list[nn.Parameter]:
        """See PackModel.body."""
        return [p for p in self.net.parameters() if p.requires_grad]

    def encoder(self) -> nn.Module:
        """See PackModel.encoder."""
        encoder: nn.Module = self.net.encoder
        return encoder

    def upper(self) -> nn.Module:
        """See PackModel.upper."""
        layers: nn.ModuleList = self.net.encoder.layer[self.frozen :]
        return layers

    def forward(self, ids: Tensor, positions: Tensor, segments: Tensor, kinds: Tensor) -> Tensor:
        """Logits, shape (packs, claims, 13); a pack with fewer claims has rows without meaning."""
        embeddings, encoder = self.net.embeddings, self.net.encoder
        with torch.no_grad():
            words = embeddings.word_embeddings(ids) + embeddings.position_embeddings(positions)
            state = embeddings.LayerNorm(words)
            distance = positions[:, None, :] - positions[:, :, None]
            buckets = encoder.relative_position_bucket(
                distance, num_buckets=self.net.config.relative_attention_num_buckets
            )
            bias = encoder.relative_attention_bias(buckets).permute(0, 3, 1, 2)
            seen = (segments[:, None, :] == 0) | (segments[:, None, :] == segments[:, :, None])
            bias = bias + (~seen)[:, None].to(state.dtype) * -1e4
            for layer in encoder.layer[: self.frozen]:
                state = _layer(layer, state, bias)
        state = state + self.kinds(kinds)
        for layer in encoder.layer[self.frozen :]:
            state = _layer(layer, state, bias)
        return self.judged(state, segments)


def _layer(layer: nn.Module, state: Tensor, bias: Tensor) -> Tensor:
    """One encoder layer, as MPNetLayer computes it, with a bias for each pair of tokens."""
    attention = layer.attention
    heads = attention.attn.num_attention_heads
    packs, tokens, width = state.shape

    def split(part: nn.Module) -> Tensor:
        return part(state).view(packs, tokens, heads, width // heads).transpose(1, 2)

    query, key, value = (split(part) for part in (attention.attn.q, attention.attn.k, attention.attn.v))
    scores = query @ key.transpose(-1, -2) * (width // heads) ** -0.5 + bias
    mixed = (torch.softmax(scores, dim=-1) @ value).transpose(1, 2).reshape(packs, tokens, width)
    state = attention.LayerNorm(attention.attn.o(mixed) + state)
    inner = layer.output.dense(nn.functional.gelu(layer.intermediate.dense(state)))
    result: Tensor = layer.output.LayerNorm(inner + state)
    return result

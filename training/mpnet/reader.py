"""The network: the lower layers of MPNet over premise and claim, and a head that sees both of them whole."""

from __future__ import annotations

from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor, nn
from transformers import MPNetModel

from guardrail.engines.local.model import ERROR_TYPES, MAX_CLAIM_TOKENS, TOKEN_KINDS, VERDICTS, SpecialTokens
from training.pairs import Pair

LAYERS = 10
"""Of twelve: the two topmost serve the sentence embedding that the base was made for."""

FROZEN = 5
"""Lower layers that keep their weights where the processor has no bfloat16: a third of the time of a step."""

TOKENS = SpecialTokens(start=(0,), between=(2, 2), end=(2,))
PAD, FIRST_POSITION = 1, 2
MAX_TOKENS = 300
HIDDEN = 256
BODY_RATE, HEAD_RATE = 8e-5, 5e-4


class Reader(nn.Module):
    """(ids, types, mask), each (pairs, tokens) -> logits (pairs, 3 verdicts and 10 error types).

    Types are those of guardrail.engines.local.model.token_types; an embedding of them is added to the words'. The head
    reads the first token, the means of premise and claim, and their distance.
    """

    def __init__(self, base: Path, layers: int = LAYERS, frozen: int = FROZEN) -> None:
        super().__init__()
        self.net = MPNetModel.from_pretrained(base, add_pooling_layer=False, attn_implementation="eager")
        self.net.encoder.layer = self.net.encoder.layer[:layers]
        width = self.net.config.hidden_size
        self.kinds = nn.Embedding(TOKEN_KINDS, width)
        nn.init.zeros_(self.kinds.weight)
        outputs = VERDICTS + len(ERROR_TYPES)
        self.head = nn.Sequential(nn.Linear(width * 4, HIDDEN), nn.GELU(), nn.Linear(HIDDEN, outputs))
        for part in (self.net.embeddings, *self.net.encoder.layer[:frozen]):
            part.requires_grad_(False)
        for module in self.net.modules():
            if isinstance(module, nn.Dropout):  # its random numbers cost much on a CPU
                module.p = 0.0

    def forward(self, ids: Tensor, types: Tensor, mask: Tensor) -> Tensor:
        """Logits, shape (pairs, 13)."""
        embeddings, encoder = self.net.embeddings, self.net.encoder
        positions = torch.arange(FIRST_POSITION, FIRST_POSITION + ids.shape[1], device=ids.device)[None]
        words = embeddings.word_embeddings(ids) + self.kinds(types) * mask[..., None]
        state = embeddings.LayerNorm(words + embeddings.position_embeddings(positions))
        bias = encoder.compute_position_bias(state)
        hidden = (1.0 - mask[:, None, None, :].float()) * -1e4
        for layer in encoder.layer:
            state = layer(state, hidden, bias)[0]
        claim = (types % 2 == 1).float() * mask
        premise = mask.float() - claim
        means = [
            (state * side[..., None]).sum(1) / side.sum(1, keepdim=True).clamp(min=1.0) for side in (premise, claim)
        ]
        logits: Tensor = self.head(torch.cat([state[:, 0], *means, (means[0] - means[1]).abs()], dim=-1))
        return logits


class MPNetLearner:
    """The larger reader as training.stage trains it."""

    def __init__(self, base: Path, start: Path | None) -> None:
        self.model = Reader(base)
        if start is not None:
            self.model.load_state_dict(torch.load(start))
        self.tokenizer = Tokenizer.from_file(str(base / "tokenizer.json"))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def parts(self) -> list[tuple[list[nn.Parameter], float]]:
        """Parameters with their highest learning rate."""
        body = [p for p in self.model.net.parameters() if p.requires_grad]
        return [(body, BODY_RATE), ([*self.model.head.parameters(), *self.model.kinds.parameters()], HEAD_RATE)]

    def logits(self, pairs: list[Pair]) -> Tensor:
        """Logits, shape (pairs, 13)."""
        rows = []
        for pair in pairs:
            right = self.tokenizer.encode(pair.claim, add_special_tokens=False).ids[:MAX_CLAIM_TOKENS]
            left = self.tokenizer.encode(pair.premise, add_special_tokens=False).ids[: MAX_TOKENS - 4 - len(right)]
            rows.append(TOKENS.pair(left, right))
        longest = max(len(ids) for ids, _ in rows)
        logits: Tensor = self.model(
            torch.tensor([ids + [PAD] * (longest - len(ids)) for ids, _ in rows]),
            torch.tensor([types + [0] * (longest - len(types)) for _, types in rows]),
            torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids, _ in rows]),
        )
        return logits

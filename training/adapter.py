"""Train a reader on without touching its large matrices: beside each stands a product of two narrow ones.

LoRA: Hu et al., ICLR 2022, section 4.1. What is trained is a twentieth of the model, so that better weights add a few
megabytes to the history of the repository, and the large file stays as it is (training.adapter_export).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

HALF = ".half"
"""Ending of a narrow matrix's name in an exported graph, where it stands in half precision and turned round."""

RANK = 32
RATE = 6e-4
"""Highest learning rate of the narrow matrices."""

SMALL_RATE = 1e-4
"""That of biases and norms, which are trained as well."""


class Adapted(nn.Module):
    """A linear layer whose weights stay, and what is added to its product; at first nothing."""

    def __init__(self, linear: nn.Linear, rank: int) -> None:
        super().__init__()
        self.linear = linear
        rank = min(rank, linear.out_features)
        self.down = nn.Parameter(torch.empty(rank, linear.in_features))
        self.up = nn.Parameter(torch.zeros(linear.out_features, rank))
        nn.init.kaiming_uniform_(self.down, a=5**0.5)

    def forward(self, state: Tensor) -> Tensor:
        """Shape (..., in) -> (..., out)."""
        product: Tensor = self.linear(state) + (state @ self.down.T) @ self.up.T
        return product


def adapt(model: nn.Module, layers: nn.Module, head: nn.Module, rank: int = RANK) -> None:
    """Freeze a model; put an adapter beside each matrix of these layers and of the head, whose biases stay trained."""
    model.requires_grad_(False)
    for part in (layers, head):
        for module in part.modules():
            if isinstance(module, nn.LayerNorm):
                module.requires_grad_(True)
        linears = [(name, module) for name, module in part.named_modules() if isinstance(module, nn.Linear)]
        for name, linear in linears:
            linear.bias.requires_grad_(True)
            parent, _, own = name.rpartition(".")
            setattr(part.get_submodule(parent), own, Adapted(linear, rank))


def trained_groups(model: nn.Module) -> list[tuple[list[nn.Parameter], float]]:
    """Parameters of an adapted model that are trained, with their highest learning rates."""
    narrow: list[nn.Parameter] = []
    small: list[nn.Parameter] = []
    for name, parameter in model.named_parameters():
        if parameter.requires_grad:
            (narrow if name.endswith((".down", ".up")) else small).append(parameter)
    return [(narrow, RATE), (small, SMALL_RATE)]

"""Weights trained in a fast number type: float32 copies that the optimizer moves, and their average over the steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

AVERAGE_EVERY = 4
"""Steps between updates of the average (an update of all weights costs as much as a fifth of a step)."""

DECAY = 0.998
"""How much of the average stays at each step."""


class Master:
    """The optimizer of a model whose weights will be of a fast type (make it first); steps are too small for bfloat16.

    Args:
        groups: Parameters with their highest learning rate.
    """

    def __init__(self, groups: Sequence[tuple[list[nn.Parameter], float]]) -> None:
        self.trained = [p for parameters, _ in groups for p in parameters]
        self.rates = [rate for _, rate in groups]
        self.exact = [p.detach().float().clone() for p in self.trained]
        self.averaged = [weight.clone() for weight in self.exact]
        copies = iter(self.exact)
        parts = [{"params": [next(copies) for _ in parameters]} for parameters, _ in groups]
        self.optimizer = torch.optim.AdamW(parts, weight_decay=0.01, fused=True)
        self.steps = 0

    def step(self, rate: float) -> None:
        """Move by the gradients of a backward pass; ``rate``, 0..1, is the share of the highest learning rates."""
        for group, highest in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = highest * rate
        for exact, parameter in zip(self.exact, self.trained, strict=True):
            exact.grad = None if parameter.grad is None else parameter.grad.float()
            parameter.grad = None
        nn.utils.clip_grad_norm_(self.exact, 1.0)
        self.optimizer.step()
        self.steps += 1
        with torch.no_grad():
            torch._foreach_copy_(self.trained, self.exact)
            if self.steps % AVERAGE_EVERY == 0:
                decay = min(DECAY, (self.steps + 1) / (self.steps + 10)) ** AVERAGE_EVERY
                torch._foreach_lerp_(self.averaged, self.exact, 1 - decay)

    @torch.no_grad()
    def show_average(self, *, shown: bool) -> None:
        """Put the average into the model, to judge it, or the trained weights back."""
        torch._foreach_copy_(self.trained, self.averaged if shown else self.exact)

    def weights(self, model: nn.Module) -> dict[str, Tensor]:
        """The model's state in float32, the trained part of it averaged."""
        averaged = {id(p): weight for p, weight in zip(self.trained, self.averaged, strict=True)}
        names = {name: averaged[id(p)] for name, p in model.named_parameters() if id(p) in averaged}
        return {name: names.get(name, tensor.float()) for name, tensor in model.state_dict().items()}

    def state(self) -> dict[str, Any]:
        """What a run goes on from."""
        return {
            "exact": self.exact,
            "averaged": self.averaged,
            "optimizer": self.optimizer.state_dict(),
            "steps": self.steps,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Go on from what ``state`` gave."""
        with torch.no_grad():
            torch._foreach_copy_(self.exact, state["exact"])
            torch._foreach_copy_(self.averaged, state["averaged"])
            torch._foreach_copy_(self.trained, self.exact)
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps = state["steps"]

"""A six-layer autoencoder for recommendations: wide sparse rows, selu."""

import torch
from torch import nn

from models.registry import Spec, rand, register, seeded


class Autoencoder(nn.Module):
    def __init__(self, widths: list[int]):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(a, b) for a, b in zip(widths, widths[1:])
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            x = nn.functional.selu(layer(x))
        return x


def _register(name: str, widths: list[int]) -> None:
    register(
        Spec(
            name=name,
            build=lambda: seeded(lambda: Autoencoder(widths)),
            inputs=lambda: ((rand(3, widths[0]),), {}),
            dynamic=lambda: {"x": {0: torch.export.Dim("batch", min=1, max=64)}},
            others=lambda: [((rand(n, widths[0], seed=n),), {}) for n in (1, 3, 16)],
        )
    )


_register("autoencoder", [17768, 512, 512, 1024, 512, 512, 17768])
_register("autoencoder_small", [176, 51, 51, 102, 51, 51, 176])

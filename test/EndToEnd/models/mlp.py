"""A small multi-layer perceptron, the first model that was supported end to end."""

import torch
from torch import nn

from models.registry import Spec, rand, register, seeded


class MLP(nn.Module):
    def __init__(self, widths: list[int]):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(a, b) for a, b in zip(widths, widths[1:])
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


register(
    Spec(
        name="mlp",
        build=lambda: seeded(lambda: MLP([32, 64, 48, 10])),
        inputs=lambda: ((rand(5, 32),), {}),
        dynamic=lambda: {"x": {0: torch.export.Dim("batch", min=1, max=512)}},
        others=lambda: [((rand(n, 32, seed=n),), {}) for n in (1, 2, 17)],
    )
)

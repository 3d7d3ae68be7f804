"""Models whose control flow depends on their data."""

import torch
from torch import nn

from models.registry import Spec, rand, register, seeded


class Cond(nn.Module):
    """torch.cond with captured weights, nested in the false branch."""

    def __init__(self):
        super().__init__()
        self.up = nn.Linear(8, 8)
        self.down = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        def positive(x):
            return torch.relu(self.up(x)) + 1

        def negative(x):
            def big(x):
                return x.sin()

            def small(x):
                return self.down(x).tanh()

            return torch.cond(x.abs().amax() > 2, big, small, (x,))

        return torch.cond(x.sum() > 0, positive, negative, (x,)) * 2


register(
    Spec(
        name="cond",
        build=lambda: seeded(Cond),
        inputs=lambda: ((rand(4, 8),), {}),
        dynamic=lambda: {"x": {0: torch.export.Dim("batch", min=2, max=64)}},
        others=lambda: [
            ((x,), {})
            for x in (
                rand(3, 8).abs(),
                -rand(5, 8).abs() - 3,
                -rand(2, 8).abs().clamp(max=1),
            )
        ],
    )
)

"""Padded depthwise convolutions and poolings of a dynamic batch: the padding is part of their
kernels, or a kernel of its own."""

import harness
import pytest
import torch
import torch.nn.functional as F
from torch import nn


class Padded(nn.Module):
    def __init__(self, channels: int):
        super().__init__()
        self.depthwise = nn.ModuleList(
            nn.Conv2d(channels, channels, size, stride, size // 2, groups=channels)
            for size, stride in ((3, 1), (3, 2), (5, 1))
        )
        self.full = nn.Conv2d(channels, 24, 3, padding=1)

    def forward(self, x):
        results = [F.relu6(layer(x)) for layer in self.depthwise]
        results.append(F.max_pool2d(x, 3, 2, padding=1))
        results.append(F.avg_pool2d(x.relu(), 3, 1, padding=1))
        results.append(self.full(F.pad(x, (1, 0, 2, 1), value=0.5)))
        results.append(F.pad(x, (3, 1)))
        return results


def drawn(*shape) -> tuple:
    return ((torch.randn(*shape, generator=torch.Generator().manual_seed(1)),), {})


@pytest.mark.parametrize("channels", [16, 21])
def test_batches(channels, tmp_path):
    torch.manual_seed(0)
    harness.check(
        Padded(channels).eval(),
        *drawn(4, channels, 9, 11),
        folder=tmp_path,
        modes=["compiled"],
        dynamic=({0: torch.export.Dim("n", min=1, max=64)},),
        others=[drawn(n, channels, 9, 11) for n in (1, 7)],
    )

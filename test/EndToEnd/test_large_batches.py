"""Random convolutions and matmuls of batches that exceed the caches, in which the loops over
images, rows and panels are blocked in different ways."""

import random

import exporting
import harness
import pytest
import torch
from torch import nn


class Layers(nn.Module):
    """Some layers of random sizes. Each adds to an earlier tensor in its epilogue."""

    def __init__(self, rng: random.Random):
        super().__init__()
        self.side = rng.choice([7, 7, 9, 12, 14, 28])
        self.width = rng.choice([64, 130, 256, 512])
        self.layers = nn.ModuleList()
        for _ in range(3):
            stride, size = rng.choice([1, 1, 2]), rng.choice([1, 1, 3])
            out = rng.choice([160, 256, 320, 512])
            self.layers.append(
                nn.Conv2d(self.width, out, size, stride, padding=size // 2, bias=rng.random() < 0.5)
            )
        self.linear = nn.Linear(self.width, rng.choice([96, 200, 640]))

    def forward(self, x, *others):
        results = [
            torch.relu(layer(x) + other)
            for layer, other in zip(self.layers, others)
        ]
        return *results, self.linear(x.flatten(2).mT) * 0.5

    def sample(self, batch: int):
        x = torch.randn(batch, self.width, self.side, self.side)
        return x, *(torch.randn_like(layer(x)) for layer in self.layers)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", range(8))
def test_layers(seed, dynamic, tmp_path):
    rng = random.Random(seed)
    torch.manual_seed(seed)
    module = Layers(rng).eval()
    batches = [rng.choice([6, 11, 16, 24])] + ([1, 5] if dynamic else [])
    with torch.no_grad():
        inputs = [module.sample(n) for n in batches]
    shapes = None
    if dynamic:
        images = torch.export.Dim("images", min=1, max=64)
        shapes = (({0: images}), *[({0: images},) * len(module.layers)])
    program = exporting.export(module, inputs[0], {}, dynamic=shapes)
    exporting.save(program, tmp_path / "m.pt2")
    target = harness.compiled(tmp_path / "m.pt2", "native", runs=2)
    flags = ["--threads=2"] if seed % 2 else []
    for args in inputs:
        expected = exporting.eager(module, args)
        got = harness.run(target, (args, {}), tmp_path, expected, *flags)
        harness.compare(got, expected)

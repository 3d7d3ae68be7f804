"""Writes <folder>/a/m.pt2, or compares archives with it."""

import sys

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("w", torch.tensor([1.5, -2.0]))
        self.register_buffer("v", torch.tensor([0.5, 4.0]))

    def forward(self, x):
        return x * (self.w + self.v)


path = sys.argv[1] + "/a/m.pt2"
if len(sys.argv) == 2:
    torch.export.save(torch.export.export(Model(), (torch.ones(2),)), path)
for other in sys.argv[2:]:
    x = torch.tensor([3.0, 5.0])
    got, want = (torch.export.load(p).module()(x) for p in (other, path))
    assert torch.equal(got, want) and torch.equal(want, x * torch.tensor([2.0, 2.0]))

"""A model with operators that have no lowering."""

import sys

import torch


class Inner(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        return torch.linalg.eigvalsh(y)


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = Inner()

    def forward(self, x):
        return self.inner(x), torch.linalg.eigh(x).eigenvalues


torch.export.save(torch.export.export(Model(), (torch.eye(4),)), sys.argv[1])

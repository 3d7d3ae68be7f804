"""Compares the sum that capi printed with eager PyTorch: expected.py OUTPUT"""

import sys

import models
import torch

spec = models.get("mlp")
x = ((torch.arange(5 * 32) % 7) / 7 - 0.5).reshape(5, 32)
want = spec.build()(x).sum().item()
got = float(open(sys.argv[1]).read().split()[1])
assert abs(got - want) < 1e-3, f"expected {want}, got {got}"

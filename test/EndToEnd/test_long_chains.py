"""Concatenations and writes of many pieces, which are copied to one buffer. One-shot bufferization
alone would take minutes for some of them."""

import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from test_tensorcore import build

COUNT = 70


def steps(x):
    """A recurrence whose states are stacked."""
    h, states = torch.zeros_like(x[:, 0]), []
    for i in range(COUNT):
        h = h * 0.9 + x[:, i % x.shape[1]]
        states.append(h)
    return torch.stack(states, 1), torch.stack(states).sum(0)


def slices(x):
    return torch.cat([x[:, i % 7 : i % 7 + 3] * i for i in range(COUNT)], 1).relu()


def columns(x):
    """Writes to columns, of which some are overwritten; others keep what was there."""
    y = x.repeat(1, 10) * 2
    for i in range(COUNT):
        y[:, i % 60] = x[:, i % 16] * i + y[:, (i + 1) % 60]
    return y, y.sum(1)


def strided(x):
    y = torch.zeros(x.shape[0], 3 * COUNT)
    for i in range(COUNT):
        y[:, i :: COUNT] = x[:, i % 10 : i % 10 + 3].sin()
    return y.softmax(1)


def shared(x):
    """A version of the tensor in the middle is used, too."""
    y = torch.zeros(x.shape[0], COUNT)
    for i in range(COUNT):
        y[:, i] = x[:, i % 16] * i
        if i == 40:
            middle = y.clone()
    return y, middle.cumsum(1)


CASES = [steps, slices, columns, strided, shared]
ROWS = torch.export.Dim("rows", max=64)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("dynamic", [False, True])
def test_cpu(case, dynamic, tmp_path):
    dynamic = {"dynamic": ({0: ROWS},), "others": [((randn(9, 16),), {})]} if dynamic else {}
    harness.check(Function(case), (randn(4, 16),), folder=tmp_path, modes=["compiled"], **dynamic)


@pytest.mark.parametrize("case", [steps, strided])
def test_gpu(case, tmp_path):
    module, args, model = build(lambda: (Function(case), (randn(4, 16),), None), tmp_path)
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)

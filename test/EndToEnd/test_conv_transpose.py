"""Random transposed convolutions: strides, kernels shorter and longer than the stride, padding,
output padding, dilation, groups, one to three dimensions, dynamic sizes."""

import random

import exporting
import harness
import pytest
import torch
import torch.nn.functional as F

CONVOLVE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def drawn(pick: random.Random) -> tuple:
    """Returns the sizes of the input and of the weight, and the other arguments."""
    spatial = pick.choice([1, 1, 2, 2, 2, 3])
    each = lambda low, high: [pick.randint(low, high) for _ in range(spatial)]
    groups = pick.choice([1, 1, 2, 3])
    channels = groups * pick.randint(1, 4)
    stride, dilation = each(1, 4), each(1, 2) if pick.random() < 0.2 else [1] * spatial
    rest = [pick.randint(0, max(s, d) - 1) for s, d in zip(stride, dilation)]
    sizes = (pick.randint(1, 3), channels, *each(2, 6))
    weight = (channels, pick.randint(1, 5), *each(1, 5))
    return sizes, weight, (stride, each(0, 3), rest, groups, dilation)


class Layers(torch.nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = layers
        self.weights = torch.nn.ParameterList(torch.randn(w) for _, w, _ in layers)
        self.biases = torch.nn.ParameterList(
            torch.randn(w[1] * options[3]) for _, w, options in layers)

    def forward(self, inputs):
        return [CONVOLVE[x.dim() - 2](x, w, b, *options) for x, w, b, (*_, options) in
                zip(inputs, self.weights, self.biases, self.layers)]


def layers(seed: int, count: int, least: int = 1) -> Layers:
    """`least` is the least size of a result's first spatial dimension."""
    torch.manual_seed(seed)
    pick, found = random.Random(seed), []
    while len(found) < count:
        sizes, weight, options = drawn(pick)
        stride, padding, rest, _, dilation = options
        out = [(n - 1) * s - 2 * p + d * (k - 1) + r + 1 for n, s, p, d, k, r in
               zip(sizes[2:], stride, padding, dilation, weight[2:], rest)]
        if min(out) > 0 and out[0] >= least:
            found.append((sizes, weight, options))
    return Layers(found)


@pytest.mark.parametrize("dynamic", [False, True], ids=["static", "dynamic"])
@pytest.mark.parametrize("seed", range(2))
def test_random(seed, dynamic, tmp_path, request):
    for number in range(10 if request.config.getoption("--long") else 1):
        # torch.export specializes sizes of small results.
        module = layers(2 * seed + dynamic + 100 * number, 24, least=8 if dynamic else 1)
        inputs = [torch.randn(sizes) for sizes, *_ in module.layers]
        # One size of each input.
        dims = [{2: torch.export.Dim.DYNAMIC} for i in range(len(inputs))]
        harness.check(module, (inputs,), {}, folder=tmp_path, modes=["compiled"],
                      dynamic=(dims,) if dynamic else None,
                      others=[(([torch.randn(x.shape[0], x.shape[1], x.shape[2] + 3, *x.shape[3:])
                                 for x in inputs],), {})] if dynamic else [])


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64], ids=str)
def test_dtypes(dtype, tmp_path):
    module = layers(9, 8).to(dtype)
    inputs = [torch.randn(sizes, dtype=dtype) for sizes, *_ in module.layers]
    harness.check(module, (inputs,), {}, folder=tmp_path, modes=["compiled"])


def test_no_zeros_are_multiplied(tmp_path):
    """A convolution of the input itself: its number of terms does not depend on the stride."""
    module = torch.nn.ConvTranspose2d(16, 32, 4, 4)
    exporting.save(exporting.export(module, (torch.randn(1, 16, 8, 8),)), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", "--emit=linalg", tmp_path / "m.pt2")
    assert "tensor<1x16x8x8xf32>, tensor<512x16x1x1xf32>" in result.stdout, result.stdout

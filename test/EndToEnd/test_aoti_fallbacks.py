"""Operators without native code, and numbers, in packages for PyTorch's own loaders."""

import re

import exporting
import harness
import packages
import pytest
import torch
from torch.export import Dim


def package(module, args, folder, dynamic=None):
    exporting.save(exporting.export(module, args, dynamic=dynamic), folder / "m.pt2")
    return packages.package(folder / "m.pt2")


class Lists(torch.nn.Module):
    def forward(self, x, y):
        """A list of tensors, and a view of booleans as another dtype."""
        return torch.block_diag(x, y), torch.tan(x.to(torch.complex64)), (x > 0).view(torch.uint8)


class Optional(torch.nn.Module):
    def forward(self, x, bins):
        """Results that are a pair, Scalars, and optional tensors that are absent or present."""
        histogram, edges = torch.histogram(x, bins=4, range=(-2.0, 2.0))
        values, vectors = torch.linalg.eigh(x @ x.T)
        return histogram, edges, values, vectors.abs(), torch.fft.fft(bins, 1009)


@pytest.mark.parametrize(
    "module, args",
    [
        (Lists(), (torch.randn(3, 4), torch.randn(2, 5))),
        (Optional(), (torch.randn(4, 4), torch.randn(2, 1009))),
    ],
    ids=["lists", "optional"],
)
def test_operators(module, args, tmp_path, capfd):
    model = packages.load(package(module, args, tmp_path))
    # Without native code, or the test would not reach the proxy executor.
    flags = ["--emit=aoti", "--no-fallback", "-o", tmp_path / "no.pt2"]
    result = harness.tool("fx-compile", tmp_path / "m.pt2", *flags)
    assert result.returncode == 1 and not (tmp_path / "no.pt2").exists()
    assert re.fullmatch(
        r"error: \S*m\.pt2: expected native code for every operator, got \d without: .*\n",
        result.stderr,
    )
    for _ in range(2):
        harness.compare(packages.call(model, args), exporting.eager(module, args))
    assert capfd.readouterr().err == ""


class Scaled(torch.nn.Module):
    def forward(self, x, n):
        return x * n


def test_numbers(tmp_path):
    """The loaders pass tensors only: a number is a 0-d tensor."""
    args = (torch.ones(2), 3)
    model = packages.load(package(Scaled(), args, tmp_path, (None, Dim.DYNAMIC)))
    x = torch.randn(2)
    for n in (3, 7, 0):
        torch.testing.assert_close(model(x, torch.tensor(n)), x * n)
        torch.testing.assert_close(model(x, torch.tensor(n, dtype=torch.int32)), x * n)
    with pytest.raises(RuntimeError, match="expected 2 inputs, got 1; a number must be a 0-d"):
        model(x, 3)
    with pytest.raises(RuntimeError, match="input 'n'"):
        model(x, torch.tensor(1.5))


class Draws(torch.nn.Module):
    """Distributions, also with Scalars and a size that is computed at run time."""

    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 1)
        torch._check(k < 100)
        y = torch.nn.functional.dropout(x, 0.3, training=True)
        return (
            y,
            torch.rand_like(x) + torch.randn(x.shape[0], 6),
            torch.randint(0, 9, (x.shape[0], k)),
            torch.rrelu(x, 0, 2, training=True),
            torch.poisson(x.abs() * 3),
            torch.bernoulli(x.sigmoid()),
            torch.randperm(20),
            torch.multinomial(x.abs() + 0.1, 4, replacement=True),
            torch.nn.functional.scaled_dot_product_attention(*[x[None, None]] * 3, dropout_p=0.2),
        )


def test_random_numbers(tmp_path):
    """All draws are from PyTorch's generator, so torch.manual_seed gives the same values."""
    args = (torch.randn(4, 6), torch.tensor(7))
    module = Draws()
    model = packages.load(package(module, args, tmp_path, ({0: Dim.DYNAMIC}, None)))
    for rows, seed in ((4, 0), (9, 1), (9, 2)):
        args = (torch.randn(rows, 6), torch.tensor(rows))
        torch.manual_seed(seed)
        want = [exporting.eager(module, args) for _ in range(2)]
        torch.manual_seed(seed)
        for expected in want:
            harness.compare(packages.call(model, args), expected)


def test_error(tmp_path):
    """The message of an operator reaches the caller, and the model works on."""

    class Draw(torch.nn.Module):
        def forward(self, x):
            return torch.poisson(x + 0)

    model = packages.load(package(Draw(), (torch.rand(4),), tmp_path))
    with pytest.raises(RuntimeError, match="invalid Poisson rate"):
        model(torch.tensor([1.0, -1.0, 0.0, 2.0]))
    harness.compare(packages.call(model, (torch.zeros(4),)), torch.zeros(4))


def test_refusal(tmp_path):
    """The error is one line with the operator, the node and the reason."""

    class Infinite(torch.nn.Module):
        def forward(self, x):
            return torch.zeros(3).log_normal_(0.0, float("inf")) + x

    exporting.save(exporting.export(Infinite(), (torch.rand(3),)), tmp_path / "m.pt2")
    out = tmp_path / "out.pt2"
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--emit=aoti", "-o", out)
    assert result.returncode == 1 and not out.exists()
    assert re.fullmatch(
        r"error: \S*m\.pt2: --emit=aoti: expected native code or arguments that AOTInductor's "
        r"loaders pass to ATen for every operator, got 1 without: "
        r"aten\.log_normal\.default \(log_normal_?\): an argument that is infinite or NaN\n",
        result.stderr,
    )

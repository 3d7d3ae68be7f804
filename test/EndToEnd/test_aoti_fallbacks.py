"""Operators without native code, and numbers, in packages for PyTorch's own loaders."""

import exporting
import harness
import packages
import pytest
import torch
from torch.export import Dim


def load(module, args, folder, dynamic=None):
    program = exporting.export(module, args, dynamic=dynamic)
    exporting.save(program, folder / "m.pt2")
    # Without native code, or the test would not reach the proxy executor.
    result = harness.tool(
        "fx-compile", folder / "m.pt2", "--no-fallback", "--emit=linalg", "-o", folder / "m.mlir"
    )
    assert result.returncode == 1 and "expected native code" in result.stderr
    return packages.load(packages.package(folder / "m.pt2"))


class Lists(torch.nn.Module):
    def forward(self, x, y):
        """A list of tensors, and a view as another dtype."""
        return torch.block_diag(x, y), torch.tan(x.to(torch.complex64)), x.view(torch.int32)


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
def test_operators(module, args, tmp_path):
    model = load(module, args, tmp_path)
    for _ in range(2):
        harness.compare(packages.call(model, args), exporting.eager(module, args))


class Scaled(torch.nn.Module):
    def forward(self, x, n):
        return x * n


def test_numbers(tmp_path):
    """The loaders pass tensors only: a number is a 0-d tensor."""
    program = exporting.export(Scaled(), (torch.ones(2), 3), dynamic=(None, Dim.DYNAMIC))
    exporting.save(program, tmp_path / "m.pt2")
    model = packages.load(packages.package(tmp_path / "m.pt2"))
    x = torch.randn(2)
    for n in (3, 7, 0):
        torch.testing.assert_close(model(x, torch.tensor(n)), x * n)
        torch.testing.assert_close(model(x, torch.tensor(n, dtype=torch.int32)), x * n)
    with pytest.raises(RuntimeError, match="expected 2 inputs, got 1; a number must be a 0-d"):
        model(x, 3)
    with pytest.raises(RuntimeError, match="input 'n'"):
        model(x, torch.tensor(1.5))

"""Maxima and minima of rows with NaN and infinities, at each position of rows of several lengths.

The kernels leave NaN out of the maximum and look for it apart, two vectors at a time.
"""

import exporting
import harness
import pytest
import torch
from gpu_cases import Function

#: Shorter than a vector, whole vectors, several at a time, with and without a rest.
LENGTHS = (1, 7, 8, 9, 16, 31, 32, 33, 64, 72, 100, 131)


class Maxima(torch.nn.Module):
    def forward(self, *inputs):
        results = []
        for x in inputs:
            low, high = x.aminmax(dim=-1)
            results += [x.amax(-1), x.amin(-1), x.softmax(-1), x.log_softmax(-1), low - high]
        return results


def rows(length: int, dtype) -> torch.Tensor:
    """One special value at each position of a row of `length`, and rows of special values alone."""
    generator = torch.Generator().manual_seed(length)
    blocks = []
    for value in (torch.nan, torch.inf, -torch.inf):
        block = torch.randn(length, length, generator=generator, dtype=dtype)
        block.fill_diagonal_(value)
        blocks += [block, torch.full((1, length), value, dtype=dtype)]
    mixed = torch.randn(8, length, generator=generator, dtype=dtype)
    mixed[:, 0], mixed[::2, -1] = torch.inf, torch.nan
    return torch.cat([*blocks, mixed, -mixed])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_specials(dtype, tmp_path):
    inputs = tuple(rows(length, dtype) for length in LENGTHS)
    harness.check(Maxima(), inputs, folder=tmp_path, modes=["native"])


class Softmax(torch.nn.Module):
    def forward(self, x, y):
        return x.softmax(-1), y.softmax(-1), torch.nn.functional.layer_norm(x, x.shape[1:])


def test_prefetched_rows(tmp_path):
    """Rows of a large input are prefetched while the row before is processed."""
    inputs = (torch.randn(700, 256), torch.randn(3, 90, 1000))
    exporting.save(exporting.export(Softmax(), inputs), tmp_path / "m.pt2")
    assembly = tmp_path / "m.s"
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "--mcpu=x86-64-v3", "--emit=asm", "-o", assembly)
    assert result.returncode == 0, result.stderr
    assert "prefetcht0" in assembly.read_text()
    harness.check(Softmax(), inputs, folder=tmp_path, modes=["native"])


class Terms(torch.nn.Module):
    """Softmaxes whose exponents are known not to be positive, and others that look alike."""

    def forward(self, x, square):
        top = x.amax(-1, keepdim=True)
        return (
            x.softmax(-1),
            (x - top).exp(),
            x.log_softmax(-1),
            x.softmax(0),
            # Exponents that may be positive.
            (x - x.amax(0)).exp() * 0 + (top - x).clamp(max=60).exp(),
            (square - square.amax(-1)).exp(),
            (square - (square - 40).amax(-1, keepdim=True)).exp(),
        )


@pytest.mark.parametrize("isDynamic", [False, True])
def test_small_terms(isDynamic, tmp_path):
    """Terms are exact down to the smallest subnormal number."""
    generator = torch.Generator().manual_seed(0)
    x = -torch.rand(40, 40, generator=generator) * 80
    edges = torch.linspace(-86.9, -87.3, 40)
    below = torch.cat([torch.linspace(-87.4, -110, 38), torch.tensor([-1e30, -torch.inf])])
    x[0], x[1] = edges, below
    x[:3, 7] = 0
    square = torch.randn(40, 40, generator=generator) * 20
    # Differences of multiples of 2^-12 are not rounded.
    x, square = ((v * 4096).round() / 4096 for v in (x, square))
    rows = {0: torch.export.Dim("n", min=2)} if isDynamic else None
    program = exporting.export(Terms(), (x, square), dynamic=(rows, None))
    exporting.save(program, tmp_path / "m.pt2")
    results = harness.run(tmp_path / "m.pt2", ((x, square), {}), tmp_path, [x] * 7)
    for got, want in zip(results, Terms()(x.double(), square.double()), strict=True):
        assert (got[want == 0] == 0).all()
        # The last place of a subnormal number, and of log_softmax.
        atol = 1e-6 if (want < 0).any() else 2.0**-149
        torch.testing.assert_close(got.double(), want, rtol=5e-7, atol=atol)


def test_masks(tmp_path):
    """Rows of booleans, of a number that the compiler does not know."""
    def masked(x, mask):
        return (x.masked_fill(mask, -torch.inf).softmax(-1), mask.any(-1),
                torch.where(mask, x, 0).sum(-1))

    x, mask = torch.randn(5, 1024), torch.rand(5, 1024) < 0.5
    rows = {0: torch.export.Dim("n", min=2)}
    module = Function(masked)
    harness.check(module, (x, mask), folder=tmp_path, modes=["native"], dynamic=(rows, rows))

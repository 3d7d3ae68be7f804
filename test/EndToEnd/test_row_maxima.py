"""Maxima and minima of rows with NaN and infinities, at each position of rows of several lengths.

The kernels leave NaN out of the maximum and look for it apart, two vectors at a time.
"""

import exporting
import harness
import pytest
import torch

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

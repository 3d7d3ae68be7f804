"""Pointwise kernels whose operands have another memory order than their results."""

import itertools

import emulate
import exporting
import harness
import pytest
import torch

TYPES = [torch.float32, torch.bfloat16, torch.float64, torch.int64, torch.uint8, torch.bool]


class Transposed(torch.nn.Module):
    def forward(self, x, y):
        if x.dtype in (torch.bool, torch.uint8):
            return [x.permute(p).contiguous() for p in itertools.permutations(range(4))]
        both = y.mT + x[0, 0]
        results = [x.permute(p).contiguous() for p in itertools.permutations(range(4))]
        results += [y.t() + y.t() * 2, y.mT * x[0, 0], both, both.t() + y, (y.t() + 1).t() * 2]
        results += [x.transpose(2, 3) * y + x.sum(), x.flatten(1).t() + 1]
        return [*results, torch.cat([x.mT, y.expand(2, 3, -1, -1)], 1), torch.maximum(x, y.t()).mT + 1]


def drawn(dtype, *sizes) -> tuple:
    generator = torch.Generator().manual_seed(sum(sizes))
    h, w = sizes
    x = torch.randint(-90, 90, (2, 3, h, w), generator=generator)
    y = torch.randint(-90, 90, (w, h), generator=generator)
    return ((x.to(dtype), y.to(dtype)), {})


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("size", [(16, 32), (33, 50), (5, 70)], ids=str)
def test_static(dtype, size, tmp_path):
    harness.check(Transposed(), *drawn(dtype, *size), folder=tmp_path, modes=["compiled"])


class Two(torch.nn.Module):
    """Transposes two operands in one kernel."""

    def forward(self, x, y):
        return (x * 2).t() + y.t() * 3


@pytest.mark.parametrize("size", [(48, 64), (5, 4), (33, 50)], ids=str)
def test_two_operands(size, tmp_path):
    args = (torch.randn(size), torch.randn(size))
    harness.check(Two(), args, folder=tmp_path, modes=["compiled"])


def test_dynamic(tmp_path):
    h, w = torch.export.Dim("h", min=2), torch.export.Dim("w", min=2)
    others = [(2, 3), (16, 16), (17, 15), (64, 33), (40, 100)]
    harness.check(
        Transposed(),
        *drawn(torch.float32, 20, 37),
        folder=tmp_path,
        modes=["compiled"],
        dynamic=({2: h, 3: w}, {0: w, 1: h}),
        others=[drawn(torch.float32, *s) for s in others],
    )


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.int64, torch.uint8], ids=str)
def test_gpu(dtype, tmp_path):
    """Copies through tiles in shared memory, which are not full."""
    args, _ = drawn(dtype, 33, 50)
    exporting.save(exporting.export(Transposed(), args), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated")
    want = exporting.eager(Transposed(), args)
    harness.compare(model.run(args, want, seed=1), want)


def test_gpu_dynamic(tmp_path):
    h, w = torch.export.Dim("h", min=2), torch.export.Dim("w", min=2)
    program = exporting.export(
        Transposed(), drawn(torch.float32, 20, 37)[0], dynamic=({2: h, 3: w}, {0: w, 1: h})
    )
    exporting.save(program, tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated")
    for sizes in [(2, 3), (31, 65)]:
        args, _ = drawn(torch.float32, *sizes)
        want = exporting.eager(Transposed(), args)
        harness.compare(model.run(args, want), want)

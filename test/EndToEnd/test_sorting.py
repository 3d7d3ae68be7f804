"""Rows too long to be counted, with everything that a number can be."""

import harness
import pytest
import torch

FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16]
INTEGERS = [torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool]


class Sorted(torch.nn.Module):
    def forward(self, x):
        up = x.sort(stable=True, dim=1)
        down = x.sort(stable=True, dim=1, descending=True)
        middle = x.transpose(0, 1).sort(stable=True, dim=0)
        return *up, *down, *middle, x.flatten().argsort(stable=True)


def drawn(dtype, *shape) -> tuple:
    generator = torch.Generator().manual_seed(5)
    if dtype == torch.bool:
        return ((torch.rand(shape, generator=generator) > 0.5,), {})
    if not dtype.is_floating_point:
        limits = torch.iinfo(dtype)
        x = torch.randint(limits.min, limits.max, shape, generator=generator, dtype=dtype)
        x[0, ::3] = x[0, 0]
        x[-1, 1::5], x[-1, ::7] = limits.max, limits.min
        return ((x,), {})
    x = torch.randn(shape, generator=generator).to(dtype)
    limits = torch.finfo(dtype)
    special = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0, limits.max, limits.min]
    special += [limits.smallest_normal, -limits.smallest_normal, limits.tiny / 4, -float("nan")]
    for k, value in enumerate(special * 2):
        x[0, (5 * k) % shape[1]] = value
    return ((x,), {})


@pytest.mark.parametrize("dtype", FLOATS + INTEGERS, ids=str)
def test_rows(dtype, tmp_path):
    """Equal elements keep their order, so that all answers are eager's."""
    harness.check(Sorted(), *drawn(dtype, 3, 150), folder=tmp_path, modes=["compiled"])


def test_dynamic(tmp_path):
    rows, length = torch.export.Dim("r", min=2), torch.export.Dim("n", min=2)
    others = [drawn(torch.float32, *s) for s in ((2, 2), (7, 300), (300, 7), (2, 4097))]
    harness.check(
        Sorted(),
        *drawn(torch.float32, 4, 90),
        folder=tmp_path,
        modes=["compiled"],
        dynamic=({0: rows, 1: length},),
        others=others,
    )

"""Elements with a stride, or in reverse order: in vector loads, and in copies to and from memory
with gaps. Rows are shorter than a vector, as long, and longer."""

import harness
import pytest
import torch

DTYPES = [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.int8, torch.bool]


class Apart(torch.nn.Module):
    def forward(self, x, y):
        first, last = x[..., 0], x[..., -1]
        both = first & last if x.dtype == torch.bool else first + last
        turned = (both.flip(0), both.flip(1), both.flip(0, 1), x.flip(2))
        backwards = y.flip(1)
        if y.dtype != torch.bool:
            backwards = backwards * 2 - y
        return both, *turned, backwards


class Gaps(torch.nn.Module):
    def forward(self, x, y):
        rows = torch.stack([x[..., 0], x[..., -1], x[..., 0]], -1)
        blocks = torch.stack([x, x], 1)
        columns = torch.cat([y[:, 1:3], y, y[:, :1]], 1)
        out = torch.zeros(3, 2 * y.shape[1], dtype=y.dtype)
        out[:, ::2] = y[:3]
        return rows, blocks, columns, out, x.permute(2, 0, 1).unfold(2, 3, 2)


def drawn(dtype, rows, length, width):
    generator = torch.Generator().manual_seed(1)
    shapes = (rows, length, width), (rows, length)
    draw = [torch.randint(-100, 100, s, generator=generator) for s in shapes]
    if dtype == torch.bool:
        draw = [t > 0 for t in draw]
    return tuple(t.to(dtype) for t in draw), {}


@pytest.mark.parametrize("module", [Apart, Gaps], ids=lambda m: m.__name__)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("width", [2, 3, 4, 5])
def test_static(module, dtype, width, tmp_path):
    length = {2: 64, 3: 37, 4: 7, 5: 150}[width]
    harness.check(module(), *drawn(dtype, 3, length, width), folder=tmp_path, modes=["compiled"])


@pytest.mark.parametrize("module", [Apart, Gaps], ids=lambda m: m.__name__)
def test_dynamic(module, tmp_path):
    length, width = torch.export.Dim("n", min=3), torch.export.Dim("w", min=2, max=9)
    harness.check(
        module(),
        *drawn(torch.float32, 4, 90, 3),
        folder=tmp_path,
        modes=["compiled"],
        dynamic=({1: length, 2: width}, {1: length}),
        others=[drawn(torch.float32, 4, *s) for s in ((16, 2), (3, 5), (129, 9))],
    )

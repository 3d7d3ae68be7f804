"""Rows too long for sorting by counting, with all special values."""

import exporting
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
    """Sorting is stable, so all results equal eager's."""
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


class First(torch.nn.Module):
    def forward(self, x):
        return (
            *x.topk(1),
            *x.topk(7, largest=False),
            *x.topk(100),
            *x.transpose(0, 1).topk(50, dim=0, sorted=False),
        )


def first(x):
    """Returns the expected results of `First`, which takes the first of equal elements."""
    result = []
    for k, descending in ((1, True), (7, False), (100, True), (50, True)):
        values, indices = x.sort(stable=True, dim=1, descending=descending)
        result += [values[:, :k], indices[:, :k]]
    return *result[:-2], *(t.t() for t in result[-2:])


@pytest.mark.parametrize("length", [601, 4500])
@pytest.mark.parametrize("dtype", FLOATS + INTEGERS[:-1], ids=str)
def test_first(dtype, length, tmp_path):
    """Few elements of a row are selected before they are sorted. The second row has equal
    elements."""
    (x,), _ = drawn(dtype, 3, length)
    x[1] = x[1, 0]
    exporting.save(exporting.export(First(), (x,), {}), tmp_path / "m.pt2")
    want = First()(x)
    got = harness.run(tmp_path / "m.pt2", ((x,), {}), tmp_path, want)
    harness.compare(got[:6:2], want[:6:2])
    harness.compare(got, first(x))


def test_first_dynamic(tmp_path):
    rows, length = torch.export.Dim("r", min=2), torch.export.Dim("n", min=101)
    (x,), _ = drawn(torch.float32, 4, 700)
    program = exporting.export(First(), (x,), {}, dynamic=({0: rows, 1: length},))
    exporting.save(program, tmp_path / "m.pt2")
    for shape in ((4, 700), (2, 101), (3, 9000)):
        (x,), _ = drawn(torch.float32, *shape)
        got = harness.run(tmp_path / "m.pt2", ((x,), {}), tmp_path, first(x))
        harness.compare(got, first(x))


class Middle(torch.nn.Module):
    def forward(self, x):
        results = [*x.median(1), *x.kthvalue(9, 1), *x.kthvalue(x.shape[1] - 3, 1)]
        if x.is_floating_point():
            results += x.nanmedian(1)
        return *results, *x.transpose(0, 1).contiguous().median(0)


@pytest.mark.parametrize("length", [150, 3001])
@pytest.mark.parametrize(
    "dtype", [torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.uint8], ids=str
)
def test_middle(dtype, length, tmp_path):
    """Elements at a place of the sorted rows, which are sorted or searched. Of equal elements,
    any may be the result. Rows without, with one and with many NaNs."""
    (x,), _ = drawn(dtype, 5, length)
    x[1] = x[1, 0]
    x[4, length // 4 :] = x[0, 0]
    exporting.save(exporting.export(Middle(), (x,), {}), tmp_path / "m.pt2")
    want = Middle()(x)
    got = harness.run(tmp_path / "m.pt2", ((x,), {}), tmp_path, want)
    harness.compare(got[::2], want[::2])
    for values, indices in zip(want[::2], got[1::2]):
        harness.compare([x.gather(1, indices.unsqueeze(1)).squeeze(1)], [values])


class Lengths(torch.nn.Module):
    """The first elements of rows of many lengths."""

    CASES = [(1, 1), (2, 1), (5, 5), (8, 3), (9, 9), (17, 2), (33, 33), (70, 9), (130, 65)]
    CASES += [(257, 16), (600, 600), (1025, 30), (2048, 2048), (2049, 4), (9000, 3)]

    def forward(self, x):
        rows = [(x[:, :length].contiguous(), k) for length, k in self.CASES]
        return [t for row, k in rows for t in row.topk(k, largest=False)]


def test_lengths(tmp_path):
    """Many equal elements, of which the first ones come first."""
    generator = torch.Generator().manual_seed(2)
    x = torch.randint(-40, 40, (5, 9000), generator=generator).float() / 8
    exporting.save(exporting.export(Lengths(), (x,), {}), tmp_path / "m.pt2")
    want = []
    for length, k in Lengths.CASES:
        want += [t[:, :k] for t in x[:, :length].sort(stable=True, dim=1)]
    harness.compare(harness.run(tmp_path / "m.pt2", ((x,), {}), tmp_path, want), want)

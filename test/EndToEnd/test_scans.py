"""Scans along each dimension: the contiguous one, whose rows lanes walk, and others."""

import exporting
import harness
import pytest
import torch

SCANS = {
    "cumsum": torch.cumsum,
    "cumprod": torch.cumprod,
    "logcumsumexp": torch.logcumsumexp,
    "cummax": lambda x, dim: tuple(x.cummax(dim)),
    "cummin": lambda x, dim: tuple(x.cummin(dim)),
    "areas": lambda x, dim: torch.cumulative_trapezoid(x, dim=dim),
}
INTEGERS = [torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool]


class Scans(torch.nn.Module):
    def __init__(self, names):
        super().__init__()
        self.names = names

    def forward(self, x):
        return {
            f"{name} {dim}": SCANS[name](x, dim) for name in self.names for dim in range(x.dim())
        }


class Along(torch.nn.Module):
    def __init__(self, function, dim):
        super().__init__()
        self.function = function
        self.dim = dim

    def forward(self, x):
        return self.function(x, self.dim)


class Special(torch.nn.Module):
    def forward(self, x):
        results = {f"{name} {dim}": SCANS[name](x, dim) for name in SCANS for dim in (0, 1)}
        results["transposed"] = x.t().cumsum(0)
        results["sliced"] = x[:, 1:].cumsum(1)
        results["wide"] = x.cumsum(1, dtype=torch.float64)
        results["count"] = (x > 0).cumsum(1)
        results["whole"] = x.flatten().cumsum(0)
        return results


def drawn(dtype, *shape) -> tuple:
    generator = torch.Generator().manual_seed(3)
    if dtype == torch.bool:
        return ((torch.rand(shape, generator=generator) > 0.5,), {})
    if not dtype.is_floating_point:
        return ((torch.randint(0, 9, shape, generator=generator, dtype=dtype),), {})
    return ((torch.randn(shape, generator=generator).to(dtype),), {})


@pytest.mark.parametrize("shape", [(9, 21), (1, 40), (3, 5, 17), (2, 35, 3), (17,), (4, 600)], ids=str)
def test_shapes(shape, tmp_path):
    """Remainders of vectors, rows and columns; few and single rows."""
    harness.check(Scans(list(SCANS)), *drawn(torch.float32, *shape), folder=tmp_path, modes=["compiled"])


@pytest.mark.parametrize("dtype", [torch.float64, torch.float16, torch.bfloat16, *INTEGERS], ids=str)
def test_dtypes(dtype, tmp_path):
    names = ["cumsum", "cummax", "cummin"]
    if dtype.is_floating_point:
        names += ["logcumsumexp", "cumprod"]
    harness.check(Scans(names), *drawn(dtype, 11, 19), folder=tmp_path, modes=["compiled"])


def test_special(tmp_path):
    (x,), _ = drawn(torch.float32, 10, 30)
    special = [float("nan"), float("inf"), -float("inf"), 0.0, -0.0]
    for k, value in enumerate(special):
        x[k, 3 * k] = x[k + 5, 20 - k] = value
    x[2, 20] = float("inf")  # the sum is NaN from here on
    harness.check(Special(), (x,), {}, folder=tmp_path, modes=["compiled"])


@pytest.mark.parametrize("dim, shape", [(1, (3, 5000)), (0, (5000, 3)), (0, (5000,))], ids=str)
@pytest.mark.parametrize("scale", [3.0, 1e-4, 80.0])
def test_long_logarithms_of_sums(dim, shape, scale, tmp_path):
    """The errors of logcumsumexp do not add up along a row."""
    (x,), _ = drawn(torch.float32, *shape)
    x = (x * scale).contiguous()
    module = Along(torch.logcumsumexp, dim)
    exporting.save(exporting.export(module, (x,)), tmp_path / "m.pt2")
    result = harness.tool("fx-compile", tmp_path / "m.pt2", "-o", tmp_path / "m.so", "--no-fallback")
    assert result.returncode == 0, result.stderr
    want = torch.logcumsumexp(x, dim)
    (got,) = harness.run(tmp_path / "m.so", ((x,), {}), tmp_path / "run", want)
    exact = torch.logcumsumexp(x.double(), dim)
    assert (got - exact).abs().max() <= 2e-7 * (1 + exact.abs().max())


def test_dynamic(tmp_path):
    rows, length = torch.export.Dim("r", min=3), torch.export.Dim("n", min=3)
    harness.check(
        Special(),
        *drawn(torch.float32, 4, 90),
        folder=tmp_path,
        modes=["compiled"],
        dynamic=({0: rows, 1: length},),
        others=[drawn(torch.float32, *s) for s in ((3, 3), (7, 300), (300, 7), (16, 64))],
    )


class Long(torch.nn.Module):
    def forward(self, x):
        return x.cumsum(0), x.reshape(4, -1).cumsum(1), x.reshape(-1, 4).cumsum(0)


def test_accuracy(tmp_path):
    """Sums of float32 are accumulated in float64, as in eager: the errors do not grow."""
    (x,), _ = drawn(torch.float32, 100000)
    results = Long()(x)
    exact = Long()(x.double())
    import exporting

    exporting.save(exporting.export(Long(), (x,), {}), tmp_path / "m.pt2")
    got = harness.run(tmp_path / "m.pt2", ((x,), {}), tmp_path, results)
    for g, e in zip(got, exact, strict=True):
        assert (g.double() - e).abs().max() <= 2e-7 * e.abs().max()

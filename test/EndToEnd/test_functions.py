"""Elementwise functions, compared with float64: within two units in the last place of float32,
bfloat16 and float16, and equal to torch at zeros, infinities, NaN, poles and the ends of the
range. benchmarks/accuracy.py measures the errors over the whole range."""

import pathlib

import exporting
import harness
import mpmath
import pytest
import torch

#: The largest errors, in units in the last place of float32: those measured over the whole
#: range, rounded up. That of exp is smaller with AVX-512, which has other code.
LIMITS = {
    **{"sin": 1.2, "cos": 1.2, "tan": 1.3, "asin": 1.2, "acos": 1.3, "atan": 1.3},
    **{"sinh": 1.5, "cosh": 1.3, "tanh": 1.3, "asinh": 1.3, "acosh": 1.1, "atanh": 1.2},
    **{"exp": 0.9 if " avx512f " in pathlib.Path("/proc/cpuinfo").read_text() else 1.5},
    **{"exp2": 0.8, "expm1": 1.3, "log": 1.0, "log2": 1.4, "log10": 1.1, "log1p": 1.0},
    **{"erf": 1.4, "erfc": 2.4},
}
UNARY = list(LIMITS)
BINARY = ["atan2", "pow"]
LIMITS |= {"atan2": 1.8, "pow": 1.7}

inf, nan, pi = float("inf"), float("nan"), torch.pi
SPECIAL = [0.0, inf, nan, 1, 1e-45, 1e-30, 3e38, 2.0**51, 2.0**60, 1e10, pi, pi / 2, 0.5, 2, 3]
SPECIAL += [0.3, 1e-3, 1.1e-3, 88, 89.4, 104, 20, 65504, 1599, 1601, 2.0**44, 2.0**50]
SPECIAL += [1.5, 0.625, 1e-40, 10.05, 2.0**26, 2.0**30, 2.0**127, 4 / 3]


class Functions(torch.nn.Module):
    def forward(self, x, a, b):
        return tuple(getattr(torch, name)(x) for name in UNARY) + tuple(
            getattr(torch, name)(a, b) for name in BINARY
        )


def spacing(x):
    """Returns the distance of |x| to the next larger number."""
    top = torch.full_like(x, torch.finfo(x.dtype).max)
    return torch.nextafter(x.abs(), top).double() - x.abs().double()


def numbers(dtype):
    torch.manual_seed(0)
    special = torch.tensor(SPECIAL + [-x for x in SPECIAL], dtype=torch.float64)
    drawn = [torch.randn(3001), torch.randn(2000) * 100, torch.randn(2000) * 1e6]
    drawn += [torch.rand(3000) * 2 - 1, torch.exp(torch.randn(3000) * 20)]
    x = torch.cat([special, *drawn]).to(dtype)
    a, b = torch.meshgrid(special, special, indexing="ij")
    pairs = [torch.cat([v.flatten(), torch.randn(5000) * 3]).to(dtype) for v in (a, b)]
    return x, *pairs


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_functions(tmp_path, dtype):
    inputs = numbers(dtype)
    exporting.save(exporting.export(Functions(), inputs, {}), tmp_path / "m.pt2")
    got = harness.run(tmp_path / "m.pt2", (inputs, {}), tmp_path, Functions()(*inputs))
    exact = Functions()(*(v.double() for v in inputs))
    for name, g, wide in zip(UNARY + BINARY, got, exact, strict=True):
        want = wide.to(dtype)
        same = (g == want) & (g.signbit() == want.signbit()) | g.isnan() & want.isnan()
        error = (g.double() - wide).abs() / spacing(want)
        bad = ~same & ~(error < (LIMITS[name] if dtype == torch.float32 else 0.8))
        if dtype == torch.bfloat16:  # the instruction that rounds to bfloat16 flushes subnormals
            bad &= ~(want.abs() < torch.finfo(dtype).tiny)
        places = bad.nonzero().flatten()[:5]
        assert not bad.any(), (name, [(g[i].item(), wide[i].item()) for i in places])


class Quantile(torch.nn.Module):
    def forward(self, p):
        return torch.special.ndtri(p)


def test_tails_of_ndtri(tmp_path):
    """ndtri agrees with torch, and the normal distribution of the result is the argument."""
    tails = torch.logspace(-300, -1, 900, dtype=torch.float64)
    ends = [0.0, 1.0, 5e-324, 1e-310, 0.5, 0.13533528323661269, 1 - 1e-16, -0.5, 1.5, nan]
    p = torch.cat(
        [
            tails,
            1 - torch.logspace(-16, -1, 100, dtype=torch.float64),
            torch.linspace(0.01, 0.99, 301, dtype=torch.float64),
            torch.tensor(ends, dtype=torch.float64),
        ]
    )
    exporting.save(exporting.export(Quantile(), (p,)), tmp_path / "m.pt2")
    want = torch.special.ndtri(p)
    (got,) = harness.run(tmp_path / "m.pt2", ((p,), {}), tmp_path, want, "--no-fallback")
    torch.testing.assert_close(got, want, rtol=1e-14, atol=1e-16, equal_nan=True)
    with mpmath.workdps(40):
        for given, x in zip(p[::7].tolist(), got[::7].tolist()):
            # The error of x that corresponds to the difference of the distribution.
            if 0 < given < 1:
                error = (mpmath.ncdf(x) - mpmath.mpf(given)) / mpmath.npdf(x)
                assert abs(error) <= 4e-15 * max(abs(x), 1), (given, x)


class Rounded(torch.nn.Module):
    def forward(self, x, y, z):
        return x + y, x * y, z.to(torch.bfloat16)


def test_rounding_to_bfloat16(tmp_path):
    """Rounding is bitwise equal to PyTorch's; subnormal results may be 0 (AVX512-BF16)."""
    torch.manual_seed(0)
    x, y = torch.randint(-(2**15), 2**15, (2, 4099)).to(torch.int16).view(torch.bfloat16)
    x[:256], y[:256] = torch.arange(256).to(torch.int16).view(torch.bfloat16), 2.0**-130
    z = torch.randint(-(2**31), 2**31, (4099,)).to(torch.int32).view(torch.float32)
    # The boundary of subnormal numbers, ties, the largest number, and numbers that round to
    # infinity.
    edges = [0x007FFFFF, 0x00800000, 0x3F808000, 0x3F818000, 0x7F7FFFFF, 0x7F7F7FFF, 0x7F7F8000]
    z[: len(edges)] = torch.tensor(edges, dtype=torch.int32).view(torch.float32)
    args = (x, y, z)
    exporting.save(exporting.export(Rounded(), args), tmp_path / "m.pt2")
    want = Rounded()(*args)
    results = harness.run(tmp_path / "m.pt2", (args, {}), tmp_path, want, "--no-fallback")
    for got, right in zip(results, want):
        same = (got.view(torch.int16) == right.view(torch.int16)) | (got.isnan() & right.isnan())
        tiny = right.abs() <= 2.0**-126
        assert (same | (tiny & (got == 0))).all()
        assert tiny.any() and (~tiny).any()

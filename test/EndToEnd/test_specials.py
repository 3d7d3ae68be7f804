"""Operators on special values (test/Fuzz/specials.py) agree with eager mode, native and
interpreted. A failure names its seed: `python test/Fuzz/specials.py --seeds SEED` runs it alone."""

import pathlib
import sys

import exporting
import harness
import numpy
import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Fuzz"))
import generated  # noqa: E402
import specials  # noqa: E402

#: Programs of 100 cases each: a minute and a half of one core.
PROGRAMS = [*range(26), *(pytest.param(k, marks=pytest.mark.long) for k in range(26, 150))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_special_values(program, tmp_path):
    size = generated.BATCH
    seeds = range(program * size, (program + 1) * size)
    cases = [case for seed in seeds if (case := specials.make(seed))]
    # Every other program tests the lowest level of optimization.
    outcome = generated.check(cases, tmp_path, flags=["-O1"] if program % 2 else [])
    assert outcome.ran > 0.9 * size
    assert not outcome.problems, "\n" + generated.report(outcome)


class Shifts(torch.nn.Module):
    def forward(self, x, y):
        return x << y, x >> y, x >> -3, x << 64, torch.bitwise_right_shift(x, 64)


@pytest.mark.parametrize("dtype", generated.INTEGERS)
def test_shifts_by_nothing_and_all(dtype, tmp_path):
    numbers = [n for n in (1, 7, 100, -1, -100, -128) if n >= torch.iinfo(dtype).min]
    shifts = [n for n in (0, 1, 7, 8, 15, 31, 63, 64, 100, -1, -8) if n >= torch.iinfo(dtype).min]
    x, y = torch.cartesian_prod(torch.tensor(numbers, dtype=dtype), torch.tensor(shifts, dtype=dtype)).T
    harness.check(Shifts(), (x.contiguous(), y.contiguous()), folder=tmp_path, modes=["native"])


class Remainders(torch.nn.Module):
    def forward(self, x, y):
        n = 0.3, 0.49999997
        return *(torch.fmod(x, k) for k in n), *(torch.remainder(x, k) for k in n), x.fmod(y), x % y, 0.3 % x


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_remainders_by_numbers(dtype, tmp_path):
    """ATen rounds the number to the tensor's dtype, which changes a remainder completely."""
    x = torch.tensor([3.7, 100.0, 1000.0, -77.0, 6e4, -1.0]).to(dtype)
    harness.check(Remainders(), (x, torch.tensor(0.3)), folder=tmp_path, modes=["native", "interpret"])


class ExactRemainders(torch.nn.Module):
    def forward(self, x, y):
        return torch.fmod(x, y), torch.remainder(x, y)


def test_remainders_of_all_magnitudes(tmp_path):
    """Exact, as float64's are, also where PyTorch's vectors give NaN; the quotients of some are
    beyond all integers, others are just below an integer."""
    draw = torch.Generator().manual_seed(1)

    def drawn(low, high, count):
        return torch.randint(low, high, (count,), generator=draw)

    x, y = (drawn(-(2**31), 2**31, 40000).to(torch.int32).view(torch.float32) for _ in range(2))
    near = torch.randn(20000, generator=draw)
    multiples = (drawn(0, 2**29, 20000).double() * near).float()
    below = torch.nextafter(multiples, torch.zeros(()))
    small = drawn(-50, 50, 20000) * near
    special = torch.tensor([0.0, -0.0, 1.0, -1.0, torch.inf, -torch.inf, torch.nan, 1e-45, 3.4e38, 2.0])
    left, right = torch.cartesian_prod(special, special).T
    x = torch.cat([x, multiples, below, small, left.repeat(9)])
    y = torch.cat([y, near, near, near, right.repeat(9)])
    exporting.save(exporting.export(ExactRemainders(), (x, y)), tmp_path / "m.pt2")
    # The exact remainder of two numbers of float32 is one of float32.
    r = torch.from_numpy(numpy.fmod(x.double().numpy(), y.double().numpy()))
    wrong = (r != 0) & ((r < 0) != (y < 0))
    want = [r.float(), torch.where(wrong, (r.float() + y), r.float())]
    target = harness.compiled(tmp_path / "m.pt2", "native")
    for got, expected in zip(harness.run(target, ((x, y), {}), tmp_path / "out", want), want, strict=True):
        assert torch.equal(got.isnan(), expected.isnan())
        assert torch.equal(got.nan_to_num(7), expected.nan_to_num(7))
        assert torch.equal(got[r == 0].signbit(), expected[r == 0].signbit())


class NearZero(torch.nn.Module):
    def forward(self, x):
        return torch.log1p(x), torch.expm1(x)


@pytest.mark.parametrize("count", [1, 37])
def test_log1p_and_expm1_keep_their_digits(count, tmp_path):
    """Near 0 in float64, compared element by element."""
    x = torch.tensor([1e-10, -0.0, -1e-10, 1e-300, 1e-17, -3e-5, 0.5]).double().repeat(count)
    x = torch.cat([x, torch.logspace(-20, 0, 13, dtype=torch.float64)])
    case = generated.Case(0, "log1p, expm1", NearZero(), [x])
    outcome = generated.check([case], tmp_path)
    assert not outcome.problems, generated.report(outcome)


class Bessel(torch.nn.Module):
    def forward(self, x):
        return torch.i0(x), torch.special.i0e(x), torch.special.i1(x), torch.special.i1e(x)


def test_bessel_of_large_numbers(tmp_path):
    x = torch.tensor([1e300, 8.9e307, -8.9e307, -0.0, 0.0, 700.0, 720.0], dtype=torch.float64)
    outcome = generated.check([generated.Case(0, "bessel", Bessel(), [x])], tmp_path)
    assert not outcome.problems, generated.report(outcome)


def test_closeness_of_unsigned_integers(tmp_path):
    """The difference of unsigned integers does not wrap."""
    x = torch.tensor([16, 255, 3, 200], dtype=torch.uint8)
    y = torch.tensor([255, 16, 4, 100], dtype=torch.uint8)
    case = generated.Case(0, "isclose", lambda x, y: torch.isclose(x, y, 0.25, 0.75), [x, y])
    outcome = generated.check([case], tmp_path)
    assert not outcome.problems, generated.report(outcome)


class Clamps(torch.nn.Module):
    def forward(self, x):
        return (
            torch.relu(x),
            torch.nn.functional.relu6(x),
            torch.clamp(x, min=0),
            torch.clamp(x, max=0),
            torch.nn.functional.hardtanh(x, -1, 0),
        )


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
def test_signs_of_zeros(dtype, tmp_path):
    """Clamping keeps the sign of a zero at the limit, and NaN."""
    x = torch.tensor([-0.0, 0.0, float("nan"), -1, 1, float("-inf"), float("inf")] * 5, dtype=dtype)
    expected = Clamps()(x)
    exporting.save(exporting.export(Clamps(), (x,)), tmp_path / "m.pt2")
    target = harness.compiled(tmp_path / "m.pt2", "native", 1)
    got = harness.run(target, ((x,), {}), tmp_path / "run", expected)
    harness.compare(got, expected)
    for g, e in zip(got, expected):
        assert torch.equal(g.signbit() | e.isnan(), e.signbit() | e.isnan())

"""Pointwise operators on operands of different dtypes (test/Fuzz/dtypes.py) agree with eager mode,
native and interpreted. A failure names its seed: `python test/Fuzz/dtypes.py --seeds SEED` runs it
alone."""

import pathlib
import sys

import harness
import pytest
import torch

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Fuzz"))
import dtypes  # noqa: E402
import generated  # noqa: E402

#: Programs of 100 cases each: two minutes of one core.
PROGRAMS = [*range(32), *(pytest.param(k, marks=pytest.mark.long) for k in range(32, 150))]


@pytest.mark.parametrize("program", PROGRAMS)
def test_mixed_dtypes(program, tmp_path):
    size = generated.BATCH
    seeds = range(program * size, (program + 1) * size)
    cases = [case for seed in seeds if (case := dtypes.make(seed))]
    # Every other program tests the lowest level of optimization.
    outcome = generated.check(cases, tmp_path, flags=["-O1"] if program % 2 else [])
    assert outcome.ran > 0.9 * size
    assert not outcome.problems, "\n" + generated.report(outcome)


def _wrong(case, **changes):
    """Returns the reported problem if the outputs are changed by `changes`."""
    good = generated.eager(case)
    outputs = [changes.get("output", lambda y: y)(y) for y in good]
    return generated.problem(case, outputs, good)


def test_wrong_results_are_found():
    x = torch.tensor([1.0, -0.0, float("nan"), 2.0])
    case = generated.Case(0, "positive", torch.ops.aten.positive, [x])
    assert _wrong(case) is None
    assert "expected f32" in _wrong(case, output=lambda y: y.double())
    assert "expected f32[4]" in _wrong(case, output=lambda y: y[None])
    assert "at [1]" in _wrong(case, output=lambda y: y + 0)
    assert "at [2]" in _wrong(case, output=lambda y: y.nan_to_num())
    assert "at [3]" in _wrong(case, output=lambda y: y.clamp(max=1.9999))


@pytest.mark.parametrize("divide", ["floor_divide", "remainder", "fmod"])
def test_integer_division_by_zero(divide, tmp_path):
    """As in PyTorch, it is an error and does not trap."""
    import exporting

    class Divide(torch.nn.Module):
        def forward(self, x, y):
            return getattr(torch, divide)(x, y)

    x = torch.arange(37)
    exporting.save(exporting.export(Divide(), (x, x + 1)), tmp_path / "m.pt2")
    with pytest.raises(harness.ToolError, match="expected divisors other than 0"):
        harness.run(tmp_path / "m.pt2", ((x, x), {}), tmp_path, x, "--no-fallback")


def test_lowest_integer_by_minus_one(tmp_path):
    """The quotient overflows, and the remainder is 0."""

    class Remainders(torch.nn.Module):
        def forward(self, x, y):
            return torch.remainder(x, y), torch.fmod(x, y), torch.remainder(x, -1)

    x = torch.full((37,), -(2**63))
    inputs = (x, torch.full((37,), -1))
    harness.check(Remainders(), inputs, folder=tmp_path, modes=["native"])


class Halves(torch.nn.Module):
    def forward(self, x):
        return torch.full_like(x, 0.5), x.clone().fill_(0.5), torch.full((3,), 0.25, dtype=torch.bool)


def test_half_is_true(tmp_path):
    harness.check(Halves(), (torch.tensor([True, False]),), folder=tmp_path, modes=["native"])


class Compared(torch.nn.Module):
    def forward(self, x, y):
        return x.clone().ne_(y), x == y, y < x, y.isnan(), y.bool(), torch.where(y > x, x, 0)


def test_comparisons_of_bfloat16_as_integers(tmp_path):
    """LLVM could not select instructions for the first comparison."""
    x = torch.arange(-37, 37, dtype=torch.int16).reshape(2, 37)
    y = torch.cat([x[:, :30].bfloat16(), torch.full((2, 7), torch.nan, dtype=torch.bfloat16)], 1)
    harness.check(Compared(), (x, y), folder=tmp_path, modes=["native"])

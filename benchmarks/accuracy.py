#!/usr/bin/env python3
"""Measures the largest errors of compiled functions of float32.

    benchmarks/accuracy.py [--step 1] [--pairs 100000000] [NAME...]

Compares functions of one argument with PyTorch's of float64 for all 2^32 arguments, or for
every STEP-th. An even or odd function is compared for positive arguments, and its results for
negative ones with those. Functions of two arguments get random pairs, half of which have any
bits. Errors are in units in the last place of the exact result, rounded to float32. Infinities,
NaN and the signs of zeros must be equal.
"""

import argparse
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test" / "EndToEnd"), str(ROOT / "benchmarks")]

import exporting  # noqa: E402
import harness  # noqa: E402
import native  # noqa: E402
import torch  # noqa: E402

#: Functions of one argument, with 1 if they are even and -1 if they are odd.
UNARY = {
    **dict.fromkeys(["cos", "cosh"], 1),
    **dict.fromkeys(["sin", "tan", "asin", "atan", "sinh", "tanh", "asinh", "atanh", "erf"], -1),
    **dict.fromkeys(["acos", "log", "log2", "log10", "log1p", "exp", "exp2", "expm1"], 0),
    **dict.fromkeys(["acosh", "erfc"], 0),
}
BINARY = ["atan2", "pow"]
#: Few, so that what is computed of them stays in the caches.
CHUNK = 1 << 14
#: The distance between numbers with a given exponent field.
SPACING = torch.tensor([2.0 ** (max(e, 1) - 150) for e in range(256)], dtype=torch.float64)


class One(torch.nn.Module):
    def __init__(self, name):
        super().__init__()
        self.name = name

    def forward(self, *args):
        return getattr(torch, self.name)(*args)


def compile_function(name: str, arity: int, directory: str) -> native.Model:
    model = pathlib.Path(directory, "m.pt2")
    args = tuple(torch.rand(CHUNK) for _ in range(arity))
    exporting.save(exporting.export(One(name), args, {}), model)
    result = harness.tool("fx-compile", model, "-o", model.with_suffix(".so"))
    if result.returncode:
        raise SystemExit(f"error: {name}: {result.stderr.strip()}")
    return native.Model(model.with_suffix(".so"), 1)


class Errors:
    """The largest error so far, and the number of special results that differ."""

    def __init__(self):
        self.largest, self.at, self.wrong, self.example = 0.0, (), 0, ()

    def note(self, error, args):
        most, where = error.max(0)
        if most > self.largest:
            self.largest = most.item()
            self.at = tuple(a[where].item() for a in args)

    def add(self, args, got, exact):
        want = exact.float()
        # Fast if all exact results are normal numbers, or all are zero or infinite.
        power = (want.view(torch.int32) & 0x7F800000).view(torch.float32)
        least, most = torch.aminmax(power)
        if 0 < least and most < torch.inf:
            error = (got.double() - exact).abs_().div_(power).mul_(2.0**23)
            if error.isfinite().all():
                return self.note(error, args)
        elif least == most and torch.equal(got.view(torch.int32), want.view(torch.int32)):
            if least > 0 or not want.any():
                return None
        return self._add_any(args, got, want, exact)

    def _add_any(self, args, got, want, exact):
        special = (want == 0) | ~want.isfinite() | ~got.isfinite() | (got == 0)
        # A result next to zero or infinity is compared as a number.
        unequal = (got != want) & ~(got.isnan() & want.isnan()) | (got.signbit() != want.signbit())
        unequal &= ~got.isnan() | ~want.isnan()
        wide = torch.where(got.isinf(), torch.sign(got).double() * 2.0**128, got.double())
        spacing = SPACING[(want.view(torch.int32) >> 23) & 255]
        error = torch.where(spacing.isfinite(), (wide - exact).abs() / spacing, torch.inf)
        fits = error.isnan() | (error < 2) & (got.signbit() == want.signbit())
        bad = special & unequal & ~(fits & exact.isfinite())
        if bad.any():
            where = bad.nonzero()[0]
            self.wrong += int(bad.sum())
            self.example = (*(a[where].item() for a in args), got[where].item())
        self.note(torch.where(special & ~unequal | bad, 0.0, error), args)


def measure_unary(name: str, function, step: int) -> Errors:
    errors, reference, symmetry = Errors(), getattr(torch, name), UNARY[name]
    for first in range(0, 1 << (31 if symmetry else 32), CHUNK * step):
        bits = (torch.arange(CHUNK) * step + first).to(torch.int32)
        x = bits.view(torch.float32)
        (got,) = function(x)
        errors.add((x,), got, reference(x.double()))
        if symmetry:
            mirrored = function(-x)[0] * symmetry
            same = mirrored.view(torch.int32) == got.view(torch.int32)
            errors.wrong += int((~same & ~got.isnan()).sum())
    return errors


def measure_binary(name: str, function, pairs: int) -> Errors:
    errors, reference = Errors(), getattr(torch, name)
    generator = torch.Generator().manual_seed(0)
    special = [0.0, 1.0, 2.0, 3.0, 0.5, 1e-45, 3e38, float("inf"), float("nan"), 1e-38, 2.0**24]
    special = torch.tensor(special + [-v for v in special])
    for i in range(0, pairs, CHUNK):
        x, y = torch.randint(-(2**31), 2**31, (2, CHUNK), generator=generator).to(torch.int32)
        x, y = x.view(torch.float32), y.view(torch.float32).clone()
        if i // CHUNK % 2:
            # Results of pow within the range of float32.
            x = torch.randn(CHUNK, generator=generator).mul(3).exp()
            y = torch.rand(CHUNK, generator=generator).mul(180).sub(90) / x.double().log2().abs()
            y = y.float()
        n = len(special)
        if i < 2 * CHUNK:
            x, y = x.clone(), y.clone()
            x[: n * n], y[: n * n] = special.repeat(n), special.repeat_interleave(n)
        errors.add((x, y), function(x, y)[0], reference(x.double(), y.double()))
    return errors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of the functions")
    parser.add_argument("--step", type=int, default=1, help="compare every STEP-th argument")
    parser.add_argument("--pairs", type=int, default=10**8, help="pairs of arguments")
    options = parser.parse_args()
    names = [*UNARY, *BINARY]
    if unknown := set(options.names) - set(names):
        parser.error(f"expected names among {', '.join(names)}; got {', '.join(unknown)}")
    torch.set_num_threads(1)
    print(f"{'':8}{'error':>8}  {'at':40} wrong special results")
    for name in options.names or names:
        with tempfile.TemporaryDirectory() as directory, torch.no_grad():
            function = compile_function(name, 1 + (name in BINARY), directory)
            if name in BINARY:
                errors = measure_binary(name, function, options.pairs)
            else:
                errors = measure_unary(name, function, options.step)
        at = ", ".join(f"{v:.9g}" for v in errors.at)
        print(f"{name:8}{errors.largest:8.3f}  {at:40} {errors.wrong} {errors.example}", flush=True)


if __name__ == "__main__":
    main()

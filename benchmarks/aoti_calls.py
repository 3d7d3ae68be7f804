"""Times one call of small models in PyTorch's AOTInductor loader: packages of fx-mlir and of
AOTInductor, beside compiled models of fx-mlir and eager PyTorch.

The forms alternate in one process with one thread; the least time of all rounds counts.

    CXX=g++ .venv/bin/python benchmarks/aoti_calls.py
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("FX_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))

import fx_mlir  # noqa: E402
import torch  # noqa: E402
from torch._inductor.package import load_package  # noqa: E402


class Native(torch.nn.Module):
    """Compiled code only."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(16, 8)

    def forward(self, x):
        return torch.relu(self.linear(x))


class Fallback(Native):
    """ATen runs one operator."""

    def forward(self, x):
        return super().forward(x).view(torch.int32)


def compiled(program):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fx_mlir.FallbackWarning)
        return fx_mlir.compile(program)


def forms(module, x, folder: pathlib.Path):
    """Returns a call for each form."""
    program = torch.export.export(module, (x,))
    own = load_package(fx_mlir.aoti_package(program, folder / "own.pt2")).loader
    plain = compiled(program)
    calls = {
        "package of `fx-compile --emit=aoti`": lambda: own.boxed_run([x]),
        "compiled model of fx-mlir": lambda: plain(x),
    }
    path = torch._inductor.aoti_compile_and_package(program, package_path=str(folder / "aoti.pt2"))
    other = load_package(path).loader
    calls["package of AOTInductor"] = lambda: other.boxed_run([x])
    calls["eager"] = lambda: [module(x)]
    # Sums may be rounded in another way, also those that are viewed as integers.
    expected = module(x).view(torch.float32)
    for call in calls.values():
        got = call()
        got = got[0] if isinstance(got, list) else got
        torch.testing.assert_close(got.view(torch.float32), expected)
    return calls


def least(calls, rounds: int, count: int) -> dict[str, float]:
    """Returns the least time of one call of each form, in microseconds."""
    times = {name: float("inf") for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(count):
                call()
            times[name] = min(times[name], (time.perf_counter() - start) / count * 1e6)
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--calls", type=int, default=300, help="calls in a round")
    args = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    tables = {}
    for name, module in (("native", Native()), ("one operator on ATen", Fallback())):
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            calls = forms(module.eval(), torch.randn(4, 16), pathlib.Path(folder))
            tables[name] = least(calls, args.rounds, args.calls)
    print(f"| | {' | '.join(f'{name}, µs' for name in tables)} |")
    print(f"|---|{'--:|' * len(tables)}")
    for form in tables["native"]:
        print(f"| {form} | {' | '.join(f'{times[form]:.1f}' for times in tables.values())} |")


if __name__ == "__main__":
    main()

"""Prints the table of scripts/demo.sh: models compiled by fx-mlir compared with PyTorch."""

import argparse
import copy
import pathlib
import statistics
import sys
import tempfile

root = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(root / "benchmarks"))

import run as bench  # noqa: E402  first: it sets the number of threads
import exporting  # noqa: E402
import harness  # noqa: E402
import models  # noqa: E402
import torch  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

COLUMNS = ("model and input", "max error", "eager", "torch.compile", "fx-mlir")


def show(*cells: str) -> None:
    print(f"  {cells[0]:<36}" + "".join(f"{cell:>15}" for cell in cells[1:]), flush=True)


def demonstrate(name: str, dynamic: bool, seconds: float, folder: pathlib.Path) -> bool:
    """Prints one line for each input. Returns true if all results are within tolerance."""
    spec = models.get(name)
    module = spec.build()
    args, kwargs = spec.inputs()
    ours, ours_s, _ = bench.compile_ours(spec, module, folder, dynamic)
    theirs, theirs_s = bench.compile_torch(module, args, kwargs, False, dynamic)
    right = True
    for args, kwargs in [spec.inputs(), *(spec.others() if dynamic else [])]:
        flat = pytree.tree_leaves((args, kwargs))
        expected = pytree.tree_leaves(exporting.eager(module, args, kwargs))
        got = ours(*flat)
        problems = [harness.difference(g, w) for g, w in zip(got, expected)]
        eager = copy.deepcopy(module)
        times = bench.interleave(
            {
                "eager": lambda: eager(*args, **kwargs),
                "torch.compile": lambda: theirs(*args, **kwargs),
                "fx-mlir": lambda: ours(*flat),
            },
            seconds,
        )
        shape = "x".join(map(str, flat[0].shape))
        show(
            f"{name} [{shape}]",
            f"{bench.max_error(got, expected):.1e}",
            *(f"{statistics.median(t) * 1e3:.2f} ms" for t in times.values()),
        )
        for problem in filter(None, problems):
            right = False
            print(f"  wrong: {problem}")
    show("  compile time", "", "", f"{theirs_s:.1f} s", f"{ours_s:.1f} s")
    return right


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    names = ("resnet_small", "llama_small") if options.quick else ("resnet50", "llama")
    seconds = 1 if options.quick else 5
    print("\nOne thread, median times; the error is relative to the RMS of eager's output.")
    print("torch.compile runs with its default options: it does not freeze the weights.")
    print("The decoder is exported once, with a dynamic length; nothing falls back to ATen.\n")
    show(*COLUMNS)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        right = [
            demonstrate(name, dynamic, seconds, pathlib.Path(folder))
            for name, dynamic in zip(names, (False, True))
        ]
    tolerance = f"{harness.TOLERANCE[torch.float32]:g} of the element plus the RMS of the output"
    print(
        f"\nAll results equal eager's, within {tolerance}."
        if all(right)
        else f"\nSome results differ from eager's by more than {tolerance}."
    )
    print("The tools are in build/bin; docs/tutorials/FirstModel.md compiles a model of your own.")
    sys.exit(0 if all(right) else 1)


if __name__ == "__main__":
    main()

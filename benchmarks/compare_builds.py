#!/usr/bin/env python3
"""Compares two builds of fx-mlir, side by side: run times of models and operators,
compile times and the compiler's peak memory.

    benchmarks/compare_builds.py OLD_BUILD NEW_BUILD [--seconds 5] [--compiles 3] [NAME...]

NAME is a model of run.py or a case of operators.py; without names, all cases and
the models resnet50, bert_base, llama, llama_decode and autoencoder. The code of
both builds runs in turn in one process, one thread; the two compilers run in turn,
too. Run times are least times: what is slower on a noisy machine is the machine.
Ratios are old / new: above 1 the new build is better.
"""

import argparse
import importlib.util
import math
import os
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of the two modules `operators`, that of benchmarks.
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "test" / "EndToEnd")]
os.environ.setdefault("OMP_NUM_THREADS", "1")

import exporting  # noqa: E402
import models  # noqa: E402
import operators  # noqa: E402
import run  # noqa: E402
import torch  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

MODELS = ["resnet50", "bert_base", "llama", "llama_decode", "autoencoder"]


def export(name: str, path: pathlib.Path) -> list[torch.Tensor]:
    """Writes the archive of a model or a case; its flat inputs."""
    if name not in operators.CASES:
        spec = models.get(name)
        exporting.save(spec.program(spec.build(), False), path)
        return pytree.tree_leaves(spec.inputs())
    module, x = operators.make(name)
    exporting.save(exporting.export(module, (x,), {}), path)
    return [x]


def runtime(build: pathlib.Path):
    """Returns the module `native` of the tree in which the build lies: the call of an artefact
    changed between versions."""
    path = build.resolve().parent / "benchmarks" / "native.py"
    if not path.exists():
        path = ROOT / "benchmarks" / "native.py"
    spec = importlib.util.spec_from_file_location(f"native_{build.resolve().parent.name}", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def measure(name: str, builds: list[pathlib.Path], options) -> dict:
    with tempfile.TemporaryDirectory() as directory, torch.no_grad():
        folder = pathlib.Path(directory)
        inputs = export(name, folder / "m.pt2")
        seconds, peaks = ([[], []], [[], []])
        for _ in range(options.compiles):
            for k, build in enumerate(builds):
                command = [str(build / "bin" / "fx-compile"), str(folder / "m.pt2")]
                taken, peak = run.peak_of([*command, "-o", str(folder / f"{k}.so")])
                seconds[k].append(taken)
                peaks[k].append(peak)
        engines = [options.runtimes[k].Model(folder / f"{k}.so") for k in range(2)]
        calls = {k: lambda engine=engine: engine(*inputs) for k, engine in enumerate(engines)}
        times = run.interleave(calls, options.seconds)
    return {
        "ms": [min(times[k]) * 1e3 for k in range(2)],
        "compile s": [min(each) for each in seconds],
        "peak MiB": [statistics.median(each) for each in peaks],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("builds", nargs=2, type=pathlib.Path, metavar="BUILD")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--seconds", type=float, default=5, help="timing, per row")
    parser.add_argument("--compiles", type=int, default=3, help="of each build")
    options = parser.parse_intermixed_args()
    options.runtimes = [runtime(build) for build in options.builds]
    torch.set_num_threads(1)
    names = options.names or [*MODELS, *operators.CASES]
    columns = ["ms", "compile s", "peak MiB"]
    print("| | " + " | ".join(f"{c} old | new | ratio" for c in columns) + " |")
    print("|---|" + "--:|" * 3 * len(columns))
    ratios: dict[str, list[float]] = {c: [] for c in columns}
    for name in names:
        row = measure(name, options.builds, options)
        cells = []
        for column, (old, new) in row.items():
            ratios[column].append(old / new)
            cells += [f"{old:.3f}", f"{new:.3f}", f"{old / new:.2f}"]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
    means = [math.exp(statistics.fmean(map(math.log, ratios[c]))) for c in columns]
    print("| geometric mean | " + " | ".join(f"| | {mean:.3f}" for mean in means) + " |")


if __name__ == "__main__":
    main()

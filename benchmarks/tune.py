#!/usr/bin/env python3
"""Compares models that are compiled with `fx-compile --tune` with the same models that
are compiled with the default schedules.

    benchmarks/tune.py resnet50 bert_base llama llama_decode autoencoder --budget 120

Both run in one process with one thread, and their calls alternate, half of the time with
each as the first one that is loaded. A ratio is the time with tuned schedules over the
time with default ones: below 1, tuning is faster. `wins` is the share of the pairs of
calls in which the tuned model is the faster one.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of the two modules `operators`, that of benchmarks.
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "test" / "EndToEnd")]
os.environ.setdefault("OMP_NUM_THREADS", "1")

import compare_builds  # noqa: E402
import harness  # noqa: E402
import native  # noqa: E402
import run  # noqa: E402
import torch  # noqa: E402


def compile_model(folder: pathlib.Path, name: str, *flags: str) -> dict:
    """Compiles to NAME.so and returns the report."""
    compiler = str(harness.BUILD / "bin" / "fx-compile")
    report = folder / f"{name}.json"
    command = [compiler, str(folder / "m.pt2"), "-o", str(folder / f"{name}.so"), *flags]
    subprocess.run([*command, "--report", str(report)], check=True)
    return json.loads(report.read_text())


def measure(name: str, budget: float, seconds: float) -> dict:
    with tempfile.TemporaryDirectory() as directory, torch.no_grad():
        folder = pathlib.Path(directory)
        inputs = compare_builds.export(name, folder / "m.pt2")
        compile_model(folder, "default")
        start = time.perf_counter()
        report = compile_model(folder, "tuned", f"--tune={budget}")
        spent = time.perf_counter() - start
        times: dict[str, list[float]] = {"default": [], "tuned": []}
        # Where the system places the weights makes two copies of a model differ.
        for order in (list(times), list(times)[::-1]):
            engines = {k: native.Model(folder / f"{k}.so") for k in order}
            harness.compare(engines["tuned"](*inputs), engines["default"](*inputs))
            calls = {k: lambda engine=engine: engine(*inputs) for k, engine in engines.items()}
            for k, taken in run.interleave(calls, seconds / 2).items():
                times[k] += taken
            del engines, calls
    pairs = [tuned / default for default, tuned in zip(*times.values())]
    return {
        "model": name,
        "kernels": len([k for k in report["kernels"] if k["when"] == "run"]),
        "tuned": len([k for k in report["kernels"] if k.get("tuned")]),
        "ms": [statistics.median(times[k]) * 1e3 for k in times],
        "least": [min(times[k]) * 1e3 for k in times],
        "ratio": statistics.median(pairs),
        "wins": sum(ratio < 1 for ratio in pairs) / len(pairs),
        "seconds": spent,
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="+", metavar="NAME", help="as for compare_builds.py")
    parser.add_argument("--budget", type=float, default=60, help="the seconds of --tune")
    parser.add_argument("--seconds", type=float, default=20, help="timing, per model")
    options = parser.parse_args()
    torch.set_num_threads(1)
    columns = ["kernels", "tuned", "default ms", "tuned ms", "least default", "least tuned"]
    columns += ["ratio", "wins", "compile with --tune"]
    print("| model | " + " | ".join(columns) + " |")
    print("|---|" + "--:|" * len(columns))
    for name in options.names:
        row = measure(name, options.budget, options.seconds)
        cells = [str(row["kernels"]), str(row["tuned"])]
        cells += [f"{ms:.3f}" for ms in (*row["ms"], *row["least"])]
        cells += [f"{row['ratio']:.3f}", f"{row['wins']:.0%}", f"{row['seconds']:.0f} s"]
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()

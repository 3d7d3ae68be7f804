#!/usr/bin/env python3
"""Times models in eager PyTorch, torch.compile (default and with freezing) and fx-mlir,
interleaved in one process with one thread.

    benchmarks/run.py resnet50 bert_base llama autoencoder
    benchmarks/run.py autoencoder --dynamic --json

Times are medians. `share` is the roofline limit divided by the time of fx-mlir. The
limit is the larger of two times: FLOPs over the probed multiply-add rate, and the bytes
of weights, inputs and outputs over the probed rate of reading memory. Compile times are
without caches: for torch.compile the first call, for fx-mlir the whole fx-compile
process.
"""

import argparse
import copy
import datetime
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test" / "EndToEnd"), str(ROOT / "benchmarks")]
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")
os.environ["TORCHINDUCTOR_FORCE_DISABLE_CACHES"] = "1"
os.environ["FX_CACHE"] = "0"

# The caches are off on purpose: ignore the warning.
warnings.filterwarnings("ignore", message=".*dynamo_pgo force disabled")

import exporting  # noqa: E402
import harness  # noqa: E402
import models  # noqa: E402
import native  # noqa: E402
import torch  # noqa: E402
from torch._inductor import config as inductor_config  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

#: Models of at most so many bytes stay in the caches between calls, so that the memory
#: bandwidth does not limit them.
IN_CACHE = 8 << 20
ENGINES = ("eager", "compile", "freezing", "fx")


def probe_roofline(march: str = "-march=native") -> dict:
    """Measures the GFLOP/s and GB/s of one core with the instructions of `march`."""
    with tempfile.TemporaryDirectory() as folder:
        binary = pathlib.Path(folder) / "roofline"
        compiler = os.environ.get("FX_CC", "clang-22")
        source = ROOT / "benchmarks" / "roofline.c"
        flags = ["-O3", march, "-ffp-contract=fast"]
        subprocess.run([compiler, *flags, str(source), "-o", str(binary)], check=True)
        return json.loads(subprocess.check_output([str(binary)]))


def peak_of(command: list[str]) -> tuple[float, float]:
    """Runs a command, which must succeed, and returns its seconds and its peak resident
    MiB. The peak is sampled, because the rusage of a child includes the memory of this
    process."""
    peak = 0
    start = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        try:
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        except OSError:
            continue
        # Until exec the child is a copy of this process.
        name, found = (re.search(rf"{k}:\s*(\S+)", status) for k in ("Name", "VmHWM"))
        if found and command[0].endswith(name[1]):
            peak = int(found[1])
        time.sleep(0.005)
    seconds = time.perf_counter() - start
    if process.returncode:
        raise SystemExit(f"error: {' '.join(command)}: {process.stderr.read().strip()}")
    return seconds, peak / 1024


def compile_ours(spec, module, folder: pathlib.Path, dynamic: bool = False):
    """Returns the model compiled by fx-mlir, the seconds of compilation, and the peak MiB of
    the compiler."""
    pt2, so = folder / f"{spec.name}.pt2", folder / f"{spec.name}.so"
    exporting.save(spec.program(module, dynamic), pt2)
    compiler = str(harness.BUILD / "bin" / "fx-compile")
    command = [compiler, str(pt2), "-o", str(so), "--no-fallback"]
    seconds, peak = peak_of(command)
    pt2.unlink()
    return native.Model(so), seconds, peak


def compile_torch(module, args, kwargs, freezing: bool, dynamic: bool = False):
    """Returns the callable of torch.compile and the seconds of its first call."""
    # Freezing is an option, so that Dynamo distinguishes the two kinds of code, and it
    # is also set globally, because the code that turns parameters into constants reads
    # the configuration before options are applied.
    options = {"freezing": True} if freezing else None
    run = torch.compile(copy.deepcopy(module), options=options, dynamic=dynamic or None)
    start = time.perf_counter()
    with torch.no_grad(), inductor_config.patch(freezing=freezing):
        run(*copy.deepcopy(args), **copy.deepcopy(kwargs))
    return run, time.perf_counter() - start


def interleave(engines: dict, seconds: float, rest: float = 0) -> dict[str, list[float]]:
    """Runs rounds of all engines for the given time, but at least five. Returns the seconds
    of each run.

    The threads of an engine wait actively for a while after a run, and would take a CPU from
    the next engine. With several threads, `rest` is the seconds to wait before an engine's turn;
    it then begins with a run that is not timed."""
    times: dict[str, list[float]] = {name: [] for name in engines}
    for run in engines.values():
        run()
    start = time.perf_counter()
    rounds = 0
    while rounds < 5 or time.perf_counter() - start < seconds:
        for name, run in engines.items():
            if rest:
                time.sleep(rest)
                run()
            begin = time.perf_counter()
            run()
            times[name].append(time.perf_counter() - begin)
        rounds += 1
    return times


def limit_seconds(module, args, kwargs, roofline: dict) -> tuple[float, float]:
    """Returns the roofline limit of one call in seconds, and its GFLOP."""
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        out = copy.deepcopy(module)(*copy.deepcopy(args), **copy.deepcopy(kwargs))
    flop = counter.get_total_flops()
    tensors = [
        *module.parameters(),
        *module.buffers(),
        *pytree.tree_leaves((args, kwargs, out)),
    ]
    # An embedding reads single rows, so its table does not count.
    tables = {
        id(m.weight) for m in module.modules() if isinstance(m, torch.nn.Embedding)
    }
    size = sum(
        x.numel() * x.element_size()
        for x in tensors
        if isinstance(x, torch.Tensor) and id(x) not in tables
    )
    limit = flop / (roofline["gflops"] * 1e9)
    if size > IN_CACHE:
        limit = max(limit, size / (roofline["gbytes"] * 1e9))
    return limit, flop * 1e-9


def call(engine, ours: bool, args, kwargs):
    """Returns a function that runs an engine once. Models of fx-mlir take flat leaves."""
    if ours:
        flat = pytree.tree_leaves((args, kwargs))
        return lambda: engine(*flat)
    return lambda: engine(*args, **kwargs)


def build_engines(spec, module, row: dict, names, dynamic: bool) -> dict:
    """Returns the engines by name. Adds the costs of compilation to `row`."""
    args, kwargs = (dynamic and spec.wide or spec.inputs)()
    engines = {}
    torch._dynamo.reset()
    if "eager" in names:
        engines["eager"] = copy.deepcopy(module)
    for kind in ("compile", "freezing"):
        if kind in names:
            engines[kind], row["compile_s"][kind] = compile_torch(
                module, args, kwargs, kind == "freezing", dynamic
            )
    if "fx" in names:
        with tempfile.TemporaryDirectory() as folder:
            ours, row["compile_s"]["fx"], row["compile_peak_mib"] = compile_ours(
                spec, module, pathlib.Path(folder), dynamic
            )
        row["arena_mib"] = ours.info.arena_bytes / 2**20
        row["weights_mib"] = ours.info.weight_bytes / 2**20
        engines["fx"] = ours
    return engines


def measure(name, roofline: dict, seconds: float, names=ENGINES, dynamic=False) -> list:
    """Returns a row for each input of the model: one, or several sizes if `dynamic`."""
    spec = models.get(name)
    module = spec.build()
    costs: dict = {"compile_s": {}}
    rows = []
    with torch.no_grad():
        engines = build_engines(spec, module, costs, names, dynamic)
        for args, kwargs in spec.others() if dynamic else [spec.inputs()]:
            row = {"model": name, **costs}
            if dynamic:
                sizes = pytree.tree_leaves((args, kwargs))[0].shape
                row["model"] += " " + "×".join(map(str, sizes))
            runs = {k: call(e, k == "fx", args, kwargs) for k, e in engines.items()}
            if "fx" in runs:
                expected = pytree.tree_leaves(exporting.eager(module, args, kwargs))
                got = runs["fx"]()
                harness.compare(got, expected)
                row["max_error"] = max_error(got, expected)
            times = interleave(runs, seconds)
            row["ms"] = {k: statistics.median(t) * 1e3 for k, t in times.items()}
            limit, row["gflop"] = limit_seconds(module, args, kwargs, roofline)
            row["limit_ms"] = limit * 1e3
            if "fx" in runs:
                ours = row["ms"]["fx"]
                row["share"] = row["limit_ms"] / ours
                row["ratio"] = {k: t / ours for k, t in row["ms"].items() if k != "fx"}
            rows.append(row)
    return rows


def max_error(got, expected) -> float:
    """Returns the largest difference, relative to the RMS of the expected output."""
    worst = 0.0
    for g, w in zip(got, expected):
        if isinstance(w, torch.Tensor) and w.is_floating_point() and w.numel():
            rms = w.double().pow(2).mean().sqrt().clamp(min=1e-30)
            worst = max(worst, ((g.double() - w.double()).abs().max() / rms).item())
    return worst


def cpu_name() -> str:
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown CPU"


def table(rows: list[dict], roofline: dict) -> str:
    lines = [
        f"## {datetime.date.today()}: {cpu_name()}, one thread, torch {torch.__version__}",
        "",
        f"Probed: {roofline['gflops']:.0f} GFLOP/s fp32, {roofline['gbytes']:.1f} GB/s.",
        "Times are medians in ms; compile times in s; ratios are the other's time over ours.",
        "",
        "| model | eager | torch.compile | freezing | fx-mlir | ratio to freezing | share of roofline"
        " | compile: torch | freezing | fx-mlir | compiler's peak MiB | max error / RMS |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]

    def number(value, form):
        return format(value, form) if value is not None else "–"

    for row in rows:
        ms, compile_s = row["ms"], row["compile_s"]
        cells = [
            *(number(ms.get(k), ".2f") for k in ENGINES),
            number(row.get("ratio", {}).get("freezing"), ".2f"),
            number(row.get("share"), ".0%"),
            *(number(compile_s.get(k), ".1f") for k in ENGINES[1:]),
            number(row.get("compile_peak_mib"), ".0f"),
            number(row.get("max_error"), ".1e"),
        ]
        lines.append(f"| {row['model']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="+", metavar="MODEL")
    parser.add_argument("--engines", default=",".join(ENGINES), metavar="LIST")
    parser.add_argument("--seconds", type=float, default=10, help="timing, per model")
    parser.add_argument(
        "--dynamic",
        action="store_true",
        help="compile once with dynamic sizes, and time each of the model's other inputs",
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    engines = options.engines.split(",")
    if set(engines) - set(ENGINES):
        parser.error(f"engines are {', '.join(ENGINES)}")
    torch.set_num_threads(1)
    roofline = probe_roofline()
    rows = []
    for name in options.models:
        print(f"{name} …", file=sys.stderr, flush=True)
        rows += measure(name, roofline, options.seconds, engines, options.dynamic)
    if options.json:
        result = {"date": str(datetime.date.today()), "cpu": cpu_name()}
        print(json.dumps(result | {"roofline": roofline, "rows": rows}, indent=2))
    else:
        print(table(rows, roofline))


if __name__ == "__main__":
    main()

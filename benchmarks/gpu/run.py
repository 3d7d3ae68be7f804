#!/usr/bin/env python3
"""Runs a bundle of bundle.py on this machine's GPU: each case beside eager PyTorch.

    python FOLDER/run.py [CASE ...] [--json FILE]

An error is the largest difference from eager in float64, in units of the RMS of the output, of ours
and of eager in float32. Times are medians of runs on the device without gaps, of eager and of
torch.compile, too. Bandwidths of cases that move bytes are shares of what a copy of 1 GB reaches.

A bundle with what the emulator computed (bundle.py --calibrate) says of each case how many numbers
are the same on this GPU. The kernels are the same, so each difference is one of arithmetic, or a
mistake. `--device cpu` passes tensors of the host, which is slower, and is for the emulator.
"""

import argparse
import copy
import json
import lzma
import pathlib
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import cases  # noqa: E402
import native  # noqa: E402
import torch  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

#: Largest error that counts as right, in units of the RMS, for float32 all the way.
TOLERANCE = 2e-3
RUNS = 30


def to(tree, device=None, dtype=None):
    def move(x):
        if not isinstance(x, torch.Tensor):
            return x
        return x.to(device or x.device, dtype if dtype and x.is_floating_point() else x.dtype)

    return pytree.tree_map(move, tree)


def error(got: list, want: list) -> float:
    """The largest difference in units of the RMS of what is wanted."""
    worst = 0.0
    for g, w in zip(got, want, strict=True):
        if g.shape != w.shape:
            return float("inf")
        if w.numel():
            g, w = g.double().cpu(), w.double().cpu()
            difference = (g - w).abs().max() / w.square().mean().sqrt().clamp_min(1e-30)
            worst = max(worst, float(difference.nan_to_num(float("inf"))))
    return worst


def measure(call, device: str) -> float:
    """Milliseconds of a call: the median over rounds of several without a gap."""
    def finish():
        if device == "cuda":
            torch.cuda.synchronize()

    call()
    finish()
    rounds = []
    for _ in range(RUNS if device == "cuda" else 1):
        begin = time.perf_counter()
        for _ in range(5):
            call()
        finish()
        rounds.append((time.perf_counter() - begin) / 5 * 1e3)
    return statistics.median(rounds)


def copy_rate() -> float:
    """Bytes that a second of a copy on the device reads and writes."""
    x = torch.empty(1 << 28, device="cuda")
    y = torch.empty_like(x)
    return 2 * 4 * x.numel() / measure(lambda: y.copy_(x), "cuda") * 1e3


def agreement(got: list, want: list) -> dict:
    """How many numbers are the same to the last bit, and how far the others are."""
    pairs = list(zip(got, want, strict=True))
    equal = sum(int(((g == w) | (g.isnan() & w.isnan())).sum()) for g, w in pairs)
    return {"equal": equal, "of": sum(w.numel() for w in want), "error": error(got, want)}


def run(name: str, small: bool, device: str, compiles: bool) -> tuple[dict, list[torch.Tensor]]:
    """The figures of a case, and what our kernels gave."""
    module, args, kwargs = cases.make(name, small)
    leaves = [x for x in pytree.tree_leaves((args, kwargs)) if isinstance(x, torch.Tensor)]
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        path = pathlib.Path(folder) / f"{name}.so"
        path.write_bytes(lzma.decompress((HERE / f"{name}.so.xz").read_bytes()))
        model = native.Model(path)
        eager = copy.deepcopy(module).to(device)
        eager_args, eager_kwargs = to((args, kwargs), device)
        exact_args, exact_kwargs = to((args, kwargs), device, torch.float64)
        # What a model writes to its buffers the first run must not have seen.
        want = pytree.tree_leaves(copy.deepcopy(eager).double()(*exact_args, **exact_kwargs))
        theirs = pytree.tree_leaves(copy.deepcopy(eager)(*eager_args, **eager_kwargs))
        inputs = [x.to(device) for x in leaves]
        ours = model(*inputs)
        result = {
            "case": name,
            "error": error(ours, want),
            "eager_error": error(theirs, want),
            "fx_ms": measure(lambda: model(*inputs), device),
            "eager_ms": measure(lambda: eager(*eager_args, **eager_kwargs), device),
        }
        if compiles:
            torch.compiler.reset()
            try:
                compiled = torch.compile(eager)
                result["compile_ms"] = measure(lambda: compiled(*eager_args, **eager_kwargs), device)
            except Exception as e:  # what it cannot compile says nothing of us
                result["compile_failed"] = str(e)
        ours = [x.cpu() for x in ours]
    if work := cases.CASES[name].work:
        amount, unit = work(small)
        result["work"], result["unit"] = amount, unit
        for who in ("fx", "eager"):
            result[f"{who}_rate"] = amount / result[f"{who}_ms"] * 1e3
    result["right"] = result["error"] <= max(TOLERANCE, 4 * result["eager_error"])
    return result, ours


def line(r: dict) -> str:
    text = (f"{r['case']:16}{'ok' if r['right'] else 'WRONG':>6}{r['error']:10.1e}"
            f"{r['fx_ms']:11.4f}{r['eager_ms']:11.4f}{r['eager_ms'] / r['fx_ms']:8.2f}")
    if theirs := r.get("compile_ms"):
        text += f"{theirs:12.4f}{theirs / r['fx_ms']:8.2f}"
    else:
        text += f"{'failed' if 'compile_failed' in r else '-':>12}{'-':>8}"
    if "unit" in r:
        scale, name = (1e12, "TFLOP/s") if r["unit"] == "FLOP" else (1e9, "GB/s")
        text += f"{r['fx_rate'] / scale:10.1f}{r['eager_rate'] / scale:10.1f} {name}"
    if "of_copy" in r:
        text += f", {r['of_copy']:.0%} of a copy's"
    if same := r.get("agreement"):
        text += f"; {same['equal']} of {same['of']} equal, the others within {same['error']:.1e}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--json", type=pathlib.Path, help="where to write all results")
    parser.add_argument("--save", type=pathlib.Path, help="where to write what our kernels give")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--no-torch-compile", action="store_true", help="leave out its times")
    options = parser.parse_args()
    emulated = HERE / "emulated.pt"
    saved, wanted = {}, torch.load(emulated) if emulated.exists() else {}
    compiles = options.device == "cuda" and not options.no_torch_compile
    there = [name for name in cases.CASES if (HERE / f"{name}.so.xz").exists()]
    if unknown := set(options.cases) - set(there):
        parser.error(f"expected cases of {', '.join(there)}, got {', '.join(unknown)}")
    # Products in float32, as ours are.
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    gpu = torch.cuda.get_device_name() if options.device == "cuda" else "tensors on the host"
    print(f"{gpu}, torch {torch.__version__}")
    copies = copy_rate() if options.device == "cuda" else 0.0
    if copies:
        print(f"a copy: {copies / 1e9:.0f} GB/s")
    print(f"{'case':16}{'':>6}{'error':>10}{'fx ms':>11}{'eager ms':>11}{'faster':>8}"
          f"{'compiled ms':>12}{'faster':>8}")
    results = []
    for name in options.cases or there:
        try:
            result, saved[name] = run(name, (HERE / "small").exists(), options.device, compiles)
            if copies and result.get("unit") == "B":
                result["of_copy"] = result["fx_rate"] / copies
            if name in wanted:
                result["agreement"] = agreement(saved[name], wanted[name])
            results.append(result)
            print(line(results[-1]), flush=True)
        except Exception as e:  # the other cases still count
            results.append({"case": name, "right": False, "failed": str(e)})
            print(f"{name:16}FAILED {' '.join(str(e).split())}", flush=True)
    if options.save:
        torch.save(saved, options.save)
    if options.json:
        about = {"gpu": gpu, "torch": torch.__version__, "copy_rate": copies, "results": results}
        options.json.write_text(json.dumps(about, indent=2) + "\n")
    sys.exit(not all(r["right"] for r in results))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times models in fx-mlir, eager PyTorch, torch.compile, OpenVINO, ONNX Runtime and IREE,
interleaved in one process.

    benchmarks/peers.py resnet50 bert_base --dtypes f32,bf16 --threads 1,2
    benchmarks/peers.py --isa avx2 resnet50

An engine that is not installed, or that cannot run a case, has "–", and the reason goes to
stderr. Without models, all cases are measured. Times are medians in ms. Every result is
compared with that of eager PyTorch in float32: the table has the RMS of the difference,
relative to the RMS of the result, for fx-mlir and for the fastest peer.

`bf16` is measured as each engine offers it: eager and torch.compile convert the module by
`.bfloat16()`, OpenVINO gets the hint for the precision of inference, and fx-mlir uses
`--precision=bf16`. The row `fx-mlir, module` compiles the converted module. ONNX Runtime's
CPU kernels do not support bf16.

The limit is the larger of FLOPs over the probed rate and bytes over the probed rate of
reading memory, as in `benchmarks/run.py`.
"""

import argparse
import copy
import gc
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test" / "EndToEnd"), str(ROOT / "benchmarks")]


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="*", metavar="CASE")
    parser.add_argument("--dtypes", default="f32", metavar="LIST", help="f32, bf16")
    parser.add_argument("--threads", default="1", metavar="LIST")
    parser.add_argument("--engines", default=",".join(ENGINES), metavar="LIST")
    parser.add_argument("--isa", choices=["native", "avx2"], default="native")
    parser.add_argument("--seconds", type=float, default=5, help="timing, for each row")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    options.dtypes = options.dtypes.split(",")
    options.threads = [int(n) for n in options.threads.split(",")]
    options.engines = options.engines.split(",")
    for given, known in ((options.engines, ENGINES), (options.dtypes, ["f32", "bf16"])):
        if unknown := set(given) - set(known):
            parser.error(f"expected some of {', '.join(known)}, got {min(unknown)}")
    return options


class Unsupported(Exception):
    """An engine cannot run a case; the text says why."""


# Engines. Each takes the module in float32, its arguments, the dtype, the number of threads
# and a folder, and returns a function without arguments that gives the list of results.


def _cast(tree, dtype):
    """Converts the floating-point tensors of `tree` to bf16 if `dtype` says so."""
    if dtype == "f32":
        return tree
    return pytree.tree_map(
        lambda x: x.bfloat16() if isinstance(x, torch.Tensor) and x.is_floating_point() else x,
        tree,
    )


def eager(module, args, dtype, threads, folder):
    module = copy.deepcopy(module)
    module, args = (module.bfloat16() if dtype == "bf16" else module), _cast(args, dtype)
    return lambda: pytree.tree_leaves(module(*args))


def compiled(module, args, dtype, threads, folder):
    module = copy.deepcopy(module)
    module, args = (module.bfloat16() if dtype == "bf16" else module), _cast(args, dtype)
    torch._dynamo.reset()
    options = {"freezing": True, "max_autotune": True}
    run = torch.compile(module, options=options)
    with torch._inductor.config.patch(freezing=True):
        run(*args)
    return lambda: pytree.tree_leaves(run(*args))


def _ours(module, args, threads, folder, flags):
    path = folder / "m.pt2"
    exporting.save(exporting.export(module, args), path)
    if ISA == "avx2":
        flags = [*flags, "--mcpu=x86-64-v3"]
    compiler = str(harness.BUILD / "bin" / "fx-compile")
    made = subprocess.run(
        [compiler, str(path), "-o", str(folder / "m.so"), "--no-fallback", *flags],
        capture_output=True,
        text=True,
    )
    if made.returncode:
        raise Unsupported(made.stderr.strip())
    model, flat = native.Model(folder / "m.so", threads), pytree.tree_leaves(args)
    return lambda: model(*flat)


def fx(module, args, dtype, threads, folder):
    return _ours(
        module, args, threads, folder, ["--precision=bf16"] if dtype == "bf16" else []
    )


def fx_module(module, args, dtype, threads, folder):
    if dtype == "f32":
        raise Unsupported("only for bf16")
    module = copy.deepcopy(module).bfloat16()
    return _ours(module, _cast(args, dtype), threads, folder, [])


def openvino(module, args, dtype, threads, folder):
    import openvino as ov

    program = exporting.export(module, args).run_decompositions()
    model = ov.convert_model(program)
    properties = {
        "INFERENCE_NUM_THREADS": threads,
        "NUM_STREAMS": 1,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": dtype,
    }
    request = ov.Core().compile_model(model, "CPU", properties).create_infer_request()
    inputs = [x.numpy() for x in pytree.tree_leaves(args)]

    def run():
        results = request.infer(inputs, share_inputs=True, share_outputs=True)
        return [torch.from_numpy(x) for x in results.values()]

    return run


def onnxruntime(module, args, dtype, threads, folder):
    if dtype != "f32":
        raise Unsupported("no bf16 kernels for CPUs")
    import onnxruntime as ort

    path = folder / "m.onnx"
    torch.onnx.export(module, args, path, dynamo=True, external_data=True, verbose=False)
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    # A thread that spins would take time from the engine that runs next.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    names = [x.name for x in session.get_inputs()]
    feed = dict(zip(names, [x.numpy() for x in pytree.tree_leaves(args)]))
    return lambda: [torch.from_numpy(x) for x in session.run(None, feed)]


def iree(module, args, dtype, threads, folder):
    if dtype != "f32" or threads != 1:
        raise Unsupported("measured for f32 and one thread")
    import handover
    import iree.compiler
    import iree.runtime

    text = handover.lower(exporting.export(module, args), handover.LINALG_PASSES, folder)
    cpu = "x86-64-v3" if ISA == "avx2" else "host"
    binary = iree.compiler.compile_str(
        text,
        input_type="auto",
        target_backends=["llvm-cpu"],
        extra_args=[f"--iree-llvmcpu-target-cpu={cpu}", "--iree-opt-level=O3"],
    )
    context = iree.runtime.SystemContext(config=iree.runtime.Config("local-sync"))
    context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, binary))
    inputs = [x.numpy() for x in pytree.tree_leaves(args)]

    def run():
        results = context.modules.module.main(*inputs)
        results = results if isinstance(results, (list, tuple)) else [results]
        return [torch.from_numpy(x.to_host()) for x in results]

    return run


ENGINES: dict[str, Callable] = {
    "fx": fx,
    "fx_module": fx_module,
    "openvino": openvino,
    "onnxruntime": onnxruntime,
    "compile": compiled,
    "eager": eager,
    "iree": iree,
}
TITLES = {
    "fx": "fx-mlir",
    "fx_module": "fx-mlir, module",
    "openvino": "OpenVINO",
    "onnxruntime": "ONNX Runtime",
    "compile": "torch.compile",
    "eager": "eager",
    "iree": "IREE",
}


def build(engine, module, args, dtype, threads):
    """Returns the function that runs an engine, and its results; None if it cannot."""
    try:
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run = ENGINES[engine](module, args, dtype, threads, pathlib.Path(folder))
            return run, [x.detach().clone() for x in run() if isinstance(x, torch.Tensor)]
    except Unsupported as e:
        print(f"  {engine}: {e}", file=sys.stderr)
    except ImportError as e:
        print(f"  {engine}: not installed ({e})", file=sys.stderr)
    except Exception:  # of any kind, by other people's compilers
        text = traceback.format_exc().strip().splitlines()
        print(f"  {engine}: {text[-1][:300]}", file=sys.stderr)
    return None


def error_of(got, expected) -> float:
    """Returns the largest RMS of a difference, relative to the RMS of the result. Results of
    a state that the engine returns beside the outputs are ignored."""
    worst = 0.0
    for want in expected:
        if not want.is_floating_point():
            continue
        same = [g for g in got if g.shape == want.shape]
        if not same:
            return float("inf")
        rms = want.double().pow(2).mean().sqrt().clamp(min=1e-30)
        errors = [((g.double() - want.double()).pow(2).mean().sqrt() / rms).item() for g in same]
        worst = max(worst, min(errors))
    return worst


def limit_ms(case, dtype, threads, module, args, roofline) -> float:
    # The flop counter does not see into the fast path of nn.MultiheadAttention.
    fast = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    seconds, _ = run.limit_seconds(module, args, {}, roofline)
    torch.backends.mha.set_fastpath_enabled(fast)
    if dtype == "f32" or case in peer_cases.POINTWISE:
        return seconds * 1e3 / threads
    faster = max(roofline["gflops_bf16"] / roofline["gflops"], 1)
    # Weights have half of the bytes, too.
    return seconds * 1e3 / threads / min(faster, 2)


def measure(case, dtype, threads, options, roofline) -> dict:
    print(f"{case} {dtype}, {threads} threads", file=sys.stderr, flush=True)
    torch.set_num_threads(threads)
    row = {"case": case, "dtype": dtype, "threads": threads, "ms": {}, "error": {}}
    try:
        module, args = peer_cases.CASES[case]()
    except ImportError as e:
        print(f"  not installed: {e}", file=sys.stderr)
        return row
    module.eval()
    engines = {}
    with torch.no_grad():
        expected = pytree.tree_leaves(copy.deepcopy(module)(*copy.deepcopy(args)))
        for engine in options.engines:
            if made := build(engine, module, args, dtype, threads):
                engines[engine] = made[0]
                row["error"][engine] = error_of(made[1], expected)
        times = run.interleave(engines, options.seconds, 0.05 * (threads > 1)) if engines else {}
        row["ms"] = {k: statistics.median(t) * 1e3 for k, t in times.items()}
        row["limit_ms"] = limit_ms(case, dtype, threads, module, args, roofline)
    ours = min((row["ms"][k] for k in ("fx", "fx_module") if k in row["ms"]), default=None)
    peers = {k: v for k, v in row["ms"].items() if not k.startswith("fx")}
    if ours and peers:
        row["best"] = min(peers, key=peers.get)
        row["ratio"] = peers[row["best"]] / ours
    if ours:
        row["share"] = row["limit_ms"] / ours
    gc.collect()
    return row


def table(rows, engines, roofline, isa) -> str:
    lines = [
        f"Probed: {roofline['gflops']:.0f} GFLOP/s fp32, {roofline['gflops_bf16']:.0f} bf16,"
        f" {roofline['gbytes']:.1f} GB/s. Instruction set: {isa}. {run.cpu_name()}.",
        "",
        "| case | dtype | threads | "
        + " | ".join(TITLES[e] for e in engines)
        + " | best peer's time over ours | share of the limit | error: ours | best peer |",
        "|---|---|--:|" + "--:|" * (len(engines) + 4),
    ]
    for row in rows:
        cells = [f"{row['ms'][e]:.2f}" if e in row["ms"] else "–" for e in engines]
        cells += [f"{row['ratio']:.2f}" if "ratio" in row else "–"]
        cells += [f"{row['share']:.0%}" if "share" in row else "–"]
        for engine in ("fx", row.get("best")):
            error = row["error"].get(engine)
            cells.append("–" if error is None else f"{error:.1e}")
        lines.append(
            f"| {row['case']} | {row['dtype']} | {row['threads']} | " + " | ".join(cells) + " |"
        )
    return "\n".join(lines)


def main() -> None:
    options = parse()
    unknown = set(options.cases) - set(peer_cases.CASES)
    if unknown:
        raise SystemExit(
            f"error: expected some of {', '.join(peer_cases.CASES)}, got {min(unknown)}"
        )
    roofline = run.probe_roofline("-march=x86-64-v3" if ISA == "avx2" else "-march=native")
    rows = []
    for case in options.cases or peer_cases.CASES:
        for dtype in options.dtypes:
            for threads in options.threads:
                rows.append(measure(case, dtype, threads, options, roofline))
                if options.json:
                    content = {"roofline": roofline, "isa": ISA, "rows": rows}
                    options.json.write_text(json.dumps(content, indent=1))
    print(table(rows, options.engines, roofline, ISA))


# The libraries read these variables when they are loaded, before main().
early = argparse.ArgumentParser(add_help=False)
early.add_argument("--isa", default="native")
ISA = early.parse_known_args()[0].isa
if ISA == "avx2":
    os.environ.update(ONEDNN_MAX_CPU_ISA="AVX2", DNNL_MAX_CPU_ISA="AVX2", ATEN_CPU_CAPABILITY="avx2")

import exporting  # noqa: E402
import harness  # noqa: E402
import native  # noqa: E402
import peer_cases  # noqa: E402
import run  # noqa: E402
import torch  # noqa: E402
from torch.utils import _pytree as pytree  # noqa: E402

if __name__ == "__main__":
    start = time.perf_counter()
    main()
    print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)

#!/usr/bin/env python3
"""Times ResNet-50 with its batch norms, and with batch norms folded into the
convolutions: in eager PyTorch, interpreted node by node, and compiled.

    benchmarks/fold_conv_bn.py --batch 1 16 --rounds 7

Uses one thread. Each round runs all variants; times are medians of all rounds.
Interpreted models run in a process of fx-run each, compiled ones in this process. The
variant that is not folded is compiled from linalg, because fx-compile folds.
"""

import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test" / "EndToEnd"), str(ROOT / "benchmarks")]
for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(variable, "1")

import exporting  # noqa: E402
import leaves  # noqa: E402
import models  # noqa: E402
import native  # noqa: E402
import norms  # noqa: E402
import torch  # noqa: E402
from torch.fx.experimental.optimization import fuse  # noqa: E402

#: Passes that fold. `max-bytes` of 16 Mi elements is enough for each weight of ResNet-50.
FOLD = ["-fx-fold-conv-bn", "-fx-constant-fold=max-bytes=67108864", "-canonicalize"]

def build(module, x, folder: pathlib.Path) -> dict:
    """Returns the variants by name. Each is a function that returns the seconds of one run."""
    exporting.save(exporting.export(module, (x,)), folder / "m.pt2")
    linalg = norms.keep(folder / "m.pt2")
    plain, folded = folder / "plain.mlir", folder / "folded.mlir"
    norms.tool("fx-opt", folder / "m.mlir", *norms.SIMPLIFY, "-o", plain)
    norms.tool("fx-opt", folder / "m.mlir", *norms.SIMPLIFY, *FOLD, "-o", folded)
    assert "@aten.batch_norm" in plain.read_text()
    assert "@aten.batch_norm" not in folded.read_text()
    leaves.save_inputs(folder / "in", (x,), {})
    compiled = {}
    for name, source in (("norms", linalg), ("folded", folder / "m.pt2")):
        so = folder / f"{name}.so"
        norms.tool("fx-compile", source, "-o", so, "--no-fallback")
        compiled[name] = native.Model(so)

    def interpret(model):
        flags = ["--interpret", "--benchmark", 1, "--json"]
        inputs = ["--inputs", folder / "in", "--outputs", folder / "out"]
        text = norms.tool("fx-run", model, *inputs, *flags)
        return json.loads(text)["median_ms"] / 1e3

    def run(model):
        start = time.perf_counter()
        model(x)
        return time.perf_counter() - start

    fused = fuse(module)
    want = module(x)
    for got in (fused(x), *(m(x)[0] for m in compiled.values())):
        assert (got - want).abs().max() <= 1e-4 * want.abs().max()
    return {
        ("eager", "norms"): lambda: run(module),
        ("eager", "folded"): lambda: run(fused),
        ("interpreted", "norms"): lambda: interpret(plain),
        ("interpreted", "folded"): lambda: interpret(folded),
        ("compiled", "norms"): lambda: run(compiled["norms"]),
        ("compiled", "folded"): lambda: run(compiled["folded"]),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--batch", type=int, nargs="+", default=[1, 16])
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    torch.set_num_threads(1)
    module = models.get("resnet50").build().eval()
    print("| batch | | with norms, ms | folded, ms | gain |\n|--:|---|--:|--:|--:|")
    for batch in args.batch:
        with tempfile.TemporaryDirectory() as folder, torch.no_grad():
            variants = build(module, torch.randn(batch, 3, 224, 224), pathlib.Path(folder))
            times = {key: [] for key in variants}
            for _ in range(args.rounds):
                for key, run in variants.items():
                    times[key].append(run())
        for kind in ("eager", "interpreted", "compiled"):
            norms, folded = (statistics.median(times[kind, k]) * 1e3 for k in ("norms", "folded"))
            gain = 100 * (norms / folded - 1)
            print(f"| {batch} | {kind} | {norms:.1f} | {folded:.1f} | {gain:+.1f} % |", flush=True)


if __name__ == "__main__":
    main()

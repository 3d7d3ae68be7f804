#!/usr/bin/env python3
"""Times linear layers whose weights are integers that the program dequantizes, in eager PyTorch,
torch.compile and fx-mlir.

    benchmarks/dequantized.py [--size 4096] [--rows 1] [--rounds 9] [--threads 1] [NAME...]

Each layer is a program of its own. Each round runs all three; the times are the minimum of all
rounds in milliseconds. torch.compile freezes the weights: it computes the floats once. The last
columns are the bytes of the compiled model for each weight, and the errors of the results in
float64's measure.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("FX_BUILD_DIR", ROOT / "build"))
sys.path[:0] = [str(BUILD / "python"), str(ROOT / "test" / "EndToEnd")]

import dequantized_weights as styles  # noqa: E402
import exporting  # noqa: E402
import fx_mlir  # noqa: E402
import harness  # noqa: E402
import torch  # noqa: E402
import torch._inductor.config as inductor  # noqa: E402

#: Makes a layer of `size` terms and columns.
CASES = {
    "GPTQ": lambda size, dtype: styles.Gptq(size, size, dtype=dtype),
    "GPTQ, act-order": lambda size, dtype: styles.Gptq(size, size, dtype=dtype, order="permuted"),
    "AWQ": lambda size, dtype: styles.Awq(size, size, dtype=dtype),
    "HQQ": lambda size, dtype: styles.Hqq(size, size, group=128, dtype=dtype),
    "quanto int8": lambda size, dtype: styles.QuantoInt8(size, size, dtype=dtype),
}


def milliseconds(function, x) -> float:
    start = time.perf_counter()
    function(x)
    return (time.perf_counter() - start) * 1e3


def error(got: torch.Tensor, exact: torch.Tensor) -> float:
    return ((got.double() - exact).norm() / exact.norm()).item()


def measure(name: str, dtype: torch.dtype, options) -> None:
    torch.manual_seed(0)
    layer = CASES[name](options.size, dtype).eval()
    x = torch.randn(options.rows, options.size).to(dtype)
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        model = pathlib.Path(folder, "m.pt2")
        exporting.save(exporting.export(layer, (x,)), model)
        artefact = model.with_suffix(".so")
        result = harness.tool("fx-compile", model, "-o", artefact, "--no-fallback")
        if result.returncode:
            raise SystemExit(f"error: {name}: {result.stderr.strip()}")
        ours = fx_mlir.load(artefact, threads=options.threads)
        torch._dynamo.reset()
        variants = [layer, torch.compile(layer), lambda x: ours(x)]
        eager, compiled, fx = (f(x) for f in variants)
        times = [[milliseconds(f, x) for f in variants] for _ in range(options.rounds)]
        bytes_each = artefact.stat().st_size / options.size**2
        weight = layer.double().weight(torch.float64)
        terms_first = isinstance(layer, styles.Product)
        exact = x.double() @ (weight if terms_first else weight.T)
        if layer.bias is not None:
            exact = exact + layer.bias
    least = [min(column) for column in zip(*times)]
    print(
        f"{name:16}{str(dtype)[6:]:10}" + "".join(f"{t:10.2f}" for t in least)
        + f"{bytes_each:10.2f}   "
        + " ".join(f"{error(y, exact):8.1e}" for y in (eager, compiled, fx)),
        flush=True,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of the cases")
    parser.add_argument("--size", type=int, default=4096)
    parser.add_argument("--rows", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.names) - set(CASES):
        parser.error(f"expected names among {', '.join(CASES)}; got {', '.join(unknown)}")
    torch.set_num_threads(options.threads)
    inductor.freezing = True
    print(f"{'':26}{'eager':>10}{'compile':>10}{'fx-mlir':>10}{'bytes':>10}   errors")
    for name in options.names or CASES:
        for dtype in (torch.float32, torch.bfloat16):
            measure(name, dtype, options)


if __name__ == "__main__":
    main()

"""Counts the instructions of operators on AArch64, beside those of plain loops in C.

    benchmarks/aarch64/count.py [--cpu neoverse-n1] [CASE...]

The loops of plain.c are compiled by clang-22 -O3 -ffast-math, which vectorizes them. QEMU runs both
with the plugin of count.c: a count is the difference between three runs and two. It says nothing of
the time that an instruction takes.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "test" / "EndToEnd"))

import crossing  # noqa: E402
import exporting  # noqa: E402
import quantized  # noqa: E402
import raw_tensors  # noqa: E402
import torch  # noqa: E402
from torch import nn  # noqa: E402


class Conv(nn.Module):
    """A convolution whose pixels have innermost channels."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(64, 64, 3, padding=1, bias=False)

    def forward(self, x):
        return self.conv(x)


def cases() -> dict:
    """Returns each case: the module, its input, flags of fx-compile, and the number of steps."""
    x = torch.randn(128, 256)
    linear = nn.Linear(256, 256, bias=False)
    pixels = torch.randn(1, 64, 28, 28).to(memory_format=torch.channels_last)
    products = 128 * 256 * 256
    return {
        "matmul": (linear, x, [], products),
        "int8 matmul": (quantized.Linear(linear, quantized.Static(x)), x, [], products),
        "conv": (Conv(), pixels, ["--winograd=off"], 28 * 28 * 9 * 64 * 64),
        "softmax": (nn.Softmax(-1), x, [], 128 * 256),
        "layer norm": (nn.LayerNorm(768), torch.randn(128, 768), [], 128 * 768),
    }


def count(command: list, *args) -> int:
    """Returns the instructions of one more run."""
    counts = []
    for runs in ("2", "3"):
        result = subprocess.run(
            [*map(str, command), *map(str, args), runs], capture_output=True, text=True, check=True
        )
        counts.append(int(re.search(r"instructions: (\d+)", result.stderr)[1]))
    return counts[1] - counts[0]


def main(argv: list | None = None) -> dict:
    """Prints the counts. Returns how many times more instructions the loops of each case have."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cpu", default="neoverse-n1", help="LLVM's name of the CPU")
    parser.add_argument("--emulated", default=crossing.MOST, help="QEMU's name of a CPU")
    parser.add_argument("cases", nargs="*")
    args = parser.parse_args(argv)
    torch.manual_seed(0)
    folder = pathlib.Path(tempfile.mkdtemp())
    plugin, plain = folder / "count.so", folder / "plain"
    shared = ["clang-22", "-O2", "-shared", "-fPIC"]
    subprocess.run([*shared, HERE / "count.c", "-o", plugin], check=True)
    flags = [f"--target={crossing.TRIPLE}", "-fuse-ld=lld", "-O3", "-ffast-math"]
    flags += [f"-mcpu={args.cpu}", HERE / "plain.c", "-o", plain, "-lm"]
    subprocess.run(["clang-22", *flags], check=True)
    *emulator, program = crossing.command(folder, args.emulated)
    emulator += ["-plugin", plugin]
    ratios = {}
    print(f"| {args.cpu} | plain loops | fx-mlir | fewer | per step |\n|---|--:|--:|--:|--:|")
    for name, (module, x, flags, steps) in cases().items():
        if args.cases and name not in args.cases:
            continue
        model, inputs = folder / "m.pt2", folder / "io"
        inputs.mkdir(exist_ok=True)
        exporting.save(exporting.export(module.eval(), (x,)), model)
        file = crossing.compile_for(model, folder / "m.so", args.cpu, *flags)
        raw_tensors.save(inputs / "in_0", x)
        ours = count([*emulator, program], file, inputs)
        loops = count([*emulator, plain], name)
        ratios[name] = loops / ours
        print(
            f"| {name} | {loops:,} | {ours:,} | {loops / ours:.2f}× | {ours / steps:.3f} |",
            flush=True,
        )
    return ratios


if __name__ == "__main__":
    main()

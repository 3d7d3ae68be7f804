"""Times the attention of a decode step over a paged cache: 8 sequences with 1,000 of 1,024 positions
in pages of 16, heads of 128 elements. Compares with the same attention over caches without pages,
eager PyTorch and torch.compile, alternating in one process. PATH has fx-compile.

    python benchmarks/paged_attention.py [--threads 1,2] [--heads 8,32,64] [--rounds 15]

The milliseconds are medians; the bytes are those of the keys and values that the step reads.
"""

import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import torch
from torch.nn.functional import scaled_dot_product_attention

import native

sys.path.append(str(pathlib.Path(__file__).parents[1] / "test" / "EndToEnd"))
import paged  # noqa: E402

SEQUENCES, USED, GROUPS, SIZE = 8, 1000, 8, 128


class Contiguous(torch.nn.Module):
    """[batch, heads, positions, elements] in the order of memory."""

    def forward(self, q, k, v, lengths):
        seen = torch.arange(k.shape[2]) < lengths[:, None]
        return scaled_dot_product_attention(q, k, v, seen[:, None, None], enable_gqa=True)


def compiled(module, args, path: pathlib.Path, threads: int):
    torch.export.save(torch.export.export(module, args), path.with_suffix(".pt2"))
    command = ["fx-compile", "--no-fallback", path.with_suffix(".pt2"), "-o", path]
    subprocess.run(command, check=True)
    return native.Model(path, threads)


def measure(heads, dtype, layout, threads, rounds, folder):
    args = paged.tensors(
        heads=heads, groups=GROUPS, dim=SIZE, pages=64, lengths=[USED] * SEQUENCES, dtype=dtype,
        layout=layout,
    )
    q, *caches, table, lengths = args
    plain = (q, *(paged.gather(x, table, layout).contiguous() for x in caches), lengths)
    module = paged.Paged(layout)
    name = f"{heads}-{str(dtype)[6:]}-{layout[:4]}-{threads}"
    ours = compiled(module, args, folder / f"paged-{name}.so", threads)
    other = compiled(Contiguous(), plain, folder / f"plain-{name}.so", threads)
    torch._dynamo.reset()
    dynamo = torch.compile(module)
    runs = [
        lambda: ours(*args), lambda: other(*plain), lambda: module(*args), lambda: dynamo(*args),
    ]
    results = [run() for run in runs]
    results[:2] = [r[0] for r in results[:2]]
    for r in results:
        tolerance = 1e-4 if dtype == torch.float32 else 2e-2
        torch.testing.assert_close(r, results[2], rtol=tolerance, atol=tolerance)
    times = [[] for _ in runs]
    for _ in range(rounds):
        for run, taken in zip(runs, times):
            start = time.perf_counter()
            run()
            taken.append(1e3 * (time.perf_counter() - start))
    return [statistics.median(t) for t in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--heads", default="8,32,64")
    parser.add_argument("--rounds", type=int, default=15)
    options = parser.parse_args()
    print("| query heads | dtype | layout | threads | paged, ms | GB/s | without pages | eager |"
          " torch.compile |")
    print("|--:|---|---|--:|--:|--:|--:|--:|--:|")
    with torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        for threads in map(int, options.threads.split(",")):
            torch.set_num_threads(threads)
            for heads in map(int, options.heads.split(",")):
                for dtype in (torch.float32, torch.bfloat16):
                    for layout in paged.LAYOUTS:
                        ours, *others = measure(
                            heads, dtype, layout, threads, options.rounds, pathlib.Path(folder)
                        )
                        read = 2 * SEQUENCES * USED * GROUPS * SIZE * dtype.itemsize
                        print(f"| {heads} | {str(dtype)[6:]} | {layout} | {threads} | {ours:.2f} |"
                              f" {read / ours / 1e6:.1f} |",
                              " | ".join(f"{t:.1f}" for t in others), "|", flush=True)


if __name__ == "__main__":
    main()

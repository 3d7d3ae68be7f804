"""Runs a compiled program of several ranks many times, and checks each result: faults of timing, such
as a rank that waits for ever, show after many runs only.

    python scripts/repeat_ranks.py --runs 1000 --ranks 2     # each run starts new processes
    python scripts/repeat_ranks.py --calls 1000              # and each process calls the model often

Prints one line: the number of runs, of failures, and the seconds.
"""

import argparse
import os
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "test" / "EndToEnd"))

import harness
import leaves
import ranks
import sharded
import torch
from torch import nn


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(32, 16)
        self.up, self.down = nn.Linear(16, 32), nn.Linear(32, 16)
        self.head = nn.Linear(16, 32)

    def forward(self, tokens):
        x = self.embedding(tokens)
        return self.head(x + self.down(self.up(x).relu()))


PLAN = "embedding: rowwise; up: colwise; down: rowwise; head: colwise"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=1000)
    parser.add_argument("--calls", type=int, default=1, help="calls of the model in each run")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this time")
    options = parser.parse_args()
    torch.manual_seed(0)
    module = Network().eval()
    tokens = torch.randint(32, (2, 5))
    with torch.no_grad():
        expected = [module(tokens)]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sharded.export(module, (tokens,), folder / "m.pt2")
        for file in sharded.divide(folder / "m.pt2", options.ranks, PLAN):
            result = harness.tool("fx-compile", file, "-o", folder / file.with_suffix(".so").name)
            assert result.returncode == 0, result.stderr
        leaves.save_inputs(folder / "in", (tokens,), {})
        flags = ["--benchmark", options.calls] if options.calls > 1 else []
        command = ranks.fx_run(folder / "m.{rank}.so", "--inputs", folder / "in",
                               "--outputs", folder / "out.{rank}", *flags)  # fmt: skip
        start, done, failures = time.monotonic(), 0, 0
        while done < options.runs and time.monotonic() - start < options.seconds:
            done += 1
            try:
                ranks.run(*[command] * options.ranks)
                for rank in range(options.ranks):
                    got = folder / f"out.{rank}"
                    harness.compare(leaves.load_outputs(got, expected), expected)
            except AssertionError as error:
                failures += 1
                print(f"run {done}: {error}", file=sys.stderr)
        seconds = time.monotonic() - start
    print(f"{done} runs of {options.ranks} ranks, {options.calls} calls each: {failures} failures, {seconds:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())

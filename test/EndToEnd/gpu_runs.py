"""Runs a model several times in one process, for test_gpu_streams.py:

    python gpu_runs.py MODEL.so RUNS.pt OUTPUTS.pt GRAPHS

RUNS.pt holds the arguments of each run. OUTPUTS.pt gets the outputs and the arguments that the
model writes.
"""

import sys

import fx_mlir
import torch


def main() -> None:
    path, runs, results, graphs = sys.argv[1:]
    model = fx_mlir.load(path, cuda_graphs=graphs == "1")
    torch.manual_seed(11)
    found = []
    for args in torch.load(runs):
        outputs = model(*args)
        found.append((outputs, args))
    torch.save(found, results)


if __name__ == "__main__":
    main()

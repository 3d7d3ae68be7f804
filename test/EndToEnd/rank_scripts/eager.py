"""A rank of eager PyTorch: runs each collective on each dtype, and writes which it can and the
results.

eager.py FOLDER
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import collectives
import torch
import torch.distributed as dist

folder = pathlib.Path(sys.argv[1])
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
dist.init_process_group("gloo")
xs = collectives.inputs(rank)
names, results = [], []
for case, function in collectives.CASES.items():
    for k, x in enumerate(xs):
        try:
            got = collectives.wait(function(x, rank, world))
        except (RuntimeError, NotImplementedError, ValueError):
            continue
        names.append((case, k))
        results += got
torch.save((names, results), folder / f"eager{rank}.pt")
dist.barrier()
dist.destroy_process_group()

"""A rank that has called init_process_group: its groups are used by name.

in_python.py COMPILED
"""

import os
import pathlib
import sys
import warnings

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build")) / "python"))

import fx_mlir
import torch
import torch.distributed as dist
from fx_mlir import _torch

model = sys.argv[1]
rank = int(os.environ["RANK"])
torch.set_num_threads(1)
dist.init_process_group("gloo")
pair = dist.new_group([0, 1])
assert pair.group_name == "1", pair.group_name
x = torch.full((4, 8), rank + 1.0)


def check(compiled):
    for _ in range(3):
        y, z = compiled(x)
        total = x.clone()
        dist.all_reduce(total)
        largest = x.clone()
        dist.all_reduce(largest, dist.ReduceOp.MAX, group=pair)
        torch.testing.assert_close(y, total.sin())
        torch.testing.assert_close(z, largest + 1)


check(fx_mlir.load(model))
# As if libFXTorch could not use this torch: Python calls the collectives.
_torch.is_other = lambda: True
warnings.simplefilter("ignore")
check(fx_mlir.load(model))
dist.barrier()
dist.destroy_process_group()
print("ok")

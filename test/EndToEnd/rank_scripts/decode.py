"""A rank that generates with a compiled decoder, whose cache is inside, against eager's logits.

decode.py MODEL.{rank}.so EXPECTED.pt
"""

import os
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build")) / "python"))

import fx_mlir
import torch
import torch.distributed as dist

torch.set_num_threads(1)
dist.init_process_group("gloo")
model = fx_mlir.load(sys.argv[1].replace("{rank}", os.environ["RANK"]))
for inputs, logits in torch.load(sys.argv[2]):
    got = model(*inputs)
    torch.testing.assert_close(got, logits, rtol=1e-4, atol=1e-4)
dist.barrier()
dist.destroy_process_group()
print("ok")

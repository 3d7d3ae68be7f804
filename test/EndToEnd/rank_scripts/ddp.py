"""A rank of a data-parallel training: DDP around a network that is compiled by
torch.compile(backend="fx_mlir"), against the same training of one process.

ddp.py
"""

import os
import pathlib
import sys
import warnings

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build")) / "python"))

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

warnings.simplefilter("ignore")
rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
torch.set_num_threads(1)
dist.init_process_group("gloo")


def make() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(16, 32), nn.GELU(), nn.LayerNorm(32), nn.Linear(32, 4))


def train(model: nn.Module, parts: list[int]) -> list[torch.Tensor]:
    """Trains on the parts of each batch."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    generator = torch.Generator().manual_seed(1)
    for _ in range(3):
        x = torch.randn(world, 8, 16, generator=generator)
        target = torch.randint(4, (world, 8), generator=generator)
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x[parts].flatten(0, 1)), target[parts].flatten())
        loss.backward()
        optimizer.step()
    return [p.detach() for p in model.parameters()]


expected = train(make(), list(range(world)))
got = train(torch.compile(DistributedDataParallel(make()), backend="fx_mlir"), [rank])
for g, e in zip(got, expected, strict=True):
    torch.testing.assert_close(g, e, rtol=1e-4, atol=1e-5)
dist.barrier()
dist.destroy_process_group()
print("ok")

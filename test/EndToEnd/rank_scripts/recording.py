"""A process whose group records what it gets, in the place of NCCL, which needs GPUs: the names of
the calls and waits, and their tensors. The group does as if the other ranks had the same tensors.

recording.py COMPILED
"""

import json
import os
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(pathlib.Path(os.environ.get("FX_BUILD_DIR", root / "build")) / "python"))

import fx_mlir
import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

record = []


class Done(dist._Work):
    """A communication that writes its result when somebody waits for it, and not before."""

    def __init__(self, name, finish):
        super().__init__()
        self.name, self.finish = name, finish

    def wait(self, timeout=None):
        record.append(f"wait {self.name}")
        if self.finish:
            self.finish()
        self.finish = None
        return True


class Recording(dist.ProcessGroup):
    def __init__(self, rank, world):
        super().__init__(rank, world)
        self.world = world

    def getBackendName(self):
        return "recording"

    def size(self):
        return self.world

    def start(self, name, tensors, finish):
        for t in tensors:
            assert t.is_contiguous() and t.device.type == "cpu", (name, t.shape, t.stride(), t.device)
        record.append(f"{name} {[list(t.shape) for t in tensors]}")
        return Done(name, finish)

    def allreduce(self, tensors, opts=None):
        return self.start("all_reduce", tensors, lambda: [t.mul_(self.world) for t in tensors])

    # The functional collectives call the forms for several tensors.
    def all_gather_single_coalesced(self, outputs, xs, opts=None):
        def finish():
            for output, x in zip(outputs, xs, strict=True):
                output.copy_(torch.cat([x] * self.world))

        return self.start("all_gather", xs, finish)

    def reduce_scatter_single_coalesced(self, outputs, xs, opts=None):
        def finish():
            for output, x in zip(outputs, xs, strict=True):
                output.copy_(x.chunk(self.world)[self.rank()] * self.world)

        return self.start("reduce_scatter", xs, finish)

    def broadcast(self, tensors, opts=None):
        return self.start("broadcast", tensors, None)


model = sys.argv[1]
world = 2
dist.Backend.register_backend(
    "recording", lambda store, rank, size, timeout: Recording(rank, size), devices=["cpu"])
dist.init_process_group("recording", rank=0, world_size=world, store=FakeStore())
x = torch.arange(32.0).reshape(4, 8) / 32
results = [t.tolist() for t in fx_mlir.load(model)(x)]
print(json.dumps({"record": record, "results": results}))

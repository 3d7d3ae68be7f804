"""Modules with the functional collectives of torch.distributed, and their export: a process group
that communicates nothing takes the place of the other ranks."""

import contextlib

import exporting
import torch
import torch.distributed as dist
from torch.testing._internal.distributed.fake_pg import FakeStore

OPS = torch.ops._c10d_functional
DTYPES = [
    torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.int8, torch.uint8,
    torch.int32, torch.int64, torch.bool, torch.complex64,
]  # fmt: skip


@contextlib.contextmanager
def fake_group(rank: int, world: int):
    dist.init_process_group("fake", rank=rank, world_size=world, store=FakeStore())
    try:
        yield
    finally:
        dist.destroy_process_group()


def export(module, args, rank: int, world: int, path, **options) -> None:
    with fake_group(rank, world):
        exporting.save(exporting.export(module.eval(), args, **options), path)


def _splits(rank: int, world: int) -> tuple[list[int], list[int]]:
    """Uneven splits: rank r sends r + k % 2 rows to rank k."""
    take = lambda a, b: a + b % 2  # noqa: E731
    return [take(k, rank) for k in range(world)], [take(rank, k) for k in range(world)]


#: Each takes a tensor of 4 rows, its rank and the number of ranks, and returns a list of tensors.
CASES = {
    **{
        f"all_reduce-{op}": lambda x, r, n, op=op: [OPS.all_reduce(x, op, "0")]
        for op in ("sum", "avg", "product", "min", "max", "band", "bor", "bxor")
    },
    "all_reduce_coalesced": lambda x, r, n: OPS.all_reduce_coalesced([x, x[:1] + x[:1]], "sum", "0"),
    "all_gather": lambda x, r, n: [OPS.all_gather_into_tensor(x, n, "0")],
    "all_gather_coalesced": lambda x, r, n: OPS.all_gather_into_tensor_coalesced([x, x[:1] + x[:1]], n, "0"),
    "reduce_scatter": lambda x, r, n: [OPS.reduce_scatter_tensor(x, "sum", n, "0")],
    "reduce_scatter_coalesced": lambda x, r, n: OPS.reduce_scatter_tensor_coalesced([x, x], "sum", n, "0"),
    "all_to_all": lambda x, r, n: [OPS.all_to_all_single(x, [4 // n] * n, [4 // n] * n, "0")],
    "all_to_all_uneven": lambda x, r, n: [
        OPS.all_to_all_single(x.new_ones(sum(_splits(r, n)[1]), 3), *_splits(r, n), "0")],
    "broadcast": lambda x, r, n: [OPS.broadcast(x, n - 1, "0")],
    "all_reduce_": lambda x, r, n: [OPS.all_reduce_(x + x, "sum", "0")],
    "broadcast_": lambda x, r, n: [OPS.broadcast_(x + x, 0, "0")],
    "all_gather_out": lambda x, r, n: [
        OPS.all_gather_into_tensor_out(x, n, "0", out=x.new_empty(4 * n, 3))],
    "shard_dim_alltoall": lambda x, r, n: [torch.ops._dtensor.shard_dim_alltoall(x, 1, 0, "0")],
}  # fmt: skip


def inputs(rank: int) -> tuple[torch.Tensor, ...]:
    """Small integers: sums and products are exact in every dtype."""
    torch.manual_seed(rank)
    values = torch.randint(1, 3, (4, 3))
    return tuple((values % 2 if t is torch.bool else values).to(t) for t in DTYPES)


def wait(tensors: list) -> list:
    return [OPS.wait_tensor(t) for t in tensors]


class Collectives(torch.nn.Module):
    """The collectives of `names`, pairs of a case and the position of a dtype."""

    def __init__(self, names: list, rank: int, world: int):
        super().__init__()
        self.names, self.rank, self.world = names, rank, world

    def forward(self, *xs):
        return [
            t for case, k in self.names for t in wait(CASES[case](xs[k], self.rank, self.world))
        ]

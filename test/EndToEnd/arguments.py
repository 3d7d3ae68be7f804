"""Modules whose arguments and results cover every kind that torch.export accepts: pytree
containers, leaves, defaults, *args and **kwargs."""

import collections
import dataclasses

import torch
from torch.utils import _pytree as pytree

Pair = collections.namedtuple("Pair", ["left", "right"])
pytree._register_namedtuple(Pair, serialized_type_name="arguments.Pair")


@dataclasses.dataclass
class Record:
    x: torch.Tensor
    n: int | None = None


torch.export.register_dataclass(Record, serialized_type_name="arguments.Record")


class Box:
    def __init__(self, *items):
        self.items = list(items)

    def __eq__(self, other):
        return self.items == other.items


pytree.register_pytree_node(
    Box,
    lambda box: (box.items, len(box.items)),
    lambda items, _: Box(*items),
    serialized_type_name="arguments.Box",
    flatten_with_keys_fn=lambda box: (
        [(pytree.SequenceKey(k), x) for k, x in enumerate(box.items)],
        len(box.items),
    ),
    to_dumpable_context=str,
    from_dumpable_context=int,
)

# Sample inputs are saved as a pickle that contains these classes.
torch.serialization.add_safe_globals([Pair, Record, Box])

CONTAINERS = {
    "tuple": lambda x: (x, x + 1),
    "list": lambda x: [x, x + 1],
    "dict": lambda x: {"b": x, "a": x + 1},
    "namedtuple": lambda x: Pair(x, x + 1),
    "dataclass": lambda x: Record(x),
    "registered": lambda x: Box(x, x + 1),
    "nested": lambda x: {"k": [Pair(x, (x + 1,)), Box(x)], "n": []},
}


class Contain(torch.nn.Module):
    def __init__(self, make):
        super().__init__()
        self.make = make

    def forward(self, tree):
        leaf = sum(x for x in pytree.tree_leaves(tree) if x is not None)
        return self.make(leaf)


class Leaves(torch.nn.Module):
    def forward(self, x, *rest, scale, count, flag, name=None, nothing=None):
        y = torch.zeros(2, dtype=torch.int32, layout=torch.strided, device="cpu")
        z = x.to(torch.float64, memory_format=torch.channels_last)
        if flag and name == "plain":
            z = z * scale + count
        for extra in rest:
            z = z + extra
        z = torch.full_like(z, float("inf")) + z.div(2, rounding_mode="floor")
        # torch saves a str among the outputs but cannot load it.
        return {"y": y, "z": z}, scale, count, flag, nothing


#: (args, kwargs) of `Leaves`: positional and keyword arguments, and every kind of leaf as an input
#: and an output.
LEAVES = (
    (torch.ones(1, 2, 3, 3), torch.ones(()), torch.ones(3)),
    dict(scale=1e-5, count=3, flag=True, name="plain", nothing=None),
)


class Defaults(torch.nn.Module):
    def forward(self, x, n: int = 3, *, k=None, **more):
        return x * n + sum(more.values())

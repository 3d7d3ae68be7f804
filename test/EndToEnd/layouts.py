"""Samples of the operator database on tensors with other memory layouts: the same values as a
transpose, a slice with a step, channels last, dimensions with a stride of 0, or with an offset.

The view is created inside of the program from a dense input, or is itself the program's input.
"""

import copy
import warnings
from collections.abc import Callable

import torch
from torch.utils import _pytree as pytree


def _transposed(x: torch.Tensor):
    """Swaps the last two dimensions. A tensor of rank 1 takes every other element."""
    if x.dim() >= 2:
        return x.transpose(-1, -2).contiguous(), lambda b: b.transpose(-1, -2)
    if x.dim() == 1:
        return torch.stack([x, x.flip(0)], 1).flatten(), lambda b: b[::2]
    return torch.stack([x, x]), lambda b: b[1]


def _channels_last(x: torch.Tensor):
    if x.dim() not in (4, 5):
        return None
    # Moves the channels from behind the batch to the end, and back.
    there = (0, *range(2, x.dim()), 1)
    back = (0, x.dim() - 1, *range(1, x.dim() - 1))
    return x.permute(there).contiguous(), lambda b: b.permute(back)


def _expanded(x: torch.Tensor):
    """Repeats the first element along the largest dimension with a stride of 0."""
    if x.dim() == 0:
        return None
    dim = max(range(x.dim()), key=lambda d: x.shape[d])
    sizes = [-1] * x.dim()
    sizes[dim] = x.shape[dim]
    return x.narrow(dim, 0, 1).contiguous(), lambda b: b.expand(sizes)


def _offset(x: torch.Tensor):
    flat, shape = x.reshape(-1), x.shape
    return torch.cat([flat[:1], flat, flat[-1:]]), lambda b: b[1:-1].view(shape)


LAYOUTS: dict[str, Callable] = {
    "transposed": _transposed,
    "channels_last": _channels_last,
    "expanded": _expanded,
    "offset": _offset,
}
#: Entries for which equal elements along a dimension leave only rounding errors: matrices with
#: equal columns have no inverse, and constant values cannot be divided by their deviation.
#: PyTorch's own nanmedian along a dimension with a stride of 0 reads elements behind it.
DEGENERATE = """linalg. lu geqrf qr svd ormqr pca_lowrank pinverse cholesky triangular_solve logdet
    _batch_norm _native_batch_norm native_batch_norm nn.functional.batch_norm nn.functional.instance_norm
    nn.functional.group_norm native_layer_norm nn.functional.layer_norm torch.nn.InstanceNorm
    masked.median nanmedian""".split()
#: Operators that read the memory around a view, which a file does not contain.
AROUND = "as_strided"
PLACES = ("inside", "input")
NAMES = [f"{layout}-{place}" for layout in LAYOUTS for place in PLACES]


class Viewed(torch.nn.Module):
    """A call whose tensors are views of the tensors that it takes."""

    def __init__(self, call: torch.nn.Module, views: list):
        super().__init__()
        self.call, self.views = call, views

    @property
    def leaves(self):
        return self.call.leaves

    def seen(self, tensors):
        return [x if view is None else view(x) for view, x in zip(self.views, tensors)]

    def forward(self, tensors):
        return self.call(self.seen(tensors))


def layouts_of(entry: str, views: list[str]) -> list[str]:
    """Returns the views that an entry of the database is tested with."""
    if entry.startswith(AROUND):
        return []
    if not any(entry.startswith(prefix) for prefix in DEGENERATE):
        return views
    return [view for view in views if not view.startswith("expanded")]


def laid_out(sample, name: str):
    """Returns the sample in another layout, or None if it has none or PyTorch rejects it."""
    import opinfo

    layout, place = name.rsplit("-", 1)
    tensors, views = [], []
    for x in sample.tensors:
        pair = None
        if x.layout is torch.strided and x.numel():
            pair = LAYOUTS[layout](x)
        base, view = pair or (x, None)
        if view is not None and place == "input":
            base, view = view(base), None
        tensors.append(base)
        views.append(view)
    if all(a is b for a, b in zip(tensors, sample.tensors)):
        return None
    result = opinfo.Sample(sample.dtype, Viewed(sample.call, views), tensors)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            after = copy.deepcopy(tensors)
            pytree.tree_leaves(copy.deepcopy(result.call)(after))
    except Exception:  # noqa: BLE001  any exception is a rejection
        return None
    # PyTorch refuses to write elements that share memory, since the result is undefined.
    # embedding_renorm_ (max_norm) does not check.
    if layout == "expanded" and not all(map(opinfo._equal, tensors, after)):
        return None
    return result

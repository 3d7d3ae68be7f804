"""Runs a batch of cases with inputs beside memory that nobody may touch: guarded.py MODEL.so
FAMILY. Each input ends where such a page begins, then begins where one ends. Run as a program,
because a wrong access ends it."""

import ctypes
import mmap
import sys

import batch
import exporting
import torch
from torch.utils import _pytree as pytree

_LIBC = ctypes.CDLL(None, use_errno=True)
_LIBC.mmap.restype = ctypes.c_void_p
_LIBC.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
_LIBC.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
PAGE = mmap.PAGESIZE


def guard(tensor: torch.Tensor, at_end: bool) -> torch.Tensor:
    """Returns a contiguous copy between two pages without access. Its memory is never freed."""
    size = tensor.numel() * tensor.element_size()
    if size == 0:
        return tensor
    room = (size + PAGE - 1) // PAGE * PAGE
    start = _LIBC.mmap(None, room + 2 * PAGE, mmap.PROT_READ | mmap.PROT_WRITE,
                       mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, 0)
    for page in (start, start + PAGE + room):
        assert _LIBC.mprotect(page, PAGE, 0) == 0
    data = start + PAGE + (room - size if at_end else 0)
    memory = (ctypes.c_char * size).from_address(data)
    copy = torch.frombuffer(memory, dtype=tensor.dtype).reshape(tensor.shape)
    return copy.copy_(tensor)


def check(model, module, args) -> None:
    import harness

    want = exporting.eager(module, args)
    for at_end in (True, False):
        own = pytree.tree_map(lambda t: guard(t, at_end), args)
        harness.compare(pytree.tree_leaves(model(*own)), want)


def main() -> None:
    import fx_mlir
    import test_guard_pages

    cases = test_guard_pages.FAMILIES[sys.argv[2]]
    model = fx_mlir.load(sys.argv[1])
    for sizes in test_guard_pages.RUNS:
        check(model, batch.Batch(cases), batch._inputs(cases, sizes))


if __name__ == "__main__":
    main()

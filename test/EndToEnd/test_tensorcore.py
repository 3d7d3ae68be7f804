"""Matmuls of bf16 and f16 on tensor cores of sm_80, run by the emulator and compared with eager
PyTorch.

Covers sizes that fill tiles and that do not, operands that are copied in chunks of 16 bytes and
operands that cannot be, each layout in memory, and kernels with a wait, a barrier or a part of a
layout removed, which the emulator must notice.
"""

import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from torch import nn

BF16, F16 = torch.bfloat16, torch.float16
ROWS, INNER = torch.export.Dim("rows", max=4096), torch.export.Dim("inner", max=4096)


class Products(nn.Module):
    """Matmuls of pairs, each a kernel."""

    def forward(self, pairs):
        return [x @ y for x, y in pairs]


def pair(m, n, k, dtype=BF16):
    return randn(m, k).to(dtype), randn(k, n).to(dtype)


class Block(nn.Module):
    """Bias, activation and a residual: one kernel."""

    def __init__(self, n, k):
        super().__init__()
        self.linear = nn.Linear(k, n)

    def forward(self, x, y):
        return y + nn.functional.gelu(self.linear(x))


class Images(nn.Module):
    """First layers: color images, whose three channels are no chunk of bf16 or f32."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 24, 5, stride=2, padding=(2, 1)).to(BF16)
        self.second = nn.Conv2d(3, 20, 3, padding=1, dilation=(1, 2))

    def forward(self, x, y):
        return torch.relu(self.first(x)), self.second(y)


def mixed(b, x, y, q):
    """Matmuls of transposed operands, with a bias, of batches and of a slice, and attention."""
    return (
        x.T @ y.T,
        torch.addmm(b, y, x, beta=0.5, alpha=2),
        torch.bmm(q, q.transpose(1, 2)),
        x[1:, 3:35] @ y[:32],
        nn.functional.scaled_dot_product_attention(q, q, q),
    )


CASES = {
    # Copies by chunks: full tiles, tails, few rows, and f16.
    "chunks": lambda: (
        Products(),
        ([pair(64, 64, 32), pair(70, 72, 40), pair(5, 136, 200), pair(70, 72, 104, F16)],),
        None,
    ),
    # Rows that are not aligned to a chunk; the rows of one operand are.
    "elements": lambda: (
        Products(),
        ([pair(65, 63, 17), pair(3, 5, 70, F16), pair(20, 72, 33), pair(1, 7, 9)],),
        None,
    ),
    "mixed": lambda: (
        Function(mixed),
        (
            randn(72).to(BF16),
            randn(72, 72).to(BF16),
            randn(72, 72).to(BF16),
            randn(3, 40, 16).to(BF16),
        ),
        None,
    ),
    "dynamic": lambda: (
        Block(64, 48).to(BF16),
        (randn(66, 48).to(BF16), randn(66, 64).to(BF16)),
        ({0: ROWS}, {0: ROWS}),
    ),
    "large": lambda: (
        Function(lambda x, y: torch.relu(x @ y)),
        (randn(130, 72).to(BF16), randn(72, 1032).to(BF16)),
        ({0: ROWS}, None),
    ),
    "images": lambda: (Images(), (randn(2, 3, 13, 11).to(BF16), randn(1, 3, 9, 10)), None),
    "conv": lambda: (
        nn.Sequential(nn.Conv2d(16, 24, 3, padding=1, stride=2), nn.ReLU()).to(BF16),
        (randn(2, 16, 9, 7).to(BF16),),
        None,
    ),
}


def build(case, tmp_path, target="cuda:sm_80", flags=()):
    torch.manual_seed(3)
    module, args, dynamic = case()
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", target=target, flags=flags)
    return module, args, model


@pytest.mark.parametrize("name", CASES)
def test_products(name, tmp_path):
    module, args, model = build(CASES[name], tmp_path)
    want = exporting.eager(module, args)
    first = model.run(args, want)
    harness.compare(first, want)
    # The results depend neither on the order of threads nor on when copies complete.
    for a, b in zip(first, model.run(args, want, seed=1)):
        assert torch.equal(a, b)


def test_dynamic_strides(tmp_path):
    """The host selects the kernel: by chunks if the rows are aligned to them, else by elements."""
    module, _, model = build(
        lambda: (Function(lambda x, y: x @ y), pair(20, 40, 24), ({1: INNER}, {0: INNER})), tmp_path
    )
    for inner, kernel in [(24, "kernel_0"), (25, "kernel_0_1"), (200, "kernel_0")]:
        args = pair(20, 40, inner)
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=tmp_path / "log"), want)
        calls = emulate.read_log(tmp_path / "log")
        assert [c["kernel"] for c in calls if c["call"] == "launch"] == [kernel]


def test_alignment(tmp_path):
    """The alignment of an epilogue operand counts, too: if it is not aligned to 16 bytes, all is
    moved by elements. The columns that are read begin at 8 bytes."""
    module, _, model = build(
        lambda: (
            Function(lambda x, y, z: x @ y + z[:, 4:]),
            (*pair(70, 72, 40), randn(70, 76).to(BF16)),
            ({0: ROWS}, None, {0: ROWS}),
        ),
        tmp_path,
    )
    # Other kernels are for at most 16 and for at most 64 rows.
    for rows, kernel in [(70, "kernel_0_2"), (69, "kernel_0_3"), (20, "kernel_0_1"),
                         (19, "kernel_0_3"), (10, "kernel_0"), (9, "kernel_0_3")]:
        args = (*pair(rows, 72, 40), randn(rows, 76).to(BF16))
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=tmp_path / "log"), want)
        calls = emulate.read_log(tmp_path / "log")
        assert [c["kernel"] for c in calls if c["call"] == "launch"] == [kernel]


def test_without_tensor_cores(tmp_path):
    """Code that is also compiled for older chips multiplies exactly."""
    module, args, model = build(
        lambda: (Products(), ([pair(70, 72, 40, F16)],), None), tmp_path, target="cuda:sm_90a,sm_75"
    )
    assert "nvvm.mma" not in (tmp_path / "emulated" / "nvvm.mlir").read_text()
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want, chip=75), want)


def chunk_kernel(nvvm):
    """Returns the kernel that copies by chunks, which is the first one, the text behind it, and a
    function that returns the whole text with one match of a pattern in that kernel replaced."""
    end = nvvm.index("llvm.func @kernel_0_1")
    kernel, rest = nvvm[:end], nvvm[end:]

    def change(pattern, by, which=0):
        match = list(re.finditer(pattern, kernel, re.M))[which]
        return kernel[: match.start()] + match.expand(by) + kernel[match.end() :] + rest

    return kernel, rest, change


def mutations(nvvm):
    """Yields the kernels with one fault in the kernel that copies by chunks, by name."""
    kernel, _, change = chunk_kernel(nvvm)
    barrier = r"^ *nvvm\.barrier0.*\n"
    for which in range(len(re.findall(barrier, kernel, re.M))):
        yield f"barrier {which}", change(barrier, "", which)
    wait = r"cp\.async\.wait\.group 2"
    yield "no wait", change(rf"^ *nvvm\.{wait}.*\n", "")
    yield "a wait for too few", change(wait, "cp.async.wait.group 3")
    copy = r"(cp\.async\.shared\.global.*cache =  cg), (%\w+) : (.*), i32$"
    yield "a tail that is read", change(copy, r"\1 : \3")
    mma = r"mma\.sync A\[(%\w+), (%\w+), (%\w+), (%\w+)\] +B\[(%\w+), (%\w+)\]"
    yield "rows of the left operand", change(mma, r"mma.sync A[\2, \1, \3, \4] B[\5, \6]")
    yield "columns of the left operand", change(mma, r"mma.sync A[\1, \3, \2, \4] B[\5, \6]")
    yield "rows of the right operand", change(mma, r"mma.sync A[\1, \2, \3, \4] B[\6, \5]")
    matrix = r"(ldmatrix .*layout = #nvvm\.mma_layout<)row"
    yield "a transposed matrix", change(matrix, r"\1col")
    yield "another permutation", change(r"llvm\.xor", "llvm.or")


def check_mistakes(model, args, want, mutations, folder, noticed, **options):
    """Returns the names of the mutations. Checks that each makes the kernels wrong under some order
    of threads and copies: the results differ, or the run ends with one of `noticed`."""

    def differs(seed):
        try:
            harness.compare(model.run(args, want, seed, **options), want)
        except noticed:
            return True
        return False

    assert not any(differs(seed) for seed in range(4))
    nvvm = (folder / "emulated" / "nvvm.mlir").read_text()
    names = []
    for name, mutated in mutations(nvvm):
        model.kernels = emulate.build_kernels(mutated, folder / "mutated" / name)
        assert any(differs(seed) for seed in range(6)), name
        names.append(name)
    return names


def test_mistakes_show(tmp_path):
    """Five pieces of K use the ring of four buffers."""
    module, args, model = build(lambda: (Products(), ([pair(70, 72, 136)],), None), tmp_path)
    want = exporting.eager(module, args)
    names = check_mistakes(model, args, want, mutations, tmp_path, AssertionError)
    assert len(names) == 13, names

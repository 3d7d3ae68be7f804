"""softmax(Q K^T) V of bf16 and f16 in one kernel, run by the emulator and compared with eager
PyTorch.

Covers masks of every kind, sizes that fill tiles and that do not, heads that share keys and values,
attention that models write by hand, keys that several blocks share, and kernels with a wait, a
barrier, a step of the softmax or a bound removed, which the emulator must notice.
"""

import math
import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from test_tensorcore import BF16, F16, build, check_mistakes, chunk_kernel
from torch.nn.functional import scaled_dot_product_attention as sdpa

INF, NAN = float("inf"), float("nan")
#: One block has all keys of its rows.
WHOLE = ["--gpu-tiles=attention=1"]
BATCH, QUERIES, KEYS = (torch.export.Dim(name, max=4096) for name in ("batch", "queries", "keys"))


def heads(*sizes, dtype=BF16, seed=0):
    """Returns values whose dot products are spread like attention scores."""
    return torch.roll(randn(*sizes), seed + 1).to(dtype)


def qkv(queries, keys, size, groups=2, dtype=BF16, values=None, batch=1):
    return (
        heads(batch, groups, queries, size, dtype=dtype),
        heads(batch, groups, keys, size, dtype=dtype, seed=1),
        heads(batch, groups, keys, values or size, dtype=dtype, seed=2),
    )


def allowed(queries, keys):
    """Returns a mask of the keys that each query sees. The second query sees none."""
    mask = randn(queries, keys) > -0.5
    mask[1] = False
    return mask


def added(*sizes):
    mask = randn(*sizes)
    mask[..., 0, :] = -INF
    return mask.to(BF16)


def attend(q, k, v, mask=None):
    return sdpa(q, k, v, mask)


def shared(q, k, v):
    """All heads have the same keys and values."""
    return sdpa(q, k.expand(-1, 6, -1, -1), v.expand(-1, 6, -1, -1))


def by_hand(q, k, v, mask):
    scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + mask
    return torch.softmax(scores, -1, dtype=torch.float32).to(q.dtype) @ v


def capped(q, k, v):
    """Attention with bounded scores, a bias by distance, and a softmax in the dtype of the
    operands."""
    scores = torch.tanh(q @ k.mT * 0.05) * 20
    at = torch.arange(k.shape[-2], dtype=q.dtype)
    scores = scores - 0.1 * (at[: q.shape[-2], None] - at).abs()
    return torch.softmax(scores, -1) @ v


def causal_by_hand(q, k, v):
    scores = (q @ k.mT).float() * 0.2
    seen = torch.ones(q.shape[-2], k.shape[-2], dtype=torch.bool).tril()
    return torch.softmax(scores.masked_fill(~seen, -INF), -1).to(q.dtype) @ v


def repeated(q, k, v):
    """Attention whose model repeats the heads: the kernel reads them in place."""
    b, groups, n, size = k.shape
    k, v = (
        x[:, :, None].expand(b, groups, 2, n, size).reshape(b, 2 * groups, n, size) for x in (k, v)
    )
    return sdpa(q, k, v, is_causal=True)


class Projected(torch.nn.Module):
    """Heads that are adjacent in memory, as linear layers return them, with a bias and a
    residual."""

    def forward(self, qkv, residual):
        b, n, width = qkv.shape
        q, k, v = (x.view(b, n, 3, width // 9).transpose(1, 2) for x in qkv.chunk(3, -1))
        return residual + sdpa(q, k, v).transpose(1, 2).reshape(b, n, width // 3)


def several(*calls):
    functions, arguments = zip(*((f, args) for f, *args in calls))
    return exporting.Several(functions), (list(arguments),), None


def causal(q, k, v):
    return sdpa(q, k, v, is_causal=True)


def grouped(q, k, v, mask=None, is_causal=False):
    return sdpa(q, k, v, mask, is_causal=is_causal, enable_gqa=True)


GROUPS = heads(1, 6, 70, 32), *qkv(70, 70, 32)[1:]

#: Modules, inputs and dynamic sizes, and the number of kernels.
CASES = {
    "sizes": lambda: (
        several(
            (attend, *qkv(130, 200, 64)),
            (attend, *qkv(128, 128, 32)),
            (attend, *qkv(40, 70, 80)),
            (attend, *qkv(17, 70, 96, dtype=F16)),
            (attend, *qkv(20, 65, 40, values=24)),
            # Rows that are not aligned to 16 bytes.
            (attend, *qkv(20, 65, 20)),
        ),
        6,
    ),
    "wide": lambda: (
        several(
            (attend, *qkv(70, 100, 256)),
            (causal, *qkv(130, 70, 256, dtype=F16)),
            # The sizes of DeepSeek's latent attention.
            (causal, *qkv(70, 90, 192, values=128)),
            (attend, *qkv(20, 70, 160), allowed(20, 70)),
            # Sizes of which no piece can be divided evenly among the threads.
            (attend, *qkv(70, 100, 144)),
            (causal, *qkv(100, 100, 208, values=176)),
            (attend, *qkv(1, 33, 256), added(1, 1, 1, 33)),
            # Rows that are not aligned to 16 bytes.
            (attend, *qkv(20, 65, 132)),
        ),
        8,
    ),
    "masks": lambda: (
        several(
            (causal, *qkv(150, 150, 32)),
            (causal, *qkv(130, 70, 64, dtype=F16)),
            (causal, *qkv(100, 130, 128)),
            (attend, *qkv(70, 90, 32), allowed(70, 90)),
            (attend, *qkv(70, 128, 64, batch=2), added(2, 1, 70, 128)),
            (attend, *qkv(33, 90, 64, batch=2), allowed(2, 90)[:, None, None]),
        ),
        6,
    ),
    "heads": lambda: (
        several(
            (lambda q, k, v: grouped(q, k, v, None, True), *GROUPS),
            (shared, heads(1, 6, 20, 32), *qkv(1, 70, 32, groups=1)[1:]),
            (repeated, heads(1, 4, 40, 64), *qkv(70, 70, 64)[1:]),
            (
                grouped,
                heads(2, 8, 1, 64),
                *qkv(1, 200, 64, batch=2)[1:],
                torch.arange(200)[None] < 130,
            ),
            (attend, heads(70, 64), heads(80, 64, seed=1), heads(80, 64, seed=2)),
        ),
        5,
    ),
    # Other kernels compute the biases by distance, a mask and slices.
    "by-hand": lambda: (
        several(
            (by_hand, *qkv(70, 90, 64, batch=2), added(2, 1, 70, 90)),
            (capped, *qkv(40, 90, 64, dtype=F16)),
            (causal_by_hand, *qkv(140, 140, 32)),
            (Projected(), heads(2, 70, 9 * 32), heads(2, 70, 3 * 32)),
        ),
        4,
    ),
    "dynamic": lambda: (
        (
            Function(attend),
            (*qkv(70, 90, 64, batch=2), allowed(70, 90)),
            (
                {0: BATCH, 2: QUERIES},
                {0: BATCH, 2: KEYS},
                {0: BATCH, 2: KEYS},
                {0: QUERIES, 1: KEYS},
            ),
        ),
        1,
    ),
    "dynamic-causal": lambda: (
        (Function(lambda q, k, v: grouped(q, k, v, None, True)), GROUPS, ({2: QUERIES},) * 3),
        1,
    ),
}


# Blocks of 128 rows, as there may be many. With a causal mask, the first pieces of the later blocks
# have no masks.
for name, function, sizes in [
    ("dynamic-64", causal, (150, 150, 64)),
    ("dynamic-128", causal, (150, 150, 128)),
    ("dynamic-full", attend, (140, 200, 64)),
]:
    CASES[name] = lambda function=function, sizes=sizes: (
        (Function(function), qkv(*sizes), ({2: QUERIES}, {2: KEYS}, {2: KEYS})),
        1,
    )


def launches(log):
    return [c["kernel"] for c in emulate.read_log(log) if c["call"] == "launch"]


@pytest.mark.parametrize("name", CASES)
def test_attention(name, tmp_path):
    case, count = CASES[name]()
    module, args, model = build(lambda: case, tmp_path, flags=WHOLE)
    want = exporting.eager(module, args)
    first = model.run(args, want, log=tmp_path / "log")
    harness.compare(first, want)
    # Only the attention kernels contain mma, and each is launched once.
    nvvm = (tmp_path / "emulated" / "nvvm.mlir").read_text()
    kernels = re.findall(r"llvm\.func @(\w+)\((?:(?!llvm\.func).)*?nvvm\.mma", nvvm, re.S)
    launched = [name for name in launches(tmp_path / "log") if name in kernels]
    assert len(launched) == count and all(
        "ex2" in part for part in nvvm.split("llvm.func") if "nvvm.mma" in part
    )
    # The results depend neither on the order of threads nor on when copies complete.
    for a, b in zip(first, model.run(args, want, seed=1)):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


def test_dynamic_sizes(tmp_path):
    """One artefact runs few and many queries and keys, and none."""
    case, _ = CASES["dynamic"]()
    module, _, model = build(lambda: case, tmp_path)
    for batch, queries, keys in [(1, 1, 1), (3, 65, 64), (2, 64, 300), (0, 5, 5), (1, 0, 3)]:
        args = (*qkv(queries, keys, 64, batch=batch), allowed(queries + 2, keys)[2:])
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want), want)


def test_without_keys(tmp_path):
    """A softmax without elements gives the result of the separate kernels, not zeros."""
    module, _, model = build(
        lambda: (Function(causal), GROUPS[1:2] * 3, ({2: KEYS},) * 3), tmp_path
    )
    args = (heads(1, 2, 1, 32)[:, :, :0],) * 3
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)


def test_apart(tmp_path):
    """Attentions that do not fit one kernel stay several kernels: heads of 264 elements, scores
    that are results, a softmax along the queries."""

    def scores(q, k, v):
        p = torch.softmax(q @ k.mT, -1)
        return p @ v, p

    case = several(
        (attend, *qkv(20, 30, 264)),
        (scores, *qkv(20, 30, 32)),
        (lambda q, k, v: torch.softmax(q @ k.mT, -2) @ v, *qkv(30, 30, 32)),
    )
    module, args, model = build(lambda: case, tmp_path)
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want), want)
    assert "ex2.approx" not in (tmp_path / "emulated" / "nvvm.mlir").read_text()


def poisoned(x, *at):
    """Returns x with a NaN in the last dimension."""
    x[(*at, 3)] = NAN
    return x


def late(queries, keys, first):
    """Returns a mask of the keys from `first` on. The last query sees none."""
    mask = (torch.arange(keys) >= first).expand(queries, keys).clone()
    mask[-1] = False
    return mask


#: Attentions whose keys are split into parts, and a number of parts.
PARTS = {
    # Parts without a key that the mask allows, in GQA.
    "masks": lambda: (
        several(
            (grouped, heads(2, 8, 1, 64), *qkv(1, 300, 64, batch=2)[1:], late(2, 300, 150)[:1]),
            (attend, *qkv(5, 270, 32), late(5, 270, 130)),
            (by_hand, *qkv(20, 200, 64, batch=2), added(2, 1, 20, 200)),
            (capped, *qkv(7, 200, 64, dtype=F16)),
        ),
        4,
    ),
    # Parts that no row of a block sees, and parts that some do not see.
    "causal": lambda: (
        several(
            (causal, *qkv(150, 270, 32)),
            (causal, *qkv(20, 200, 128, dtype=F16)),
            (lambda q, k, v: grouped(q, k, v, None, True), *GROUPS),
            (causal_by_hand, *qkv(70, 130, 32)),
        ),
        2,
    ),
    "layouts": lambda: (
        several(
            # Rows that are not aligned to 16 bytes.
            (attend, *qkv(20, 200, 20)),
            (attend, *qkv(3, 70, 256)),
            (attend, *qkv(40, 200, 40, values=24)),
            (Projected(), heads(2, 130, 9 * 32), heads(2, 130, 3 * 32)),
        ),
        3,
    ),
    "nan": lambda: (
        several(
            (attend, poisoned(heads(1, 2, 5, 32), 0, 1, 2), *qkv(5, 200, 32)[1:]),
            (causal, heads(1, 2, 170, 32), poisoned(heads(1, 2, 170, 32), 0, 1, 150),
             heads(1, 2, 170, 32, seed=2)),
        ),
        3,
    ),
    # A thread combines 18 parts in two iterations.
    "many": lambda: (several((attend, *qkv(1, 18 * 64 - 5, 16))), 18),
}


@pytest.mark.parametrize("name", PARTS)
def test_parts(name, tmp_path):
    """Several blocks share the keys of their rows, and a second launch combines the parts."""
    case, parts = PARTS[name]()
    flags = [f"--gpu-tiles=attention={parts}"]
    module, args, model = build(lambda: case, tmp_path, flags=flags)
    want = exporting.eager(module, args)
    first = model.run(args, want, log=tmp_path / "log")
    harness.compare(first, want)
    nvvm = (tmp_path / "emulated" / "nvvm.mlir").read_text()
    matmuls, powers = (
        set(re.findall(rf"llvm\.func @(\w+)\((?:(?!llvm\.func).)*?{op}", nvvm, re.S))
        for op in (r"nvvm\.mma", r"ex2\.approx")
    )
    calls = [k for k in launches(tmp_path / "log") if k in powers]
    count = len(case[0].functions)
    assert [k in matmuls for k in calls] == [True, False] * count
    for a, b in zip(first, model.run(args, want, seed=1)):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


def test_dynamic_parts(tmp_path):
    """With a dynamic number of batches, the host decides whether keys are split. The number of
    parts depends on the number of keys."""
    groups = heads(2, 8, 1, 32)
    case = (
        Function(grouped),
        (groups, *qkv(1, 90, 32, batch=2)[1:], allowed(2, 90)[:1]),
        ({0: BATCH}, {0: BATCH, 2: KEYS}, {0: BATCH, 2: KEYS}, {1: KEYS}),
    )
    module, _, model = build(lambda: case, tmp_path)
    # 300 batches have 600 blocks, more than half of those that run at the same time.
    for batch, keys, number in [(1, 1, 1), (3, 300, 2), (2, 1300, 2), (300, 70, 1), (0, 5, 0)]:
        args = (heads(batch, 8, 1, 32), *qkv(1, keys, 32, batch=batch)[1:], allowed(3, keys)[2:])
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=tmp_path / "log"), want)
        assert len(launches(tmp_path / "log")) == number


def test_choice_of_parts(tmp_path):
    """Keys are split if there are few blocks and many keys."""
    for queries, keys, groups, parts in [
        (1, 256, 4, 4),  # a piece for each part
        (1, 192, 4, 1),  # too few keys
        (1, 1024, 600, 1),  # enough blocks
        (1, 4096, 64, 8),
        (1, 65536, 1, 64),  # at most so many parts
        (1024, 4096, 4, 4),
        (2048, 2048, 64, 1),
        (512, 512, 8, 1),  # the second launch costs more
    ]:
        args = tuple(torch.zeros(1, groups, n, 64, dtype=BF16) for n in (queries, keys, keys))
        exporting.save(exporting.export(Function(attend), args), tmp_path / "m.pt2")
        gpu = emulate.run_program(harness.BUILD / "bin" / "fx-compile", "--target=cuda:sm_80",
                                  tmp_path / "m.pt2", "--emit=gpu")
        numbers = dict(re.findall(r"(%c\d+)\w* = arith.constant (\d+) : index", gpu))
        blocks = re.findall(r"gpu.launch_func .* blocks in \((%c\d+)", gpu)
        rows = 16 if queries <= 64 else 128 if groups * queries >= 128 * 132 else 64
        assert int(numbers[blocks[0]]) == groups * math.ceil(queries / rows) * parts


def mutations(nvvm):
    """Yields the kernels with one fault in the kernel that copies by chunks, by name."""
    kernel, rest, change = chunk_kernel(nvvm)
    barrier = r"^ *nvvm\.barrier0.*\n"
    for which in range(len(re.findall(barrier, kernel, re.M))):
        yield f"barrier {which}", change(barrier, "", which)
    yield "queries that are not waited for", change("wait.group 2", "wait.group 3")
    yield "keys that are not waited for", change("wait.group 1", "wait.group 2")
    # Half of the matmuls are in the second loop, whose only piece has few keys.
    mma = r"mma\.sync A\[(%\w+), (%\w+), (%\w+), (%\w+)\]"
    whole = len(re.findall(mma, kernel)) // 2
    end = list(re.finditer(mma, kernel))[whole].start()

    def last(pattern):
        """Returns the number of the pattern's last match in the first loop."""
        return len(re.findall(pattern, kernel[:end], re.M)) - 1

    copy = r"(cp\.async\.shared\.global.*cache =  cg), (%\w+) : (.*), i32$"
    in_second = len(re.findall(copy, kernel, re.M)) - 1 - last(copy)
    yield "values beyond the end", change(copy, r"\1 : \3", last(copy) - in_second)
    yield "rows of the queries", change(mma, r"mma.sync A[\2, \1, \3, \4]")
    yield "keys of the probabilities", change(mma, r"mma.sync A[\1, \2, \4, \3]", last(mma))
    matrix = r"(ldmatrix .*layout = #nvvm\.mma_layout<)col"
    yield "values by rows", change(matrix, r"\1row", last(matrix))
    power = r"^( *%\w+ = )llvm\.call_intrinsic \"llvm\.nvvm\.ex2.*$"
    yield "sums that are not scaled", change(power, r"\1llvm.mlir.constant(1.0 : f32) : f32")
    shuffle = r"nvvm\.shfl\.sync +bfly %\w+, (%\w+), .*$"
    yield "a maximum of half a row", change(shuffle, r"llvm.bitcast \1 : f32 to f32")
    yield "a sum of half a row", change(shuffle, r"llvm.bitcast \1 : f32 to f32", -1)
    (lowest,) = re.findall(r"(%\w+) = llvm\.mlir\.constant\(0xFF800000 : f32\)", kernel)
    inside = rf"llvm\.select (%\w+), (%\w+), {lowest} : i1, f32"
    assert len(re.findall(inside, kernel)) == 32
    yield (
        "keys beyond the end",
        re.sub(inside, r"llvm.select \1, \2, \2 : i1, f32", kernel) + rest,
    )


def test_mistakes_show(tmp_path):
    """Five pieces of keys use the ring of three buffers, in several blocks of four warps. The last
    one has keys beyond the end."""
    case = Function(attend), qkv(40, 266, 32, groups=8), None
    module, args, model = build(lambda: case, tmp_path, flags=WHOLE)
    want = exporting.eager(module, args)
    names = check_mistakes(model, args, want, mutations, tmp_path, AssertionError)
    assert len(names) == 15, names

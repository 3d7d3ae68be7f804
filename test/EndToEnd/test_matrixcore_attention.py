"""softmax(Q K^T) V of bf16 and f16 in one kernel on AMD's matrix cores: the cases of the tests for
tensor cores, run by the emulator and compared with eager PyTorch."""

import random
import re

import exporting
import harness
import paged
import pytest
import test_attention as cases
import test_paged
import torch
from gpu_cases import Function
from test_attention import BATCH, KEYS, WHOLE, allowed, attend, grouped, heads, launches, qkv
from test_matrixcore import build, check_mistakes
from test_tensorcore import BF16, F16, chunk_kernel


def kernels_with(folder, *operations):
    """Returns the names of the kernels that have all of the operations."""
    text = (folder / "made" / "rocdl.mlir").read_text()
    kernels = re.split(r"(?=llvm\.func @kernel)", text)[1:]
    return {re.match(r"llvm\.func @(\w+)", kernel)[1] for kernel in kernels
            if all(operation in kernel for operation in operations)}


def check(case, folder, flags=()):
    """Returns the kernels that were launched."""
    module, args, model = build(lambda: case, folder, flags)
    want = exporting.eager(module, args)
    first = model.run(args, want, log=folder / "log")
    harness.compare(first, want)
    # The results do not depend on the order of threads.
    for a, b in zip(first, model.run(args, want, seed=1)):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)
    return launches(folder / "log")


@pytest.mark.parametrize("name", cases.CASES)
def test_attention(name, tmp_path):
    case, count = cases.CASES[name]()
    launched = check(case, tmp_path, WHOLE)
    # Each attention is one launch.
    both = kernels_with(tmp_path, "rocdl.mfma", "rocdl.exp2")
    assert len([kernel for kernel in launched if kernel in both]) == count


@pytest.mark.parametrize("name", cases.PARTS)
def test_parts(name, tmp_path):
    """Several blocks share the keys of their rows, and a second launch combines the parts."""
    case, parts = cases.PARTS[name]()
    launched = check(case, tmp_path, [f"--gpu-tiles=attention={parts}"])
    powers, products = kernels_with(tmp_path, "rocdl.exp2"), kernels_with(tmp_path, "rocdl.mfma")
    count = len(case[0].functions)
    calls = [kernel in products for kernel in launched if kernel in powers]
    assert calls == [True, False] * count


def test_dynamic_sizes(tmp_path):
    """One artefact runs few and many queries and keys, and none."""
    case, _ = cases.CASES["dynamic"]()
    module, _, model = build(lambda: case, tmp_path)
    for batch, queries, keys in [(1, 1, 1), (3, 65, 64), (2, 64, 300), (0, 5, 5), (1, 0, 3)]:
        args = (*qkv(queries, keys, 64, batch=batch), allowed(queries + 2, keys)[2:])
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want), want)


def test_dynamic_parts(tmp_path):
    """With a dynamic number of batches, the host decides whether keys are split."""
    case = (
        Function(grouped),
        (heads(2, 8, 1, 32), *qkv(1, 90, 32, batch=2)[1:], allowed(2, 90)[:1]),
        ({0: BATCH}, {0: BATCH, 2: KEYS}, {0: BATCH, 2: KEYS}, {1: KEYS}),
    )
    module, _, model = build(lambda: case, tmp_path)
    for batch, keys, number in [(1, 1, 1), (3, 300, 2), (700, 70, 1), (0, 5, 0)]:
        args = (heads(batch, 8, 1, 32), *qkv(1, keys, 32, batch=batch)[1:], allowed(3, keys)[2:])
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=tmp_path / "log"), want)
        assert len(launches(tmp_path / "log")) == number


@pytest.mark.parametrize("name", test_paged.NAMES)
def test_paged_caches(name, tmp_path):
    check((*paged.several(paged.cases(BF16)[name]), None), tmp_path)


@pytest.mark.parametrize("form", ["filled", "window", "difference"])
def test_bounds(form, tmp_path):
    """Keys outside of the bounds of the mask are not multiplied: they may be NaN."""
    queries = {"filled": 1, "window": 70, "difference": 5}[form]
    module, _, model = build(
        lambda: (test_paged.Layers(form), test_paged.layers(queries, 0, form, 0.0), None), tmp_path)
    for position in (0, 300, 63, 470):
        want = exporting.eager(module, test_paged.layers(queries, position, form, 0.0))
        got = model.run(test_paged.layers(queries, position, form, cases.NAN), want)
        harness.compare(got, want)


@pytest.mark.parametrize("seed", [
    *range(2), *(pytest.param(s, marks=pytest.mark.long) for s in range(2, 40))])
def test_random(seed, tmp_path):
    """Sizes that fill tiles and that do not, in each kind of memory that the kernel has."""
    draw = random.Random(seed)
    calls = []
    for _ in range(5):
        dtype, size = draw.choice([BF16, F16]), draw.choice([8, 16, 33, 40, 64, 72, 96, 128, 200, 256])
        queries = draw.choice([1, 5, 16, 17, 32, 33, 64, 65, 128, 150])
        keys = draw.choice([1, 31, 32, 64, 100, 257])
        groups, batch = draw.choice([1, 2, 3]), draw.choice([1, 2])
        q, k, v = qkv(queries, keys, size, groups, dtype, draw.choice([None, 24, 136]), batch)
        mask = draw.choice([None, allowed(queries + 2, keys)[2:], randn_mask(draw, queries, keys, dtype)])
        # Layouts: as they are, with heads inside, and transposed.
        q, k, v = (change(x, draw.choice([None, 1, 2])) for x in (q, k, v))
        if mask is None and draw.random() < 0.5:
            calls.append((cases.causal, q, k, v))
        else:
            calls.append((attend, q, k, v, *([] if mask is None else [mask])))
    check(cases.several(*calls), tmp_path,
          [f"--gpu-tiles=attention={draw.choice([1, 3])}"] if seed % 2 else [])


def randn_mask(draw, queries, keys, dtype):
    return torch.randn(2, 1, queries, keys)[:1].to(dtype) * draw.choice([1, 3])


def change(x, dim):
    """Returns x with another order of its dimensions in memory."""
    return x if dim is None else x.transpose(dim, dim + 1).contiguous().transpose(dim, dim + 1)


def mutations(rocdl):
    """Yields the kernels with one fault in the kernel that loads chunks, by name."""
    kernel, rest, change = chunk_kernel(rocdl)
    barrier = r"^ *rocdl\.s\.barrier.*\n|^ *rocdl\.barrier.*\n"
    found = [match.start() for match in re.finditer(barrier, kernel, re.M)]
    # Behind the loops are the barriers before the sums of rows are stored, before and after products
    # are stored, and so on. Of the first two, the products need one alone.
    loops = kernel.rindex("rocdl.mfma")
    spare = next(which for which, at in enumerate(found) if at > loops) + 1
    for which in range(len(found)):
        if which != spare:
            yield f"barrier {which}", change(barrier, "", which)
    product = r"(rocdl\.mfma\S+) (%\w+), (%\w+), "
    yield "operands of the scores", change(product, r"\1 \3, \2, ")
    scores = len(re.findall(product, kernel[: kernel.index("rocdl.exp2")]))
    yield "operands of the values", change(product, r"\1 \3, \2, ", scores)
    half = r"shufflevector (%\w+), (%\w+) \[0, 1, 2, 3\]"
    yield "terms", change(half, r"shufflevector \1, \2 [1, 0, 2, 3]")
    yield "another permutation", change(r"llvm\.xor", "llvm.or")
    yield "a word of a row", change(r"\[0, 2\] : vector<2xi16>", "[1, 2] : vector<2xi16>")
    power = r"^( *%\w+ = )rocdl\.exp2 (%\w+) .*$"
    yield "sums that are not scaled", change(power, r"\1llvm.mlir.constant(1.0 : f32) : f32")
    across = r"rocdl\.ds_bpermute %\w+, (%\w+) : \(i32, i32\) -> i32"
    yield "a maximum of half a row", change(across, r"llvm.bitcast \1 : i32 to i32")
    yield "a sum of half a row", change(across, r"llvm.bitcast \1 : i32 to i32", -1)


@pytest.mark.parametrize("size", [32, 256])
def test_mistakes_show(size, tmp_path):
    """Several pieces of keys, in several blocks of four waves (of two, with one buffer). The last
    piece has keys beyond the end."""
    case = Function(attend), qkv(140, 266 if size == 32 else 100, size), None
    module, args, model = build(lambda: case, tmp_path, WHOLE)
    names = check_mistakes(model, module, args, mutations, tmp_path)
    assert len(names) == {32: 20, 256: 21}[size], names

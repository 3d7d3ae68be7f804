"""softmax(Q K^T) V of bf16 and f16 by wgmma on sm_90a, run by the emulator and compared with eager
PyTorch.

Covers sizes that fill tiles and that do not, masks of every kind, rows that see no key, scores that
are large or infinite, heads that share keys, the kernel that the host selects for other devices and
operands, and kernels with a fault in a piece, a mask, a wait, a phase or an operand, which the
emulator must notice.
"""

import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function
from test_attention import (INF, KEYS, QUERIES, Projected, added, attend, causal, grouped, heads,
                            launches, qkv, several)
from test_tensorcore import BF16, F16, check_mistakes

BATCH = torch.export.Dim("batch", max=64)


@pytest.fixture(autouse=True)
def without_ptxas(monkeypatch):
    """The emulator does not run machine code, which takes long to make."""
    monkeypatch.setenv("FX_PTXAS", "")


def without_others(nvvm):
    """Removes the code of the kernels for other chips, which need not be compiled here."""
    other = r"(    llvm\.func @kernel_(?!\w*_sm_90a)[^\n]*\{\n).*?^    \}"
    return re.sub(other, r"\1      llvm.return\n    }", nvvm, flags=re.M | re.S)


def compile_model(case, tmp_path, *flags, mutate=without_others):
    torch.manual_seed(3)
    module, args, dynamic = case
    module = module.eval()
    exporting.save(exporting.export(module, args, dynamic=dynamic), tmp_path / "m.pt2")
    return module, args, emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated", mutate,
                                       target="cuda", flags=flags)


def unseen(queries, keys):
    """Returns a mask of what is not seen. Some rows do not see the last 70 keys, and some only the
    last 40."""
    mask = torch.zeros(queries, keys, dtype=torch.bool)
    mask[::3, -70:] = True
    mask[1::3, :-40] = True
    return mask


def by_hand(q, k, v, mask):
    """One row sees no key, so its results are NaN."""
    scores = (q @ k.mT).float() * 0.125
    return torch.softmax(scores.masked_fill(mask, -INF), -1).to(q.dtype) @ v


def several_masks():
    mask = unseen(80, 208)
    mask[5] = True
    return several((attend, *qkv(70, 128, 64, batch=2), added(2, 1, 70, 128)),
                   (by_hand, *qkv(80, 208, 64), mask))


def large(*sizes):
    q, k, v = qkv(*sizes, dtype=F16)
    return q * 300, k, v


#: The tiles, and modules with their inputs. Each function is one kernel.
CASES = {
    # Pieces that are whole, and whose keys or rows are not. Two boxes of columns.
    "sizes": ("1:2:64", lambda: several(
        (attend, *qkv(130, 200, 128)),
        (attend, *qkv(20, 128, 96, dtype=F16, values=48)))),
    "wide": ("1:2:32:1", lambda: several((attend, *qkv(70, 100, 256)))),
    # Several heads that share keys. The first rows of a block see fewer pieces than the last ones.
    "causal": ("1:2:32:1", lambda: several(
        (lambda q, k, v: grouped(q, k, v, None, True), heads(2, 4, 150, 64),
         *qkv(150, 150, 64, batch=2)[1:]))),
    # More keys than queries, and scores of which one is much larger than the others of its row.
    "turns": ("1:3:96:1", lambda: several((causal, *large(230, 330, 40)))),
    "masks": ("1:2:64:1", several_masks),
    # Heads that are adjacent in memory, and a residual.
    "adjacent": ("1:2:64:1", lambda: several(
        (Projected(), heads(2, 70, 9 * 32), heads(2, 70, 3 * 32)))),
}


@pytest.mark.parametrize("name", CASES)
def test_attention(name, tmp_path):
    tiles, case = CASES[name]
    module, args, model = compile_model(case(), tmp_path, f"--gpu-tiles=attention={tiles}")
    want = exporting.eager(module, args)
    first = model.run(args, want, log=tmp_path / "log")
    harness.compare(first, want)
    launched = [k for k in launches(tmp_path / "log") if k.endswith("_sm_90a")]
    assert len(launched) == len(module.functions)
    # The results depend neither on the order of threads nor on when copies complete.
    for a, b in zip(first, model.run(args, want, seed=1)):
        torch.testing.assert_close(a, b, rtol=0, atol=0, equal_nan=True)


def test_dynamic_sizes(tmp_path):
    """The host selects the kernel by wgmma if the device has it, there are many queries and keys,
    and strides and addresses permit it."""
    dynamic = ({0: BATCH, 2: QUERIES}, {0: BATCH, 2: KEYS}, {0: BATCH, 2: KEYS})
    case = Function(lambda q, k, v: grouped(q, k, v, None, True)), (
        heads(2, 4, 70, 64), *qkv(70, 90, 64, batch=2)[1:]), dynamic
    module, _, model = compile_model(case, tmp_path, mutate=lambda nvvm: nvvm)
    for batch, queries, keys, chip, is_used in [
            (2, 140, 70, 90, True), (1, 64, 300, 90, True), (1, 63, 300, 90, False),
            (1, 70, 63, 90, False), (0, 70, 70, 90, False), (2, 140, 70, 86, False)]:
        args = (heads(batch, 4, queries, 64), *qkv(1, keys, 64, batch=batch)[1:])
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=tmp_path / "log", chip=chip), want)
        assert any(k.endswith("_sm_90a") for k in launches(tmp_path / "log")) == is_used


def test_choice(tmp_path):
    """The kernel and its tiles by sizes."""
    sizes = {
        (4, 16, 2048, 2048, 64): (3, 128), (1, 8, 4096, 4096, 256): (2, 64),
        # Few queries, and few blocks.
        (1, 8, 1, 4096, 128): None, (1, 4, 128, 16384, 64): None,
    }
    calls = [(causal if queries > 1 else attend, *(torch.empty(b, h, rows, d, dtype=BF16)
                                                   for rows in (queries, n, n)))
             for b, h, queries, n, d in sizes]
    module, args, _ = several(*calls)
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    emulate.run_program(harness.BUILD / "bin" / "fx-compile", "--target=cuda", tmp_path / "m.pt2",
                        "--emit=kernels", "-o", tmp_path / "kernels.mlir")
    found = re.findall(r"fx_kernel\.schedule = #fx_kernel\.attention(?:<([^>]*)>)?",
                       (tmp_path / "kernels.mlir").read_text())
    chosen = [tuple(map(int, match.groups())) if (match := re.match(
        r"warpgroups = (\d+), keys = (\d+)", text)) else None for text in found]
    assert chosen == list(sizes.values())


def mutations(nvvm):
    """Yields the kernel with one fault, by name. The first block has pieces with masks only; the
    second one has eight pieces without."""
    def change(pattern, by, which=0):
        match = list(re.finditer(pattern, nvvm, re.M))[which]
        return nvvm[: match.start()] + match.expand(by) + nvvm[match.end() :]

    group = r"(wgmma\.wait_group\.sync\.aligned) "
    yield "scores that are not waited for", change(group + "1", r"\1 2")
    yield "products that are not waited for", change(group + "0", r"\1 1", 2)
    # The producer waits four times, once for nothing. The consumers wait for the queries, the first
    # keys and the next ones, then twice in each loop, and for the last values.
    wait = r"^ *llvm\.inline_asm [^\n]*try_wait[^\n]*\n"
    assert len(re.findall(wait, nvvm, re.M)) == 12
    for name, which in [("keys that are not read", 1), ("values that are not read", 2),
                        ("next keys", 8), ("values", 7)]:
        yield f"{name} that are not waited for", change(wait, "", which)
    arrive = r"^ *%\w+ = nvvm\.mbarrier\.arrive %\w+ .*\n"
    yield "values that are not released", change(arrive, "", 2)
    announce = r"^ *llvm\.call_intrinsic \"llvm\.nvvm\.barrier\.cta\.arrive.*\n"
    yield "no end of a turn", change(announce, "", 1)
    left = r"(r,r,r,r,l,n,n,n,n\" .*), (%\w+), (%\w+), ((?:%\w+, ){5}%\w+ :)"
    yield "keys of the probabilities", change(left, r"\1, \3, \2, \4", 1)
    power = r"^( *%\w+ = )llvm\.call_intrinsic \"llvm\.nvvm\.ex2.*$"
    one = r"\1llvm.mlir.constant(1.0 : f32) : f32"
    yield "products that are not scaled", change(power, one, 10)
    (lowest,) = re.findall(r"(%\w+) = llvm\.mlir\.constant\(0xFF800000 : f32\)", nvvm)
    inside = rf"llvm\.select (%\w+), (%\w+), {lowest} : i1, f32"
    assert len(re.findall(inside, nvvm)) == 16
    always = r"llvm.select \1, \2, \2 : i1, f32"
    yield "keys of a piece that a row does not see", change(inside, always, 10)


def test_mistakes_show(tmp_path):
    case = Function(causal), qkv(150, 150, 64, groups=1), None
    module, args, model = compile_model(case, tmp_path, "--gpu-tiles=attention=1:2:16:1")
    want = exporting.eager(module, args)
    # The unchanged kernels are without the code for other chips, too.
    nvvm = tmp_path / "emulated" / "nvvm.mlir"
    nvvm.write_text(without_others(nvvm.read_text()))
    names = check_mistakes(model, args, want, mutations, tmp_path,
                           (AssertionError, harness.ToolError), multiprocessors=1)
    assert len(names) == 11, names

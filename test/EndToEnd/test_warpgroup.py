"""Matmuls of bf16 and f16 on tensor cores of sm_90a, run by the emulator and compared with eager
PyTorch.

Covers sizes that fill tiles and that do not, several tiles per block, each layout in memory,
batches, the kernel that the host selects for other operands or devices, and kernels with a fault in
a descriptor, a phase, a number of bytes or a barrier, which the emulator must notice.
"""

import json
import re

import emulate
import exporting
import harness
import pytest
import torch
from gpu_cases import Function, randn
from test_tensorcore import BF16, F16, ROWS, Block, Products, build, check_mistakes, pair
from torch import nn

KERNEL = "kernel_0_sm_90a"


def transposed(x, y):
    """Two matmuls whose left operand is not contiguous along K. Only in the second one the right
    operand is contiguous along K."""
    return x.T @ y, y.T @ x.T.contiguous().T


def batches(q, k):
    """Two batch dimensions, and a batch dimension that one operand broadcasts."""
    return q @ k.transpose(2, 3), q @ k[:, :1].transpose(2, 3)


CASES = {
    # Tails of M, N and K, and more tiles than blocks.
    "tails": lambda: (Products(), ([pair(200, 264, 136), pair(130, 72, 200, F16)],), None),
    "full": lambda: (Products(), ([pair(256, 128, 448)],), None),
    # Operands contiguous along K. A number of rows that is not known at compile time gets wide
    # tiles.
    "wide": lambda: (Block(264, 72).to(BF16), (randn(130, 72).to(BF16), randn(130, 264).to(BF16)),
                     ({0: ROWS}, {0: ROWS})),
    "transposed": lambda: (Function(transposed), (randn(72, 136).to(F16), randn(72, 144).to(F16)),
                           None),
    "batches": lambda: (Function(batches), (randn(2, 3, 136, 64).to(BF16),
                                            randn(2, 3, 72, 64).to(BF16)), None),
    # Heads between rows: no stride is a multiple of the previous one.
    "heads": lambda: (Function(lambda q, k: q.transpose(1, 2) @ k.transpose(1, 2).mT),
                      (randn(2, 136, 3, 64).to(BF16), randn(2, 72, 3, 64).to(BF16)), None),
    # Outputs of several dtypes; rows of booleans are written 8 bytes at a time.
    "outputs": lambda: (Function(lambda x, y: ((z := x @ y), z.float() * 2, z > 0)),
                        pair(136, 72, 64), None),
    # Rows of two loops.
    "linear": lambda: (nn.Linear(64, 72).to(BF16), (randn(3, 50, 64).to(BF16),), None),
}


def kernels(log):
    return [c["kernel"] for c in emulate.read_log(log) if c["call"] == "launch"]


#: With "f32 ", for operands of f32. Tiles of `matmul` are for chips without tensor cores.
QUICK_TILES = ["warpgroup=192:4", "warpgroup=64:8:3", "warpgroup=128:6:1:1",
               "warpgroup=128:4:1:2:2", "warpgroup=64:6:1:1:2",
               "tensorcore=32:64:64:1:4:3", "f32 tensorcore=64:128:32:2:4:3",
               "f32 matmul=16:128:32:1:4"]
OTHER_TILES = [
    "warpgroup=256:3:1:2:2", "warpgroup=64:4:3:2:2", "warpgroup=128:3:2:2:2",
    "warpgroup=256:2:2:2:2", "warpgroup=64:8:1:2:2", "warpgroup=128:5:1:1:2", "warpgroup=64:2",
    "warpgroup=64:8", "warpgroup=64:3:1:1", "warpgroup=256:2:2", "warpgroup=128:4",
    "warpgroup=256:3", "tensorcore=128:64:32:2:2:4", "tensorcore=64:128:32:2:2:4",
    "tensorcore=64:64:64:2:2:3", "tensorcore=16:128:64:1:4:2", "f32 tensorcore=128:128:16:4:2:4",
    "f32 tensorcore=128:64:32:2:2:3", "f32 matmul=128:64:16:8:4", "f32 matmul=64:64:32:4:4",
    "f32 matmul=32:64:32:2:4"]


@pytest.mark.parametrize("tiles", [
    *QUICK_TILES, *(pytest.param(t, marks=pytest.mark.long) for t in OTHER_TILES)])
def test_tiles(tiles, tmp_path):
    """The tiles that benchmarks/gpu compares, with tails of all sizes."""
    dtype = torch.float32 if tiles.startswith("f32") else BF16
    tiles = tiles.removeprefix("f32 ")
    target = "cuda:sm_75" if tiles.startswith("matmul") else "cuda:sm_90a"
    args = (randn(200, 136).to(dtype), randn(136, 264).to(dtype))
    module = Function(lambda x, y: x @ y)
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    flags = ["--gpu-tiles=" + ("warpgroup=0:0," if tiles.startswith("tensor") else "") + tiles]
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "made", flags=flags, target=target)
    report = tmp_path / "report.json"
    emulate.run_program(harness.BUILD / "bin" / "fx-compile", f"--target={target}", *flags,
                        tmp_path / "m.pt2", "-o", tmp_path / "m.so", "--report", report)
    schedule = json.loads(report.read_text())["kernels"][0]["schedule"]
    assert schedule == {"m": 200, "n": 264, "k": 136, "kind": tiles.split("=")[0],
                        "tiles": tiles.split("=")[1]}
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want, multiprocessors=2), want)


@pytest.mark.parametrize("name", CASES)
def test_products(name, tmp_path):
    module, args, model = build(CASES[name], tmp_path, target="cuda")
    want = exporting.eager(module, args)
    first = model.run(args, want, log=tmp_path / "log", multiprocessors=2)
    harness.compare(first, want)
    launched, nvvm = kernels(tmp_path / "log"), (tmp_path / "emulated" / "nvvm.mlir").read_text()
    assert any(kernel.endswith("_sm_90a") for kernel in launched)
    assert not any(f"@{kernel}_sm_90a(" in nvvm for kernel in launched)
    # The results depend neither on the order of threads, nor on when copies complete, nor on how
    # many blocks share the tiles.
    for a, b in zip(first, model.run(args, want, seed=1, multiprocessors=3)):
        assert torch.equal(a, b)


#: Sizes with which the last tile of a cluster is outside of the result, with tiles, and the same
#: for a tile of parts, whose workspace follows.
OUTSIDE = [("128:3:1:2:2", 384, 192), ("64:4:1:2:2", 200, 192), ("64:4:3:2:2", 256, 192),
           ("128:3:3:2:2", 384, 136), ("128:3:1:1:2", 384, 264)]


@pytest.mark.parametrize("tiles, m, n", OUTSIDE)
def test_tiles_outside(tiles, m, n, tmp_path):
    """Batches follow each other in memory, and so do allocations of the emulator. The bias has no
    element for a column outside."""
    def program(x, y, bias):
        return nn.functional.gelu(x @ y + bias), (x @ y).float()

    args = (integers(2, m, 328), integers(2, 328, n), integers(n))
    module = Function(program)
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated",
                          flags=[f"--gpu-tiles=warpgroup={tiles}"])
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want, log=tmp_path / "log", multiprocessors=4), want)
    assert any(kernel.endswith("_sm_90a") for kernel in kernels(tmp_path / "log"))


def test_columns_outside(tmp_path):
    """The last 64 columns of a tile have no bias."""
    args = (randn(200, 136).to(BF16), randn(136, 192).to(BF16), randn(192).to(BF16))
    for kind in ("relu", "gelu"):
        module = Function(lambda x, y, bias: getattr(nn.functional, kind)(x @ y + bias))
        exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
        model = emulate.Model(tmp_path / "m.pt2", tmp_path / kind,
                              flags=["--gpu-tiles=warpgroup=128:3"])
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want), want)


def test_chosen_clusters(tmp_path):
    """The compiler may choose clusters. Matmuls with few rows have none, and sizes may be
    dynamic."""
    def program(x, y, z, w):
        return x @ y, z @ y, w @ y

    args = (randn(512, 2816).to(BF16), randn(2816, 1024).to(BF16), randn(1, 2816).to(BF16),
            randn(300, 2816).to(BF16))
    exporting.save(exporting.export(Function(program), args, dynamic=(None, None, None, {0: ROWS})),
                   tmp_path / "m.pt2")
    emulate.run_program(harness.BUILD / "bin" / "fx-compile", "--target=cuda", tmp_path / "m.pt2",
                        "--gpu-tiles=warpgroup=0:0:1:2:2", "--emit=kernels", "-o",
                        tmp_path / "kernels.mlir")
    found = re.findall(r"schedule = #fx_kernel\.(\w+<[^>]*>)",
                       (tmp_path / "kernels.mlir").read_text())
    assert "warpgroup<columns = 64, stages = 7, parts = 2, cluster = 2>" in found
    assert [text for text in found if text.startswith("gemv")], found


@pytest.mark.parametrize("tiles", ["128:3:1:2:2", "64:4:1:2:2", "64:4:2:2:2"])
def test_dynamic_clusters(tiles, tmp_path):
    args = (randn(300, 136).to(BF16), randn(136, 192).to(BF16))
    module = Function(lambda x, y: x @ y)
    exporting.save(exporting.export(module, args, dynamic=({0: ROWS}, None)), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated",
                          flags=[f"--gpu-tiles=warpgroup={tiles}"])
    for rows in (64, 384, 1):
        args = (randn(rows, 136).to(BF16), args[1])
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, multiprocessors=3), want)
    # One multiprocessor cannot run a cluster.
    harness.compare(model.run(args, want, multiprocessors=1), want)


def integers(*sizes):
    """Small numbers, whose sums are exact in any order."""
    return torch.randint(-2, 3, sizes).to(F16)


def several(x, y, r):
    """Outputs of several dtypes and a residual."""
    z = x @ y
    return z, torch.relu(z + r), z.float() * 2, z > 0


#: Modules with epilogues, with tails of M, N and K.
EPILOGUES = {
    "several": lambda: (Function(several), (integers(200, 200), integers(200, 136),
                                            integers(200, 136))),
    "block": lambda: (Block(264, 136).to(BF16), (randn(130, 136).to(BF16),
                                                 randn(130, 264).to(BF16))),
    # Results whose rows have no runs.
    "odd": lambda: (Block(69, 136).to(BF16), (randn(200, 136).to(BF16), randn(200, 69).to(BF16))),
    "batches": lambda: (Function(lambda q, k, r: torch.relu(q @ k.transpose(2, 3)) + r),
                        (randn(2, 3, 136, 136).to(BF16), randn(2, 3, 72, 136).to(BF16),
                         randn(72).to(BF16))),
    # The values of a batch norm are those of columns.
    "columns": lambda: (nn.Sequential(nn.Conv2d(72, 88, 1), nn.BatchNorm2d(88), nn.ReLU()).to(F16),
                        (randn(2, 72, 9, 11).to(F16),)),
}


@pytest.mark.parametrize("tiles", ["64:4:2", "128:3:1:1", "64:4:2:2:2", "128:3:1:2:2"])
@pytest.mark.parametrize("name", EPILOGUES)
def test_epilogues(name, tiles, tmp_path):
    """Parts of K that several blocks compute, and tiles that warpgroups compute in turns."""
    torch.manual_seed(3)
    module, args = EPILOGUES[name]()
    module = module.eval()
    exporting.save(exporting.export(module, args), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated",
                          flags=[f"--gpu-tiles=warpgroup={tiles}"])
    want = exporting.eager(module, args)
    first = model.run(args, want, log=tmp_path / "log", multiprocessors=3)
    harness.compare(first, want)
    launched = [kernel for kernel in kernels(tmp_path / "log") if kernel.startswith(KERNEL[:8])]
    # Parts of K need a second launch, unless the blocks of a cluster compute them.
    _, _, parts, *more = tiles.split(":")
    is_split = parts not in ("1", *more[1:])
    assert launched[0].endswith("_sm_90a") and len(launched) >= 1 + is_split, launched
    for a, b in zip(first, model.run(args, want, seed=1, multiprocessors=2)):
        assert torch.equal(a, b)


def test_chosen_tiles(tmp_path):
    """The tiles that are chosen for some sizes, which were the fastest ones on an H200."""
    sizes = {(4096, 4096, 4096, False): "256:4", (1024, 1024, 1024, False): "64:8",
             (1024, 768, 768, True): "64:8", (1024, 3072, 768, True): "192:4"}

    def linear(x, w, b):
        return nn.functional.gelu(nn.functional.linear(x, w, b))

    def program(lefts, rights, biases):
        return [linear(x, w, b) if b is not None else x @ w.T
                for x, w, b in zip(lefts, rights, biases)]

    def empty(*shape):
        return torch.empty(shape, dtype=BF16)

    args = ([empty(m, k) for m, _, k, _ in sizes], [empty(n, k) for _, n, k, _ in sizes],
            [empty(n) if has_gelu else None for _, n, _, has_gelu in sizes])
    exporting.save(exporting.export(Function(program), args), tmp_path / "m.pt2")
    emulate.run_program(harness.BUILD / "bin" / "fx-compile", "--target=cuda", tmp_path / "m.pt2",
                        "--emit=kernels", "-o", tmp_path / "kernels.mlir")
    found = re.findall(r"problem<m = (\d+), n = (\d+), k = (\d+)>.*?"
                       r"warpgroup<columns = (\d+), stages = (\d+)([^>]*)>",
                       (tmp_path / "kernels.mlir").read_text())
    chosen = {tuple(map(int, sizes)): f"{columns}:{stages}{more}"
              for *sizes, columns, stages, more in found}
    assert chosen == {size[:3]: tiles for size, tiles in sizes.items()}


def test_choice(tmp_path):
    """The host selects the kernel if the device supports it and the sizes make it worthwhile."""
    module, _, model = build(lambda: (Function(lambda x, y: x @ y), pair(130, 72, 64),
                                      ({0: ROWS}, None)), tmp_path, target="cuda")
    for rows, chip, kernel in [(130, 90, KERNEL), (3, 90, "kernel_0"), (130, 86, "kernel_0_2"),
                               (130, 100, "kernel_0_2"), (0, 90, None)]:
        args = pair(rows, 72, 64)
        want = exporting.eager(module, args)
        harness.compare(model.run(args, want, log=tmp_path / "log", chip=chip), want)
        assert kernels(tmp_path / "log") == [kernel] * bool(kernel)
    # For rows that are not aligned to 16 bytes no tensor map is created.
    _, args, model = build(lambda: (Products(), ([pair(130, 72, 68)],), None), tmp_path,
                           target="cuda")
    assert KERNEL not in (tmp_path / "emulated" / "nvvm.mlir").read_text()


def test_driver_without_tensor_maps(tmp_path, monkeypatch):
    """A driver older than CUDA 12 cannot create tensor maps: the host selects the other kernel."""
    case = lambda: (Function(lambda x, y: x @ y), pair(130, 72, 64), None)
    module, args, model = build(case, tmp_path, target="cuda")
    want = exporting.eager(module, args)
    for name, kernel in [(b"cuTensorMapEncodeTiled", KERNEL),
                         (b"cuTensorMapEncodeOther", "kernel_0")]:
        # Renaming the symbol in the library makes the function unavailable.
        driver = tmp_path / emulate.DRIVER.name
        driver.write_bytes(emulate.DRIVER.read_bytes().replace(b"\0cuTensorMapEncodeTiled\0",
                                                               b"\0" + name + b"\0"))
        with monkeypatch.context() as patch:
            patch.setattr(emulate, "DRIVER", driver)
            harness.compare(model.run(args, want, log=tmp_path / "log"), want)
        assert kernels(tmp_path / "log") == [kernel]


def test_tensor_maps(tmp_path):
    """The driver is called once, with sizes from the innermost dimension on and strides in
    bytes."""
    module, args, model = build(lambda: (Function(lambda x, y: x @ y), pair(130, 264, 72), None),
                                tmp_path, target="cuda")
    want = exporting.eager(module, args)
    model.run(args, want, log=tmp_path / "log")
    maps = [(c["sizes"], c["strides"], c["box"])
            for c in emulate.read_log(tmp_path / "log") if c["call"] == "map"]
    assert maps == [([72, 130], [144], [64, 128]), ([264, 72], [528], [64, 64])]


def mutations(nvvm):
    """Yields the kernels with one fault in the first kernel, by name."""
    end = nvvm.index("llvm.func @kernel_0(")
    kernel, rest = nvvm[:end], nvvm[end:]

    def change(pattern, by, which=0):
        match = list(re.finditer(pattern, kernel, re.M))[which]
        return kernel[: match.start()] + match.expand(by) + kernel[match.end() :] + rest

    def number(pattern, wrong, which=0):
        """Replaces the last operand by another i32 constant."""
        return change(rf"^( *)({pattern}), %\w+(.*)$",
                      rf"\1%wrong = llvm.mlir.constant({wrong} : i32) : i32\n\1\2, %wrong\3", which)

    # Descriptors: 8 rows of an operand along K are 1024 bytes apart, which is 64 in the
    # descriptor's unit.
    descriptors = re.findall(r"constant\((46116862933\d+) : i64\)", kernel)
    rows = 64 << 32
    for which, name in enumerate(["left", "right"]):
        yield f"rows of the {name} operand", change(descriptors[which],
                                                    str(int(descriptors[which]) - rows // 2))
        yield f"no permutation of the {name} operand", change(
            descriptors[which], str(int(descriptors[which]) ^ 3 << 62).replace("-", ""))
    yield "a step along K", change(r"constant\(2 : i64\)", "constant(4 : i64)")
    # Barriers: their phases, the expected bytes, and the arriving threads.
    yield "the producer's phase", change(r"llvm\.xor", "llvm.or", 0)
    yield "the consumers' phase", change(r"llvm\.xor", "llvm.and", 2)
    expect = r"nvvm\.mbarrier\.arrive\.expect_tx %\w+"
    yield "too few bytes", number(expect, 16384)
    yield "too many bytes", number(expect, 24576 + 16)
    yield "too few arrivals", number(r"nvvm\.mbarrier\.init %\w+", 4, 1)
    wait = r"^ *llvm\.inline_asm [^\n]*try_wait[^\n]*\n"
    yield "a stage that is not empty", change(wait, "", 0)
    yield "a stage that is not full", change(wait, "", 1)
    arrive = r"^ *%\w+ = nvvm\.mbarrier\.arrive %\w+ .*\n"
    yield "no arrival", change(arrive, "", 0)
    yield "no arrival at the end", change(arrive, "", 1)
    yield "a barrier of all", change(r"^ *nvvm\.barrier0.*\n", "")
    yield "products that are not waited for", change(r"wait\.group\.sync\.aligned 1",
                                                     "wait.group.sync.aligned 2")
    for which in range(2):
        yield f"barrier {which} of a warp", change(r"^ *nvvm\.bar\.warp\.sync.*\n", "", which)
    # Copies.
    box = r"(%\w+, %\w+, %\w+), box\[(%\w+), (%\w+)\]"
    yield "a box elsewhere", change(box, r"\1, box[\3, \2]")
    yield "a box of the other operand", change(r"(cluster\.global %\w+), %arg0", r"\1, %arg1")


def test_mistakes_show(tmp_path):
    """The two tiles of a block share the ring of six stages, each with nine pieces of K."""
    module, args, model = build(lambda: (Products(), ([pair(200, 64, 520)],), None), tmp_path,
                                target="cuda")
    want = exporting.eager(module, args)
    names = check_mistakes(model, args, want, mutations, tmp_path,
                           (AssertionError, harness.ToolError), multiprocessors=1)
    assert len(names) == 20, names


def turn_mutations(nvvm):
    """Yields the kernels with one fault in the turns of the warpgroups, by name."""
    end = nvvm.index("llvm.func @kernel_0(")
    for name, pattern in [
            ("no wait for a turn", r"^ *llvm\.inline_asm [^\n]*try_wait[^\n]*\n"),
            ("no end of a turn", r"^ *%\w+ = nvvm\.mbarrier\.arrive %\w+ .*\n")]:
        match = list(re.finditer(pattern, nvvm[:end], re.M))[1]
        yield name, nvvm[: match.start()] + nvvm[match.end() :]


def test_mistakes_in_turns_show(tmp_path):
    exporting.save(exporting.export(Products(), ([pair(200, 136, 200)],)), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated",
                          flags=["--gpu-tiles=warpgroup=128:3:1:1"])
    args = ([pair(200, 136, 200)],)
    want = exporting.eager(Products(), args)
    names = check_mistakes(model, args, want, turn_mutations, tmp_path,
                           (AssertionError, harness.ToolError), multiprocessors=1)
    assert len(names) == 2, names


def cluster_mutations(nvvm):
    """Yields the kernels with one fault in what the blocks of a cluster do for each other."""
    end = nvvm.index("llvm.func @kernel_0(")
    kernel, rest = nvvm[:end], nvvm[end:]
    arrival = r"^ *nvvm\.mbarrier\.arrive [^\n]*cluster[^\n]*\n"
    meeting = r"^ *nvvm\.cluster\.arrive\n *nvvm\.cluster\.wait\n"
    mask = r"constant\(3 : i16\)"
    for name, pattern, by, which in [
            ("no arrival in the other block", arrival, "", 0),
            ("no arrival at the end", arrival, "", 1),
            ("no barrier before the first copy", meeting, "", 0),
            ("no barrier at the end", meeting, "", 1),
            ("a copy to one block", mask, "constant(1 : i16)", 0),
            ("a copy to a block that is not there", mask, "constant(7 : i16)", 0),
            ("two blocks of the same number", r"llvm\.urem (%\w+), %\w+ (: i32\n *%\w+ = llvm\."
             r"ptrtoint)", r"llvm.sub \1, \1 \2", 0),
            ("arrivals of one block", r"(nvvm\.mbarrier\.init %\w+), %\w+ : !llvm.ptr<3>, i32",
             r"%wrong = llvm.mlir.constant(8 : i32) : i32\n\1, %wrong : !llvm.ptr<3>, i32", 1)]:
        match = list(re.finditer(pattern, kernel, re.M))[which]
        yield name, kernel[: match.start()] + match.expand(by) + kernel[match.end() :] + rest


def exchange_mutations(nvvm):
    """Yields the kernels with one fault in how the blocks of a cluster exchange sums, by name. The
    code that receives comes first."""
    end = nvvm.index("llvm.func @kernel_0(")
    kernel, rest = nvvm[:end], nvvm[end:]
    wait = r"^ *llvm\.inline_asm [^\n]*acquire\.cluster[^\n]*\n"
    arrival = r"^ *nvvm\.mbarrier\.arrive [^\n]*cluster[^\n]*\n"
    warp = r"^ *nvvm\.bar\.warp\.sync[^\n]*\n"
    #: The barriers of warps in front of the two arrivals.
    warps = [sum(m.start() < place.start() for m in re.finditer(warp, kernel, re.M)) - 1
             for place in re.finditer(arrival, kernel, re.M)]
    for name, pattern, which in [
            ("no wait for sums", wait, 0), ("no wait for their place", wait, 1),
            ("no arrival of who received", arrival, 0), ("no arrival of who sent", arrival, 1),
            ("no barrier of who received", warp, warps[0]),
            ("no barrier of who sent", warp, warps[1]),
            ("no barrier at the end", r"^ *nvvm\.cluster\.arrive\n *nvvm\.cluster\.wait\n", 1)]:
        match = list(re.finditer(pattern, kernel, re.M))[which]
        yield name, kernel[: match.start()] + kernel[match.end() :] + rest
    # The number of the other block, without the exclusive or that makes it.
    other = re.search(r"nvvm\.mapa %\w+, (%\w+)", kernel)[1]
    yield "stores to the own block", re.sub(
        rf"({other} = llvm)\.xor (%\w+), %\w+", r"\1.or \2, \2", kernel) + rest


@pytest.mark.parametrize("tiles, mutations_of", [
    ("256:2:1:2:2", cluster_mutations), ("64:4:2:2:2", exchange_mutations)])
def test_mistakes_in_clusters_show(tiles, mutations_of, tmp_path):
    """A cluster has several tiles, one after the other, each with six pieces of K in a ring of two
    or four stages."""
    args = ([pair(300, 264, 328)],)
    exporting.save(exporting.export(Products(), args), tmp_path / "m.pt2")
    model = emulate.Model(tmp_path / "m.pt2", tmp_path / "emulated",
                          flags=[f"--gpu-tiles=warpgroup={tiles}"])
    want = exporting.eager(Products(), args)
    names = check_mistakes(model, args, want, mutations_of, tmp_path,
                           (AssertionError, harness.ToolError), multiprocessors=2)
    assert len(names) == 8, names


def attention(q, k, v, mask):
    f = nn.functional.scaled_dot_product_attention
    return (f(q, k, v, is_causal=True), f(q, k[:, :1], v[:, :1], enable_gqa=True),
            f(q[:, :, :20], k, v, attn_mask=mask))


@pytest.mark.parametrize("dtype", [BF16, F16], ids=str)
def test_attention(dtype, tmp_path):
    """Heads too long for one kernel: both matmuls use tensor cores, with many queries those of
    sm_90a."""
    q = (randn(2, 2, 136, 264) * 2).to(dtype)
    k, v = q.flip(2) + 0.5, q.flip(3)
    module, args, model = build(lambda: (Function(attention),
                                         (q, k, v, torch.rand(20, 136) > 0.4), None),
                                tmp_path, target="cuda")
    want = exporting.eager(module, args)
    harness.compare(model.run(args, want, log=tmp_path / "log", multiprocessors=3), want)
    assert sum(kernel.endswith("_sm_90a") for kernel in kernels(tmp_path / "log")) >= 4
    folder = tmp_path / "emulated"
    emulate.run_program(harness.BUILD / "bin" / "fx-compile", "--target=cuda", tmp_path / "m.pt2",
                        "--emit=kernels", "-o", folder / "kernels.mlir")
    kinds = re.findall(r"fx_kernel\.schedule = #fx_kernel\.(\w+)", (folder / "kernels.mlir").read_text())
    assert kinds.count("warpgroup") + kinds.count("tensorcore") >= 6 and "matmul" not in kinds

"""The core of the suite on AArch64: models and operators are cross-compiled, run by QEMU, and
compared with eager PyTorch."""

import batch
import crossing
import exporting
import harness
import models
import pytest
import quantized
import raw_tensors
import torch
from operators import FAMILIES
from test_versions import Mixed
from torch import nn
from torch.export import Dim

#: CPUs of LLVM, and CPUs of QEMU that have no more features: NEON alone, dot products of bytes of
#: the same signedness, and those of bytes and of bf16.
PLAIN, DOT, ALL = "generic", "neoverse-n1", "neoverse-n2"
EMULATED = {PLAIN: "cortex-a57", DOT: "neoverse-n1", ALL: crossing.MOST}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("aarch64")


def check(module, args, tmp_path, folder, cpu=DOT, others=(), flags=(), **options):
    """Compiles `module` for `cpu` and compares its results on `args` and `others` with eager
    PyTorch's."""
    command = crossing.command(folder, EMULATED[cpu])
    module = module.eval().requires_grad_(False)
    model = tmp_path / "m.pt2"
    exporting.save(exporting.export(module, args, **options), model)
    file = crossing.compile_for(model, tmp_path / "m.so", cpu, *flags)
    for inputs in (args, *others):
        expected = exporting.eager(module, inputs)
        harness.compare(crossing.run(command, file, inputs, tmp_path, expected), expected)


class Attention(nn.Module):
    def forward(self, q, k, v):
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class Counter(nn.Module):
    """Writes a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("sum", torch.zeros(7))

    def forward(self, x):
        self.sum.add_(x)
        return self.sum * 2


class Loops(nn.Module):
    """Has data-dependent control flow."""

    def forward(self, x):
        def body(i, y):
            return i + 1, y * 1.5

        _, y = torch._higher_order_ops.while_loop(
            lambda i, y: i < 5, body, (torch.tensor(0), x)
        )
        return torch.cond(y.sum() > 0, torch.sin, torch.cos, (y,))


class Reductions(nn.Module):
    """Reduces rows, columns, and everything."""

    def forward(self, x):
        functions = [torch.sum, torch.mean, torch.amax, torch.var, torch.argmin, torch.prod]
        by_dim = [f(x, dim=d) for f in functions for d in (0, 2)]
        whole = [x.sum(), x.max(), x.norm(), torch.logsumexp(x, (0, 1, 2))]
        return [*by_dim, *whole, x.cumsum(1), x.topk(3).values, x.max(1).indices]


def conv(*args, **options):
    return nn.Sequential(nn.Conv2d(*args, **options), nn.BatchNorm2d(args[1]), nn.ReLU())


rand = torch.randn
CASES = {
    "linear": (nn.Linear(37, 29), (rand(13, 37),)),
    "row": (nn.Linear(130, 67), (rand(1, 130),)),
    "mlp": (nn.Sequential(nn.Linear(64, 96), nn.GELU(), nn.Linear(96, 64)), (rand(40, 64),)),
    "conv": (conv(3, 20, 7, stride=2, padding=3), (rand(2, 3, 23, 19),)),
    "winograd": (conv(64, 64, 3, padding=1), (rand(1, 64, 14, 14),)),
    "depthwise": (conv(24, 24, 3, padding=1, groups=24), (rand(2, 24, 9, 11),)),
    "grouped": (conv(24, 36, 3, groups=3), (rand(2, 24, 9, 11),)),
    "softmax": (nn.Softmax(-1), (rand(11, 53),)),
    "layer_norm": (nn.LayerNorm(70), (rand(5, 9, 70),)),
    "attention": (Attention(), (rand(2, 3, 19, 16), rand(2, 3, 19, 16), rand(2, 3, 19, 16))),
    "reductions": (Reductions(), (rand(5, 7, 19),)),
    "lstm": (nn.LSTM(9, 12, batch_first=True), (rand(3, 5, 9),)),
    "counter": (Counter(), (rand(7),)),
    "loops": (Loops(), (rand(4, 5),)),
    "mixed": (Mixed(), (rand(2, 3, 5, 7), torch.randint(50, (2, 35)))),
}


@pytest.mark.parametrize("name", CASES)
def test_case(name, tmp_path, folder):
    torch.manual_seed(21)
    module, args = CASES[name]
    check(module, args, tmp_path, folder)


@pytest.mark.parametrize("cpu", [PLAIN, ALL])
def test_dynamic(cpu, tmp_path, folder):
    """All sizes of tiles and of remainders."""
    torch.manual_seed(22)
    block = nn.TransformerEncoderLayer(24, 3, 40, batch_first=True)
    shapes = ({0: Dim("batch", min=1, max=8), 1: Dim("length", min=1, max=64)},)
    others = [(rand(b, n, 24),) for b, n in [(1, 1), (1, 5), (3, 2), (5, 13)]]
    check(block, (rand(2, 17, 24),), tmp_path, folder, cpu, others, dynamic=shapes)


@pytest.mark.parametrize("cpu", EMULATED)
@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8])
def test_int8(dtype, cpu, tmp_path, folder):
    """Integer matmuls are exact, whatever instruction multiplies."""
    torch.manual_seed(23)
    x = rand(21, 52)
    observer = quantized.Static(x, dtype) if dtype == torch.uint8 else quantized.Dynamic(dtype)
    check(quantized.Linear(nn.Linear(52, 43), observer), (x,), tmp_path, folder, cpu)


@pytest.mark.parametrize("cpu", EMULATED)
def test_grouped_weights(cpu, tmp_path, folder):
    """Two weights lie in a byte, and groups of them have a scale. The activations are bytes in the
    first layer, and floats in the second one."""
    torch.manual_seed(26)
    first = quantized.Grouped(96, 64, 32, quantized.Dynamic(torch.int8))
    module = nn.Sequential(first, nn.ReLU(), quantized.Grouped(64, 43, 32, nn.Identity()))
    check(module, (rand(11, 96),), tmp_path, folder, cpu)


@pytest.mark.parametrize("cpu", EMULATED)
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_halves(dtype, cpu, tmp_path, folder):
    torch.manual_seed(24)
    module = nn.Sequential(nn.Linear(48, 39), nn.SiLU(), nn.LayerNorm(39)).to(dtype)
    check(module, (rand(18, 48).to(dtype),), tmp_path, folder, cpu)


@pytest.mark.parametrize("name", ["resnet_small", "cond", "llama_small", "llama_small_decode"])
def test_model(name, tmp_path, folder):
    spec = models.registry.get(name)
    module = spec.build()
    args, kwargs = spec.inputs()
    check(module, args, tmp_path, folder, DOT)


#: The families of the default run, and all of them with --long.
CORE = ["matmul", "unary"]


def rows(family: str, dynamic: bool) -> tuple:
    return tuple(c for c in FAMILIES[family] if not c.fallback and (c.dynamic or not dynamic))


@pytest.mark.parametrize(
    "family, dynamic",
    [
        pytest.param(
            family,
            dynamic,
            id=f"{family}-{'dynamic' if dynamic else 'static'}",
            marks=[] if family in CORE and dynamic else [pytest.mark.long],
        )
        for family in FAMILIES
        for dynamic in (False, True)
    ],
)
def test_operators(family, dynamic, tmp_path_factory):
    config = batch.Config(dynamic=dynamic, decomposed=False, mode="aarch64", cpu=DOT)
    base = tmp_path_factory.getbasetemp()
    problems = batch.results(rows(family, dynamic), config, base)
    wrong = {name: text for name, text in problems.items() if text}
    assert not wrong, wrong


def test_versions(tmp_path, folder):
    """The best version for the CPU is taken, and a CPU without its features is refused."""
    torch.manual_seed(25)
    module, x = nn.Linear(9, 5).eval(), rand(3, 9)
    model = tmp_path / "m.pt2"
    exporting.save(exporting.export(module, (x,)), model)
    file = crossing.compile_for(model, tmp_path / "m.so", f"{PLAIN},{ALL},{DOT}")
    for cpu, emulated in EMULATED.items():
        command = crossing.command(folder, emulated)
        ran, got = raw_tensors.run(command, file, (x,), tmp_path / "io", 1)
        assert ran == cpu
        harness.compare(got, exporting.eager(module, (x,)))
    alone = crossing.compile_for(model, tmp_path / "n.so", DOT)
    message, got = raw_tensors.run(
        crossing.command(folder, EMULATED[PLAIN]), alone, (x,), tmp_path / "io", 1
    )
    assert got is None and f"for {DOT}, this CPU lacks" in message and "dotprod" in message


def test_instructions(monkeypatch):
    """Kernels have fewer instructions than loops that clang vectorizes."""
    monkeypatch.syspath_prepend(str(harness.ROOT / "benchmarks" / "aarch64"))
    import count

    least = {"matmul": 2.2, "int8 matmul": 4, "conv": 1.25, "softmax": 2.5, "layer norm": 1.1}
    ratios = count.main([])
    assert ratios.keys() == least.keys()
    assert not {name: ratio for name, ratio in ratios.items() if ratio < least[name]}


def test_other_machine(tmp_path):
    """fx-run refuses the file by its architecture."""
    model = tmp_path / "m.pt2"
    exporting.save(exporting.export(nn.ReLU(), (rand(3),)), model)
    file = crossing.compile_for(model, tmp_path / "m.so", "")
    result = harness.tool("fx-run", file)
    assert result.returncode == 1
    assert "compiled for another architecture: expected x86_64, got AArch64" in result.stderr

"""Passes on the fx dialect preserve the results of eager PyTorch."""

import json
import pathlib
import re

import exporting
import harness
import models
import pytest
import torch
from torch import nn
from torch._higher_order_ops.map import map as torch_map
from torch._higher_order_ops.scan import scan
from torch.utils.flop_counter import FlopCounterMode

#: Special floats. Their sums and products distinguish identities from expressions that only look
#: like identities.
SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, float("inf"), float("-inf"), float("nan"), 1e-42]


def run_passes(program, inputs, expected, folder: pathlib.Path, *passes: str):
    """Returns the text after the passes and the outputs of the interpreter for it."""
    exporting.save(program, folder / "m.pt2")
    for name, args in {
        "fx-translate": ["--pt2-to-mlir", folder / "m.pt2", "-o", folder / "m.mlir"],
        "fx-opt": [folder / "m.mlir", *passes, "-o", folder / "passed.mlir"],
    }.items():
        result = harness.tool(name, *args)
        assert result.returncode == 0, result.stderr
    got = harness.run(
        folder / "passed.mlir", (inputs, {}), folder, expected, "--interpret"
    )
    return (folder / "passed.mlir").read_text(), got


class Identities(torch.nn.Module):
    def forward(self, x, y):
        one, zero = torch.ones(9), torch.zeros(9)
        return (
            (x * 1).sin(),
            (x + 0).sin(),
            (x + -0.0).sin(),
            (x - 0).sin(),
            (x - -0.0).sin(),
            (x * one + zero).sin(),
            (x / 1).sin(),
            (x**1).sin(),
            (x * 0).sin(),
            (x - x).sin(),
            (-(-x)).sin(),
            torch.maximum(x, x).sin(),
            torch.where(x > 0, x, x).sin(),
            x.relu().relu().sin(),
            x.abs().abs().sin(),
            x.clamp(-1, 2).clamp(-1, 2).sin(),
            x.floor().ceil().sin(),
            x.double().float().sin(),
            x.half().float().sin(),
            x.double().half().sin(),
            torch.nn.functional.dropout(x, 0.5, False).sin(),
            torch.cat([torch.cat([x, x]), torch.zeros(0), x]).sin(),
            x.view(3, 3).t().t().reshape(9).sin(),
            x.view(3, 3).t().contiguous().view(9).sin(),
            x.view(3, 3).t().reshape(-1).view(1, 9).expand(2, 9).expand(2, 9).sin(),
            (y + 0) * 1 | 0,
            (y & -1) ^ 0,
            y << 0,
            y.ceil(),
            x.clone(),
        )


def test_identities_are_exact(tmp_path):
    inputs = (torch.tensor(SPECIAL), torch.arange(-4, 5))
    module = Identities()
    expected = exporting.eager(module, inputs)
    program = exporting.export(module, inputs)
    flags = ["-fx-functionalize", "-canonicalize", "-cse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    for k, (g, w) in enumerate(zip(got, expected, strict=True)):
        # The sign of zero must agree, which == ignores.
        same = torch.equal(g.nan_to_num(7), w.nan_to_num(7))
        assert same and torch.equal(g.isnan(), w.isnan()), f"output {k}: {g}, expected {w}"
        if w.is_floating_point():
            sign = torch.signbit(g) == torch.signbit(w)
            assert (sign | w.isnan()).all(), f"output {k}: {g}, expected {w}"
    for target in ("neg.default", "dropout", "maximum", "div.", "pow.", "where.", "bitwise_"):
        assert f"@aten.{target}" not in text, target
    # x + 0 and x - -0.0 stay; the zeros that they add differ in sign.
    assert text.count("@aten.add.Tensor") == 2 and text.count("@aten.sub.Tensor") == 2
    harness.check(module, inputs, folder=tmp_path, modes=["native"])


def test_symbolic_sizes(tmp_path):
    class Sizes(torch.nn.Module):
        def forward(self, x):
            n = x.shape[0] * 2 // 2
            return x.new_zeros(n, x.shape[1]).view(n * 1, -1) + x.expand(n, 4)

    dims = {"x": {0: torch.export.Dim("n", min=2, max=64)}}
    module, inputs = Sizes(), (torch.randn(6, 4),)
    program = exporting.export(module, inputs, dynamic=dims)
    expected = exporting.eager(module, inputs)
    flags = ["-fx-functionalize", "-canonicalize", "-cse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    harness.compare(got, expected)
    assert "_operator" not in text and "aten.expand" not in text


class Norms(nn.Module):
    """Each kind of producer, with and without a bias."""

    def __init__(self):
        super().__init__()
        conv = [(nn.Conv1d, 1), (nn.Conv2d, 2), (nn.Conv3d, 3)]
        conv += [(nn.ConvTranspose1d, 1), (nn.ConvTranspose2d, 2), (nn.ConvTranspose3d, 3)]
        self.stages = nn.ModuleList()
        self.ranks = []
        for kind, rank in conv:
            norm = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[rank - 1]
            for bias, groups, affine in ((True, 1, True), (False, 2, False)):
                layer = kind(4, 6, 3, stride=2, padding=1, bias=bias, groups=groups)
                self.stages.append(nn.Sequential(layer, norm(6, affine=affine)))
                self.ranks.append(rank)
        for bias in (True, False):
            self.stages.append(nn.Sequential(nn.Linear(4, 6, bias=bias), nn.BatchNorm1d(6)))
            self.ranks.append(0)
        for module in self.modules():
            if isinstance(module, nn.modules.batchnorm._BatchNorm):
                module.running_mean.normal_()
                module.running_var.uniform_(1e-4, 4)
        self.eval()

    def forward(self, x):
        shapes = {0: (2, 4), 1: (2, 4, 9), 2: (2, 4, 9, 5), 3: (2, 4, 9, 5, 3)}
        inputs = {k: x[: torch.Size(v).numel()].view(v) for k, v in shapes.items()}
        return [stage(inputs[rank]) for stage, rank in zip(self.stages, self.ranks)]


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=str)
def test_fold_conv_bn(tmp_path, decomposed, dtype):
    torch.manual_seed(0)
    module = Norms().to(dtype)
    inputs = (torch.randn(1080, dtype=dtype),)
    program = exporting.export(module, inputs, decomposed=decomposed)
    expected = exporting.eager(module, inputs)
    flags = ["-fx-functionalize", "-fx-fold-conv-bn", "-canonicalize", "-cse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    assert "@aten.batch_norm" not in text and "@aten._native_batch_norm" not in text
    harness.compare(got, expected)
    harness.check(module, inputs, folder=tmp_path, modes=["native"], program=program)
    # Runs again with constant folding: values computed from states become states.
    text, got = run_passes(
        program, inputs, expected, tmp_path, *flags, "-fx-constant-fold=max-bytes=65536"
    )
    assert "aten.rsqrt" not in text and "aten._to_copy" not in text
    harness.compare(got, expected)


def test_resnet50_has_no_batch_norm_left(tmp_path):
    spec = models.get("resnet50")
    module, (inputs, _) = spec.build(), spec.inputs()
    program = spec.program(module, False, False)
    before = sum("batch_norm" in str(n.target) for n in program.graph.nodes)
    expected = exporting.eager(module, inputs)
    flags = ["-fx-functionalize", "-canonicalize", "-fx-fold-conv-bn"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    assert before == 53 and "@aten.batch_norm" not in text
    # Relative to the size of the outputs, ten times closer than rounding requires.
    want = expected[0] if isinstance(expected, (list, tuple)) else expected
    assert (got[0] - want).abs().max() <= 1e-5 * want.abs().max()


class Contractions(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(4, 6, 3, stride=2, padding=1, groups=2)
        self.up = nn.ConvTranspose2d(6, 4, 2, stride=2)
        self.fc = nn.Linear(4, 8)

    def forward(self, x):
        y = self.up(self.conv(x)).relu()
        y = self.fc(y.flatten(2).transpose(1, 2))
        return torch.baddbmm(y @ y.mT, y, y.mT).softmax(-1)


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_cost_counts_as_torch_does(tmp_path, decomposed):
    module, inputs = Contractions(), (torch.randn(3, 4, 8, 6),)
    with FlopCounterMode(display=False) as counter:
        module(*inputs)
    dims = {"x": {0: torch.export.Dim("n", min=2, max=64)}}
    program = exporting.export(module, inputs, dynamic=dims, decomposed=decomposed)
    exporting.save(program, tmp_path / "m.pt2")
    text = harness.tool("fx-translate", "--pt2-to-mlir", tmp_path / "m.pt2").stdout
    (tmp_path / "m.mlir").write_text(text)
    symbol = next(iter(program.range_constraints))
    cost = f"-fx-cost=format=json output={tmp_path}/cost.json sizes={symbol}=3"
    result = harness.tool("fx-opt", tmp_path / "m.mlir", cost, "-o", "/dev/null")
    assert result.returncode == 0, result.stderr
    cost = json.loads((tmp_path / "cost.json").read_text())
    assert cost["total"]["contractions"] == counter.get_total_flops()
    assert cost["total"]["parameters"] == sum(p.numel() for p in module.parameters())
    assert all(node["flops"] is not None for node in cost["nodes"])


def test_shape_prop_with_sizes(tmp_path):
    spec = models.get("llama_small")
    module, (inputs, kwargs) = spec.build(), spec.inputs()
    program = spec.program(module, True, False)
    expected = exporting.eager(module, inputs, kwargs)
    placeholders = [n.meta["val"] for n in program.graph.nodes if n.op == "placeholder"]
    sizes = {}
    for fake, real in zip(placeholders[-len(inputs) :], inputs):
        for symbolic, number in zip(fake.shape, real.shape):
            if isinstance(symbolic, torch.SymInt):
                sizes[str(symbolic)] = number
    assert sizes and not kwargs
    known = ",".join(f"{k}={v}" for k, v in sizes.items())
    flags = ["-fx-functionalize", f"-fx-shape-prop=sizes={known}", "-canonicalize"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    assert not any(symbol in text.split("fx.graph @main")[1] for symbol in sizes)
    harness.compare(got, expected)


RULES = harness.ROOT / "rules"


class Formulas(nn.Module):
    """Formulas of known operators, as users write them and as decompositions leave them."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(8) + 0.5)
        self.bias = nn.Parameter(torch.randn(8))

    def forward(self, x, q, k, v):
        e = (x - x.amax(-1, True)).exp()
        c = x - x.mean(-1, True)
        return (
            x * x.sigmoid(),
            x.sigmoid() * x,
            0.5 * x * (1 + torch.erf(x / 2**0.5)),
            x * 0.5 * (1.0 + torch.erf(x * 0.70710678)),
            0.5 * x * (1.0 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x.pow(3.0)))),
            e / e.sum(-1, keepdim=True),
            x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight,
            self.weight * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)),
            c * torch.rsqrt(c.pow(2).mean(-1, True) + 1e-5) * self.weight + self.bias,
            ((q @ k.transpose(-2, -1)) * 0.25).softmax(-1) @ v,
        )


class Linears(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(8, n) for n in (8, 4, 4))
        self.gate, self.up = (nn.Linear(8, 16, bias=False) for _ in range(2))
        self.a, self.b = (nn.Linear(8, n) for n in (3, 5))

    def forward(self, x):
        y = self.q(x), self.k(x), self.v(x)
        z = x.sin()
        return *y, nn.functional.silu(self.gate(z)) * self.up(z), self.a(z), self.b(z)


class Relus(nn.Module):
    def forward(self, x):
        return torch.relu(x), (x + 1).relu_(), nn.functional.relu(x - 1)


def rewritten(module, inputs, folder, name, *after):
    """Returns the number of matches of each rule of the file, the text, the outputs and the
    expected outputs."""
    program = exporting.export(module, inputs)
    expected = exporting.eager(module, inputs)
    exporting.save(program, folder / "m.pt2")
    text = harness.tool("fx-translate", "--pt2-to-mlir", folder / "m.pt2").stdout
    (folder / "plain.mlir").write_text(text)
    rewrite = f"-fx-rewrite=patterns={RULES / name} remarks"
    result = harness.tool("fx-opt", folder / "plain.mlir", "-fx-functionalize", rewrite)
    assert result.returncode == 0, result.stderr
    counts = dict(re.findall(r"rule '(\w+)' matched (\d+) time", result.stderr))
    flags = ["-fx-functionalize", f"-fx-rewrite=patterns={RULES / name}", *after]
    text, got = run_passes(program, inputs, expected, folder, *flags)
    # The result of the rules compiles.
    native = harness.run(
        folder / "passed.mlir", (inputs, {}), folder / "native", expected, "--no-fallback"
    )
    for g, n in zip(got, native, strict=True):
        torch.testing.assert_close(g, n)
    return {k: int(v) for k, v in counts.items() if v != "0"}, text, got, expected


def test_rules_raise_formulas(tmp_path):
    torch.manual_seed(0)
    inputs = torch.randn(4, 8), *(torch.randn(2, 3, 5, 8) for _ in range(3))
    counts, text, got, expected = rewritten(Formulas(), inputs, tmp_path, "raise.mlir")
    assert counts == dict.fromkeys(
        "silu silu_swapped gelu_div gelu_mul gelu_tanh softmax rms_norm rms_norm_swapped "
        "layer_norm attention".split(),
        1,
    )
    for target in ("aten.sigmoid", "aten.erf", "aten.tanh", "aten.exp", "aten.rsqrt", "aten.matmul"):
        assert f"@{target}" not in text
    harness.compare(got, expected)


def test_rules_merge_linears(tmp_path):
    torch.manual_seed(0)
    counts, text, got, expected = rewritten(
        Linears(), (torch.randn(3, 8),), tmp_path, "merge-linear.mlir", "-canonicalize"
    )
    assert counts == {"swiglu": 1, "linear3_bias": 1, "linear2_bias": 1}
    assert text.count("@aten.linear.default") == 3 and "aten.sym_size" not in text
    harness.compare(got, expected)


def test_rules_replace_activations(tmp_path):
    x = torch.randn(50)
    counts, text, got, _ = rewritten(Relus(), (x,), tmp_path, "relu-to-gelu.mlir")
    assert sum(counts.values()) == 3 and "@aten.relu" not in text
    harness.compare(got, [nn.functional.gelu(v) for v in (x, x + 1, x - 1)])


@pytest.mark.parametrize(
    "name", ["mlp", "resnet_small", "bert_small", "llama_small", "autoencoder_small"]
)
def test_schedule(name, tmp_path):
    spec = models.get(name)
    module, (inputs, kwargs) = spec.build(), spec.inputs()
    program = spec.program(module, False, True)
    expected = exporting.eager(module, inputs, kwargs)
    assert not kwargs
    text, got = run_passes(
        program, inputs, expected, tmp_path, "-fx-functionalize", "-fx-schedule"
    )
    harness.compare(got, expected)
    result = harness.tool("fx-opt", tmp_path / "m.mlir", "-fx-schedule=remarks")
    before, after = re.search(r"peak of (\d+) bytes before, (\d+) after", result.stderr).groups()
    print(name, before, after)
    assert int(after) <= int(before)


class Odd(nn.Module):
    """Nodes without native code in the middle, and a size that depends on them."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(6, 6), nn.Linear(6, 4)

    def forward(self, x):
        y = self.a(x).relu()
        z = torch.linalg.eigvalsh(y @ y.T)
        w = self.b(y) + z.unsqueeze(1)
        return w.view(x.shape[0], 2, 2).sum(-1), (x + 1).sin(), torch.linalg.svd(w).S


@pytest.mark.parametrize("name", ["odd", "resnet_small", "llama_small"])
def test_partition(name, tmp_path):
    """The partitioned program gives the results of the whole, interpreted and compiled."""
    if name == "odd":
        module, inputs = Odd(), (torch.randn(5, 6),)
        dims = {"x": {0: torch.export.Dim("n", min=2, max=64)}}
        program = exporting.export(module, inputs, dynamic=dims)
        options, blocks = "", 2
    else:
        spec = models.get(name)
        module, (inputs, kwargs) = spec.build(), spec.inputs()
        assert not kwargs
        program = spec.program(module, False, False)
        options, blocks = "by=cost parts=3", 3
    expected = exporting.eager(module, inputs)
    flags = ["-fx-functionalize", "-canonicalize", f"-fx-partition={options}", "-canonicalize", "-cse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    assert text.count("call_module @submod_") == text.count("fx.graph private") == blocks
    harness.compare(got, expected)
    main = text.split("fx.graph @main")[1]
    if name == "odd":
        # @main keeps only the operators that ATen runs.
        assert re.findall(r"call_function @(\S+?)\(", main) == [
            "aten.linalg_eigvalsh.default",
            "aten.linalg_svd.default",
        ]
    else:
        assert "call_function" not in main
    native = harness.run(tmp_path / "passed.mlir", (inputs, {}), tmp_path / "native", expected)
    harness.compare(native, expected)


@pytest.mark.parametrize("decomposed", [False, True], ids=["exported", "decomposed"])
@pytest.mark.parametrize("name", ["resnet_small", "llama_small_decode"])
def test_fuse(name, decomposed, tmp_path):
    """The fused program gives the results of the whole, interpreted and compiled. Each group has at
    least two operators and at most one matmul or convolution."""
    spec = models.get(name)
    module, (inputs, kwargs) = spec.build(), spec.inputs()
    assert not kwargs
    program = spec.program(module, False, decomposed)
    expected = exporting.eager(module, inputs)
    flags = ["-fx-functionalize", "-canonicalize", "-fx-fuse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags)
    harness.compare(got, expected)
    bodies = re.findall(r"fx\.graph private @main.fused_\S+.*?\n  }", text, re.DOTALL)
    assert len(bodies) == text.count("call_module @fused_") > 2
    for body in bodies:
        assert body.count("call_function") >= 2
        assert len(re.findall(r"@aten\.(?:linear|addmm|mm|bmm|conv2d|convolution)\.", body)) <= 1
    native = harness.run(tmp_path / "passed.mlir", (inputs, {}), tmp_path / "native", expected)
    harness.compare(native, expected)


class Loops(nn.Module):
    """Each kind of loop, with an invariant operator in its body."""

    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(5, 5) / 5)

    def forward(self, xs, n):
        def rows(row):
            scale = self.w.exp().sum(0)
            return torch_map(lambda x: x * scale + self.w.sin().sum(), row)

        def iteration(i, x):
            return i + 1, x @ (self.w * 0.5).tanh()

        def step(carry, x):
            new = carry * torch.sigmoid(self.w).mean() + x
            return new, new * 2

        looped = torch.while_loop(lambda i, x: i < n, iteration, (torch.tensor(0), xs[0]))
        scanned = scan(step, torch.zeros(4, 5), xs, dim=0)
        return torch_map(rows, xs), *looped, *scanned


def test_hoist_invariants(tmp_path):
    torch.manual_seed(0)
    module, inputs = Loops(), (torch.randn(3, 4, 5), torch.tensor(4))
    program = exporting.export(module, inputs, decomposed=True)
    expected = exporting.eager(module, inputs)
    flags = ["-fx-inline-wrappers", "-fx-functionalize", "-canonicalize", "-cse"]
    text, got = run_passes(program, inputs, expected, tmp_path, *flags, "-fx-hoist-invariants")
    harness.compare(got, expected)
    # Operators that depend neither on a row, on the iteration nor on carried values are in @main.
    bodies, main = text.split("fx.graph @main")
    for target in ("exp", "sin", "tanh", "sigmoid"):
        assert f"@aten.{target}.default" in main and f"@aten.{target}.default" not in bodies, target
    native = harness.run(
        tmp_path / "passed.mlir", (inputs, {}), tmp_path / "native", expected, "--no-fallback"
    )
    harness.compare(native, expected)

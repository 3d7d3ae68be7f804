"""Passes on fx leave the results of eager PyTorch as they are."""

import json
import pathlib

import exporting
import harness
import models
import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

#: What floats can be; sums and products of them tell identities from near ones.
SPECIAL = [0.0, -0.0, 1.0, -1.5, 2.5, float("inf"), float("-inf"), float("nan"), 1e-42]


def run_passes(program, inputs, expected, folder: pathlib.Path, *passes: str):
    """The text after the passes, and the interpreter's outputs of it."""
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
        # The sign of a zero counts, which == does not see.
        same = torch.equal(g.nan_to_num(7), w.nan_to_num(7))
        assert same and torch.equal(g.isnan(), w.isnan()), f"output {k}: {g}, expected {w}"
        if w.is_floating_point():
            sign = torch.signbit(g) == torch.signbit(w)
            assert (sign | w.isnan()).all(), f"output {k}: {g}, expected {w}"
    for target in ("neg.default", "dropout", "maximum", "div.", "pow.", "where.", "bitwise_"):
        assert f"@aten.{target}" not in text, target
    # x + 0, x - -0.0, and the zeros that are added.
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
    # Once more: what is computed from states becomes a state.
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
    # Relative to the size of the outputs, ten times nearer than rounding asks.
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

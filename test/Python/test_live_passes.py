"""Passes on live GraphModules: the length of graphs, and rules for each form of a call."""

import re
import sys
from pathlib import Path

import torch
from torch import fx, nn

import fx_mlir

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "test" / "EndToEnd"))
import models  # noqa: E402

RULES = ROOT / "rules" / "relu-to-gelu.mlir"


def count(module: fx_mlir.Module) -> tuple[int, int]:
    """Returns the number of nodes in @main, and the number of calls among them."""
    main = str(module).split("fx.graph @main")[1]
    node = r"^ *(?:%.* = )?(placeholder|get_attr|call_function|call_method|call_module|output)\b"
    kinds = re.findall(node, main, re.MULTILINE)
    return len(kinds), sum(kind.startswith("call_") for kind in kinds)


def test_resnet50_is_as_long_as_in_fx():
    model = models.get("resnet50").build().eval()
    x = torch.randn(1, 3, 64, 64)
    gm = fx.symbolic_trace(model)
    module = fx_mlir.import_(gm, (x,))
    assert count(module) == (len(gm.graph.nodes), 175) == (177, 175)
    # Norms that are modules fold, too; the other modules stay calls.
    folded = fx_mlir.import_(gm, (x,)).run("fx-fold-conv-bn")
    assert not re.search(r"call_module @\"?[\w.]*(conv|bn|downsample)", str(folded).split("fx.graph @main")[1])
    assert "@aten.batch_norm" not in str(folded) and "call_module @relu" in str(folded)
    # Each call is one operator; the states become inputs.
    states = len(list(model.parameters())) + len(list(model.buffers()))
    for name in ("fx-resolve-calls", "fx-functionalize", "canonicalize"):
        assert count(module.run(name)) == (177 + states, 175), name
    # The norms are folded. The nodes that replace them depend on states alone.
    module.run("fx-fold-conv-bn")
    assert "@aten.batch_norm" not in str(module)
    module.run("fx-constant-fold{max-bytes=16777216}")
    assert count(module)[1] == 175 - 53
    with torch.no_grad():
        want = model(x)
    got = fx_mlir.compile(module, progress=False)(x)
    got = got[0] if isinstance(got, (list, tuple)) else got
    assert (got - want).abs().max() <= 1e-5 * want.abs().max()
    # The exported program has as many calls.
    exported = torch.export.export(model, (x,))
    assert count(fx_mlir.import_(exported))[1] == 175


class Relus(nn.Module):
    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()
        self.inplace = nn.ReLU(inplace=True)

    def forward(self, x):
        return (
            torch.relu(x),
            nn.functional.relu(x - 1),
            (x + 1).relu(),
            (x * 2).relu_(),
            self.act(x + 3),
            self.inplace(x * 3),
        )


def test_rules_replace_every_form_of_relu():
    gm = fx.symbolic_trace(Relus())
    x = torch.randn(50)
    module = fx_mlir.import_(gm, (x,))
    text = str(module)
    forms = ["call_function @torch.relu(", "@torch.nn.functional.relu(", "call_method @relu("]
    assert all(form in text for form in forms), text
    # Rules match calls of modules and methods by the operators that these run.
    module.run(f"fx-rewrite{{patterns={RULES}}}")
    text = str(module)
    assert text.count("@aten.gelu.default(") == 6 and "relu" not in text.replace("aten.gelu", "")
    want = [nn.functional.gelu(v) for v in (x, x - 1, x + 1, x * 2, x + 3, x * 3)]
    for got, expected in zip(fx_mlir.compile(module, progress=False)(x), want, strict=True):
        torch.testing.assert_close(got, expected)


class Pairs(nn.Module):
    """Norms behind a convolution, a transposed convolution and a linear layer; a norm behind
    another norm; and a norm that is used twice, behind a layer that is used twice."""

    def __init__(self):
        super().__init__()
        self.conv, self.bn = nn.Conv2d(3, 4, 3, bias=False), nn.BatchNorm2d(4)
        self.up, self.up_bn = nn.ConvTranspose2d(4, 6, 2, groups=2), nn.BatchNorm2d(6)
        self.second = nn.BatchNorm2d(6)
        self.point, self.twice = nn.Conv2d(6, 6, 1), nn.BatchNorm2d(6)
        self.linear, self.linear_bn = nn.Linear(6, 5), nn.BatchNorm1d(5)

    def forward(self, x):
        x = torch.relu(self.bn(self.conv(x)))
        x = self.second(self.up_bn(self.up(x)))
        x = self.twice(self.point(x)) + self.twice(self.point(x))
        return self.linear_bn(self.linear(x.mean((2, 3))))


def test_norms_that_are_modules_fold():
    model = Pairs()
    x = torch.randn(4, 3, 8, 8)
    for _ in range(3):
        model(x)
    model.eval()
    with torch.no_grad():
        for norm in (m for m in model.modules() if isinstance(m, nn.modules.batchnorm._BatchNorm)):
            norm.weight.uniform_(0.5, 2)
            norm.bias.uniform_(-1, 1)
    module = fx_mlir.import_(fx.symbolic_trace(model), (x,))
    module.run("fx-fold-conv-bn")
    main = str(module).split("fx.graph @main")[1]
    left = re.findall(r"call_module @(\w+)", main)
    assert left == ["second", "point", "twice", "point", "twice"]
    with torch.no_grad():
        want = model(x)
    got = fx_mlir.compile(module, progress=False)(x)
    got = got[0] if isinstance(got, (list, tuple)) else got
    torch.testing.assert_close(got, want, rtol=1e-5, atol=1e-5)
    # Statistics that training changes are not constant, so the norms are not folded.
    module = fx_mlir.import_(fx.symbolic_trace(model.train()), (x,))
    module.run("fx-fold-conv-bn")
    assert "rsqrt" not in str(module)

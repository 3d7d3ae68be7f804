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
    """The nodes of @main, and those of them that are calls."""
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
    # Each call is one operator; the states become inputs.
    states = len(list(model.parameters())) + len(list(model.buffers()))
    for name in ("fx-resolve-calls", "fx-functionalize", "canonicalize"):
        assert count(module.run(name)) == (177 + states, 175), name
    # The norms go; what replaces them is computed from states alone.
    module.run("fx-fold-conv-bn")
    assert "@aten.batch_norm" not in str(module)
    module.run("fx-constant-fold{max-bytes=16777216}")
    assert count(module)[1] == 175 - 53
    with torch.no_grad():
        want = model(x)
    got = fx_mlir.compile(module, progress=False)(x)
    got = got[0] if isinstance(got, (list, tuple)) else got
    assert (got - want).abs().max() <= 1e-5 * want.abs().max()
    # Export has the same calls.
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
    rewrite = f"fx-rewrite{{patterns={RULES}}}"
    # Functions and methods by their names; modules by what they ran.
    main = str(module.run(rewrite)).split("fx.graph @main")[1]
    assert main.count("@aten.gelu.default(") == 3 and not any(form in main for form in forms)
    module.run("fx-resolve-calls").run("fx-functionalize").run(rewrite)
    text = str(module)
    assert text.count("@aten.gelu.default(") == 6 and "relu" not in text.replace("aten.gelu", "")
    want = [nn.functional.gelu(v) for v in (x, x - 1, x + 1, x * 2, x + 3, x * 3)]
    for got, expected in zip(fx_mlir.compile(module, progress=False)(x), want, strict=True):
        torch.testing.assert_close(got, expected)

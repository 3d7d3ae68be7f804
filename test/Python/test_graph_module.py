"""Live GraphModules in the fx dialect."""

import operator
import re

import pytest
import torch
from torch import fx, nn
from torch.fx.experimental.proxy_tensor import make_fx

import fx_mlir
from fx_mlir._graph import GraphImporter


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3, padding=1)
        self.bn = nn.BatchNorm2d(4)
        self.scale = nn.Parameter(torch.full((4, 1, 1), 2.0))

    def forward(self, x, flag=True):
        y = torch.relu(self.bn(self.conv(x)))
        y = nn.functional.max_pool2d(y, 2) * self.scale
        return y.flatten(1)[:, 1:], {"size": y.size(0), "all": y[..., None]}


def count(module):
    """Returns the number of nodes in @main."""
    text = str(module)
    body = text[text.index("fx.graph @main") :].splitlines()
    node = r"    (%[^=]+= )?(placeholder|get_attr|call_\w+|higher_order|cond|output)\b"
    return sum(bool(re.match(node, line)) for line in body)


def test_symbolic_trace():
    gm = fx.symbolic_trace(Block())
    module = fx_mlir.import_(gm)
    text = str(module)
    assert count(module) == len(gm.graph.nodes)
    for part in (
        'placeholder "flag" default(true) : !fx.any',
        "call_module @conv(%x)",
        "call_function @torch.relu(%bn)",
        "call_function @torch.nn.functional.max_pool2d(%relu, 2, stride = None",
        "get_attr @scale",
        "call_method @flatten(%mul, 1)",
        '"__slice__" = [1, None, None]',
        '"__ellipsis__" = []',
        '"size" = %size',
    ):
        assert part in text, f"{part}\n{text}"
    # A round trip through bytecode loses nothing.
    again = fx_mlir.Module.parse(module.bytecode())
    assert again.text(locations=True) == module.text(locations=True)


def test_make_fx():
    def fn(x, y):
        a, b = torch.split(x, 2)
        values, indices = torch.max(b, 1)
        return a @ y, values, torch.tensor([1.0, 2.0]) + a[:, :2]

    x, y = torch.randn(4, 3), torch.randn(3, 2)
    gm = make_fx(fn, tracing_mode="fake")(x, y)
    module = fx_mlir.import_(gm)
    text = str(module)
    assert re.search(r"call_function @aten.split.Tensor\(%x_1, 2\).*outs \[\[#fx.operand", text)
    assert "!fx.any" not in text
    getitems = sum(n.target is operator.getitem for n in gm.graph.nodes)
    assert count(module) == len(gm.graph.nodes) - getitems
    # With lifted states the graph is a program that compiles.
    compiled = fx_mlir.compile(GraphImporter(gm, lift=True).run(), progress=False)
    for got, want in zip(compiled(x, y), fn(x, y)):
        torch.testing.assert_close(got, want)


def test_dynamic_shapes():
    gm = make_fx(lambda x: torch.cat([x, x]) * x.shape[0], tracing_mode="symbolic")(
        torch.randn(5, 3)
    )
    text = str(fx_mlir.import_(gm))
    assert re.search(r"symbols \[s\d+ in \[", text)
    assert re.search(r"!fx.tensor<\[2\*s\d+, s\d+\], f32>", text)


def test_sub_graphs():
    def fn(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    gm = make_fx(fn, tracing_mode="fake")(torch.ones(3))
    text = str(fx_mlir.import_(gm))
    assert "fx.graph private @true_graph_0" in text
    assert re.search(r"cond\(%gt, %true_graph_0, %false_graph_0, \[%x_1\]\)", text)


def test_strides_and_ties():
    w = torch.randn(2, 3)

    class Tied(nn.Module):
        def __init__(self):
            super().__init__()
            self.a = nn.Parameter(w)
            self.b = self.a

        def forward(self, x):
            return x @ self.a.t() + (x @ self.b.t()).contiguous()

    x = torch.randn(4, 3)
    gm = make_fx(Tied())(x)
    text = str(fx_mlir.import_(gm))
    assert "strides = [1, 3]" in text
    compiled = fx_mlir.compile(GraphImporter(gm, lift=True).run(), progress=False)
    torch.testing.assert_close(compiled(x)[0], 2 * (x @ w.t()), rtol=1e-5, atol=1e-5)


def test_compile_with_example_inputs():
    """call_module and call_method go through torch.export."""
    gm = fx.symbolic_trace(Block().eval())
    x = torch.randn(1, 3, 8, 8)
    compiled = fx_mlir.compile(gm, (x,), no_fallback=True)
    y, rest = compiled(x)
    want, want_rest = gm(x)
    torch.testing.assert_close(y, want, rtol=1e-4, atol=1e-5)
    torch.testing.assert_close(rest["all"], want_rest["all"], rtol=1e-4, atol=1e-5)
    assert rest["size"] == 1
    with pytest.raises(TypeError, match="example inputs"):
        fx_mlir.compile(gm)


def test_errors():
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.add, (x, range(3))))
    with pytest.raises(fx_mlir.Error, match="expected an argument.*got builtins.range") as e:
        fx_mlir.import_(fx.GraphModule(nn.Module(), graph))
    assert e.value.node == "add"
    graph = fx.Graph()
    x = graph.placeholder("x")
    graph.output(graph.call_function(torch.ops.aten.add.Tensor, (x, 2**70)))
    with pytest.raises(fx_mlir.Error, match="expected an integer of 64 bits"):
        fx_mlir.import_(fx.GraphModule(nn.Module(), graph))

"""Round trips of live GraphModules, and the operators that their calls run."""

import operator
import pathlib
import sys

import pytest
import torch
from torch import fx, nn
from torch.fx.experimental.proxy_tensor import make_fx

import fx_mlir

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "EndToEnd"))
import models  # noqa: E402


def same_nodes(got: fx.Graph, want: fx.Graph) -> None:
    assert len(got.nodes) == len(want.nodes)
    assert str(got) == str(want)
    for a, b in zip(got.nodes, want.nodes):
        # Compare the targets themselves, and the kinds of containers.
        assert a.target == b.target and str(a.args) == str(b.args), a
        assert a.meta.get("stack_trace") == b.meta.get("stack_trace")


def back_and_forth(gm: fx.GraphModule, *args, **kwargs) -> fx.GraphModule:
    back = fx_mlir.import_(gm).graph_module()
    same_nodes(back.graph, gm.graph)
    torch.testing.assert_close(back(*args, **kwargs), gm(*args, **kwargs), rtol=0, atol=0)
    return back


def test_resnet50_through_symbolic_trace():
    gm = fx.symbolic_trace(models.get("resnet50").build().eval())
    with torch.no_grad():
        back = back_and_forth(gm, torch.randn(1, 3, 64, 64))
    assert {n.op for n in back.graph.nodes} >= {"call_module", "call_function"}
    # The weights are the same ones, not copies.
    assert [p.data_ptr() for p in back.parameters()] == [p.data_ptr() for p in gm.parameters()]


class Everything(nn.Module):
    """Defaults, containers of both sorts, slices, constants of every kind,
    functions of Python and builtins, and a method of a module's module."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.scale = nn.Parameter(torch.full((4,), 2.0))
        self.register_buffer("shift", torch.arange(4.0))

    def forward(self, x, flag=True, *, mode="sum"):
        y = self.inner(x) * self.scale + self.shift
        y = y.reshape((2, -1)).to(torch.float64, memory_format=torch.contiguous_format)
        parts = torch.split(y, [1, 1], dim=0)
        z = torch.cat([parts[0], parts[1][..., None, 0]], dim=-1)
        z = z[:, 1:][0, (slice(None, None, 2))] + torch.zeros(1, device=torch.device("cpu"))
        w = nn.functional.pad(x, (1, 0), value=float("-inf")).clamp(min=-1e3)
        return {"z": z, "w": [w, (x.shape[0], None)]}, x.dim() - 1


def test_every_kind_of_argument():
    gm = fx.symbolic_trace(Everything())
    x = torch.randn(3, 4)
    back = back_and_forth(gm, x)
    assert type(back(x)) is type(gm(x))


def test_make_fx_and_sub_graphs():
    def fn(x, y):
        a, b = torch.split(x, 2)
        values, indices = torch.max(b, 1)
        z = torch.cond(values.sum() > 0, lambda x: x.sin() + 1, lambda x: x.cos(), (a @ y,))
        return [z, values]

    x, y = torch.randn(4, 3), torch.randn(3, 2)
    gm = make_fx(fn)(x, y)
    gm.graph.eliminate_dead_code()
    back = back_and_forth(gm, x, y)
    assert "cos" in str(back.true_graph_0.graph) + str(back.false_graph_0.graph)


def test_changed_graphs_come_back():
    """Nodes that passes make are exported, too. The other nodes keep FX's metadata."""
    gm = make_fx(lambda x: (x + 1) * (x + 1), tracing_mode="fake")(torch.ones(3))
    module = fx_mlir.import_(gm).run("cse")
    back = module.graph_module()
    torch.testing.assert_close(back(torch.ones(3)), torch.full((3,), 4.0))
    assert back.graph.find_nodes(op="placeholder")[0].meta["val"].shape == (3,)
    text = fx_mlir.Module.parse(module.text(locations=True))
    torch.testing.assert_close(text.graph_module()(torch.ones(3)), torch.full((3,), 4.0))


def test_of_an_exported_program():
    module = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)).eval()
    program = torch.export.export(module, (torch.randn(2, 4),))
    back = fx_mlir.import_(program).graph_module()
    assert [n.name for n in back.graph.nodes] == [n.name for n in program.graph.nodes]
    x = torch.randn(2, 4)
    # With a root that has the states, only the user's inputs are placeholders.
    bound = fx_mlir.import_(program).graph_module(module)
    assert len(bound.graph.find_nodes(op="placeholder")) == 1
    torch.testing.assert_close(bound(x)[0], module(x), rtol=1e-5, atol=1e-6)


def test_errors_of_the_way_back():
    gm = fx.symbolic_trace(nn.Sequential(nn.Linear(2, 2)))
    text = fx_mlir.Module.parse(str(fx_mlir.import_(gm)))
    with pytest.raises(fx_mlir.Error, match="expected a root that has '0'"):
        text.graph_module()
    same_nodes(text.graph_module(gm).graph, gm.graph)
    call = """fx.graph @main {
      %%x = placeholder "x" : !fx.any
      %%y = call_function @%s(%%x) {fx.function} : (!fx.any) -> !fx.any
      output(%%y) : (!fx.any)
    }"""
    for target in ("antigravity.f", "builtins.exec", "os.nothing", "torch.ops.aten.no.no", "x"):
        with pytest.raises(fx_mlir.Error, match=f"expected .*'{target.removeprefix('torch.ops.')}'"):
            fx_mlir.Module.parse(call % target).graph_module()
    assert "antigravity" not in sys.modules


# --- Calls, resolved -----------------------------------------------------------


def resolve(gm, *args, **kwargs):
    module = fx_mlir.import_(gm, args, kwargs).run("fx-resolve-calls")
    assert "!fx.any" not in str(module), str(module)
    return module


def test_resnet50_resolves_and_compiles():
    model = models.get("resnet50").build().eval()
    x = torch.randn(1, 3, 64, 64)
    module = resolve(fx.symbolic_trace(model), x)
    text = str(module)
    assert "call_module" not in text and "call_method" not in text and "private" not in text
    assert text.count("@aten.conv2d.default(") == 53
    compiled = fx_mlir.compile(module, no_fallback=True, progress=False)
    with torch.no_grad():
        torch.testing.assert_close(compiled(x)[0], model(x), rtol=1e-3, atol=1e-4)


def test_every_call_resolves():
    """Methods, functions of several results, sizes, defaults and containers."""
    model, x = Everything(), torch.randn(3, 4)
    gm = fx.symbolic_trace(model)
    module = resolve(gm, x)
    text = str(module)
    for call in ("call_method", "call_module", "torch.split", "builtins.getattr", "_operator"):
        assert call not in text, f"{call}\n{text}"
    back = module.graph_module(gm)
    want = torch.utils._pytree.tree_leaves(model(x))
    got = torch.utils._pytree.tree_leaves(back(x))
    for a, b in zip(got, want, strict=True):
        torch.testing.assert_close(a, b)


def test_resolved_batch_norms_keep_their_statistics():
    model = nn.Sequential(nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3))
    x = torch.randn(4, 2, 5, 5)
    module = resolve(fx.symbolic_trace(model), x)
    compiled = fx_mlir.compile(module, no_fallback=True, progress=False)
    for _ in range(2):
        torch.testing.assert_close(compiled(x)[0], model(x), rtol=1e-4, atol=1e-5)


def strange(x):
    """A function that fx cannot trace, because it depends on values."""
    return x + 1 if bool((x > 0).all()) else x - 1


fx.wrap("strange")


def test_opaque_calls_stay_and_run_in_python():
    class Calls(nn.Module):
        def forward(self, x):
            return strange(x.relu() + 1) * 2

    gm = fx.symbolic_trace(Calls())
    x = torch.randn(3)
    module = fx_mlir.import_(gm, (x,)).run("fx-resolve-calls")
    text = str(module)
    for part in ("@aten.relu.default", ".strange(", "@aten.mul.Tensor"):
        assert part in text, text
    assert "!fx.any" not in text  # a run on the example gives the type
    torch.testing.assert_close(module.graph_module()(x), gm(x))
    with pytest.raises(fx_mlir.Error, match="strange' has no native code"):
        fx_mlir.compile(module, progress=False)


def test_wrong_example_inputs():
    gm = fx.symbolic_trace(nn.Linear(4, 3))
    with pytest.raises(fx_mlir.Error, match="example inputs do not fit"):
        fx_mlir.import_(gm, (torch.ones(2, 4), 1, 2))
    with pytest.raises(fx_mlir.Error, match="cannot run on the example inputs") as e:
        fx_mlir.import_(gm, (torch.ones(2, 5),))
    assert e.value.node
    with pytest.raises(TypeError, match="expected a GraphModule, which alone takes"):
        fx_mlir.import_("m.pt2", (torch.ones(2),))


# --- Dynamic sizes ---------------------------------------------------------------


class Sizes(nn.Module):
    """Calls of modules, methods and functions that return sizes and take them."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 3), nn.ReLU())

    def forward(self, x, y):
        z = self.inner(x)
        flat = z.view(x.size(0) * 3) + z.shape[0]
        return flat, torch.cat([x, y]), torch.split(y, 2, dim=1)[1].reshape(-1, 2)


def check_sizes(compiled, model, *sizes):
    for n, m in sizes:
        x, y = torch.randn(n, 4), torch.randn(m, 4)
        with torch.no_grad():
            for got, want in zip(compiled(x, y), model(x, y), strict=True):
                torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def test_dynamic_shapes():
    model = Sizes()
    gm = fx.symbolic_trace(model)
    rows = torch.export.Dim("rows", min=3, max=50)
    shapes = {"x": {0: rows}, "y": {0: torch.export.Dim.DYNAMIC}}
    args = (torch.randn(5, 4), torch.randn(2, 4))
    module = fx_mlir.import_(gm, args, dynamic_shapes=shapes).run("fx-resolve-calls")
    text = str(module)
    for call in ("!fx.any", "call_module", "call_method", "torch.", "builtins."):
        assert call not in text.split("fx.graph @main")[1], text
    assert "in [3, 50]" in text, text
    compiled = fx_mlir.compile(module, no_fallback=True, progress=False)
    check_sizes(compiled, model, (5, 2), (3, 7), (50, 2))
    with pytest.raises(fx_mlir.Error, match="x.*51"):
        compiled(torch.randn(51, 4), torch.randn(2, 4))


def test_dynamic_shapes_that_cannot_be():
    gm = fx.symbolic_trace(Sizes())
    args = (torch.randn(5, 4), torch.randn(2, 4))
    for shapes, message in [
        ({"x": {1: torch.export.Dim("k")}, "y": None}, "dynamic_shapes: .*constant"),
        ({"z": {0: torch.export.Dim("k")}}, "dynamic_shapes: .*arg names \\['x', 'y'\\]"),
        ({"x": {7: torch.export.Dim("k")}, "y": None}, "dynamic_shapes: .*out of range"),
    ]:
        with pytest.raises(fx_mlir.Error, match=message):
            fx_mlir.import_(gm, args, dynamic_shapes=shapes)
    with pytest.raises(TypeError, match="expected example inputs with dynamic_shapes"):
        fx_mlir.import_(gm, dynamic_shapes={})

    class Counts(nn.Module):
        def forward(self, x):
            return strange(x.relu() + 1) * 2

    gm = fx.symbolic_trace(Counts())
    with pytest.raises(fx_mlir.Error, match="cannot run on tensors of dynamic sizes") as e:
        fx_mlir.import_(gm, (torch.randn(3),), dynamic_shapes={"x": {0: torch.export.Dim("k")}})
    assert e.value.node == "strange"


def test_graphs_traced_with_symbols_keep_them():
    """Graphs of make_fx, and graphs that Dynamo gives a backend, which call modules, too."""
    model = Sizes()
    args = (torch.randn(5, 4), torch.randn(2, 4))
    gm = make_fx(model, tracing_mode="symbolic", _allow_non_fake_inputs=True)(*args)
    compiled = fx_mlir.compile(
        fx_mlir.import_(gm, args).run("fx-resolve-calls"), no_fallback=True, progress=False
    )
    check_sizes(compiled, model, (5, 2), (9, 3))

    seen = []

    def backend(gm, inputs):
        seen.append((gm, tuple(inputs)))
        return gm.forward

    torch._dynamo.reset()
    torch.compile(model, backend=backend, dynamic=True)(*args)
    ((gm, inputs),) = seen
    module = fx_mlir.import_(gm, inputs).run("fx-resolve-calls")
    main = str(module).split("fx.graph @main")[1]
    for call in ("!fx.any", "call_module", "call_method", "torch."):
        assert call not in main, main
    compiled = fx_mlir.compile(module, no_fallback=True, progress=False)
    names = [n.target for n in gm.graph.find_nodes(op="placeholder")]
    for n, m in [(5, 2), (9, 3)]:
        x, y = torch.randn(n, 4), torch.randn(m, 4)
        given = []
        for name, value in zip(names, inputs, strict=True):
            if isinstance(value, torch.SymInt):  # an input that is a size
                value = n if int(value) == 5 else m
            given.append({"L_x_": x, "L_y_": y}.get(name, value))
        with torch.no_grad():
            for got, want in zip(compiled(*given), model(x, y), strict=True):
                torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)


def switch_operator():
    """torch.ops.higher_order.switch of torch 2.15, or what it does in eager mode."""
    try:
        return torch.ops.higher_order.switch
    except AttributeError:
        pass

    class Switch(torch._ops.HigherOrderOperator):
        def __init__(self):
            super().__init__("switch")

        def __call__(self, index, branches, operands):
            return branches[int(index)](*operands)

    return Switch()


def test_switch():
    """A live program with `switch`, which torch cannot save."""
    root, x = nn.Module(), torch.randn(3, 4)
    root.a = make_fx(lambda x: (x * 2, x.sum()))(x)
    root.b = make_fx(lambda x: (x.neg(), x.amax()))(x)
    root.c = make_fx(lambda x: (x + 10, x.mean()))(x)
    graph = fx.Graph()
    index, operand = graph.placeholder("index"), graph.placeholder("x")
    branches = [graph.get_attr(name) for name in "abc"]
    call = graph.call_function(switch_operator(), (index, branches, (operand,)))
    graph.output(tuple(graph.call_function(operator.getitem, (call, k)) for k in range(2)))
    gm = fx.GraphModule(root, graph)
    module = resolve(gm, torch.tensor(0), x)
    assert "higher_order @switch(%index, [%a, %b, %c], [%x])" in str(module)
    compiled = fx_mlir.compile(module, no_fallback=True, progress=False)
    for k in range(3):
        got, want = compiled(torch.tensor(k), x), gm(torch.tensor(k), x)
        torch.testing.assert_close(tuple(got), want)

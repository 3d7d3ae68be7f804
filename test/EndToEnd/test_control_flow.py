"""Higher-order operators, interpreted and compiled without fallback, agree with eager mode: nested,
with dynamic sizes, and writing to buffers inside."""

import harness
import leaves
import pytest
import torch
from exporting import export, save
from torch._higher_order_ops import scan, while_loop
from torch._higher_order_ops.associative_scan import (
    associative_scan,
    associative_scan_op,
)
from torch._higher_order_ops.foreach_map import foreach_map
from torch._higher_order_ops.hints_wrap import hints_wrapper
from torch._higher_order_ops.invoke_subgraph import mark_compile_region
from torch._higher_order_ops.map import map as torch_map
from torch._higher_order_ops.out_dtype import out_dtype
from torch._higher_order_ops.strict_mode import strict_mode
from torch.export import Dim
from torch.fx.experimental.proxy_tensor import make_fx

MODES = ["interpret", "native"]


class Repeat(torch.nn.Module):
    """A while_loop that applies a layer and carries a counter."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        self.calls.add_(1)
        i, y = while_loop(
            lambda i, x: i < 5,
            lambda i, x: (i + 1, self.layer(x).tanh()),
            (torch.tensor(0), x),
        )
        return i, y, self.calls.clone()


class UntilLarge(torch.nn.Module):
    """The data determines the number of iterations, which may be zero."""

    def forward(self, x):
        return while_loop(
            lambda x, n: (x.abs().sum() < 50) & (n < 20),
            lambda x, n: (x * 2, n + 1),
            (x, torch.zeros((), dtype=torch.int64)),
        )


class Nested(torch.nn.Module):
    """A while_loop and a cond in a while_loop."""

    def forward(self, x):
        def body(i, x):
            _, y = while_loop(
                lambda j, y: (j < 2) & (y.sum() < 100),
                lambda j, y: (j + 1, y * 1.5),
                (torch.zeros((), dtype=torch.int64), x),
            )
            y = torch.cond(y.sum() > 0, lambda y: y + 1, lambda y: y.sin(), (y,))
            return i + 1, y

        return while_loop(lambda i, x: i < 3, body, (torch.tensor(0), x))


class Map(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)

    def forward(self, xs, y):
        return torch_map(lambda x, y: (self.layer(x.sin() + y), x.sum()), xs, y)


class MapOfPairs(torch.nn.Module):
    """A map over two tensors, with a cond inside."""

    def forward(self, xs, ys):
        def body(pair):
            x, y = pair
            return torch.cond(x.sum() > 0, lambda x, y: x + y, lambda x, y: x * y, (x, y))

        return torch_map(body, (xs, ys))


class MapOfMap(torch.nn.Module):
    def forward(self, xs):
        return torch_map(lambda row: torch_map(lambda x: x.cumsum(0) + 1, row), xs)


class Scan(torch.nn.Module):
    def forward(self, init, xs):
        return scan(lambda c, x: (c + x, (c * x).sum()), init, xs)


class Rnn(torch.nn.Module):
    """An LSTM cell in a reverse scan with two carried values."""

    def __init__(self):
        super().__init__()
        self.input, self.state = torch.nn.Linear(3, 16), torch.nn.Linear(4, 16)

    def forward(self, h, c, xs):
        def step(state, x):
            h, c = state
            i, f, g, o = (self.input(x) + self.state(h)).chunk(4, -1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            return (h, c), h.clone()

        return scan(step, (h, c), xs, reverse=True)


class AssociativeScan(torch.nn.Module):
    """associative_scan as an operator on its sub-graph, over two tensors: the coefficients of a
    composition of x -> a*x + b."""

    def forward(self, a, b):
        def compose(a, b, c, d):
            return [a * c, b * c + d]

        return associative_scan_op(compose, [a, b], ())


class GenericAssociativeScan(torch.nn.Module):
    """associative_scan as users call it: exported as slices and calls under vmap, which
    decomposition removes."""

    def forward(self, x):
        return associative_scan(
            lambda a, b: a * b + a, x, dim=1, reverse=True, combine_mode="generic"
        )


@mark_compile_region
def region(x, y):
    return (x.sin() * y).cumsum(0), x - y


class InvokeSubgraph(torch.nn.Module):
    """A region that is compiled once and called twice."""

    def forward(self, x, y):
        a, b = region(x, y)
        c, d = region(b, x)
        return a + c, d


class Grad(torch.nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x * 2
        with torch.enable_grad():
            return y + 1


class Autocast(torch.nn.Module):
    """Operators that autocast runs in bfloat16 and in float32, and a disabled region."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 8)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.layer(x)
            z = torch.nn.functional.softmax(y, -1)
        with torch.autocast("cpu", enabled=False):
            w = x @ x.t()
        return y + 1, z, w


class OutDtype(torch.nn.Module):
    def forward(self, x, y):
        return out_dtype(torch.ops.aten.mm.default, torch.int32, x, y)


class Strict(torch.nn.Module):
    def forward(self, x):
        return strict_mode(lambda x: (x.sin() + 1,), (x,))


class Hints(torch.nn.Module):
    def forward(self, x):
        return hints_wrapper(lambda x: (x.sin() + 1,), (x,), {}, {"key": 1})


class ForeachMap(torch.nn.Module):
    """One operator on each tensor of two lists."""

    def forward(self, x, y):
        return foreach_map(torch.mul, [x, x + 1], [y, y * 2])


class ConstGraph(torch.nn.Module):
    """A sub-graph of constants alone, as constant folding leaves it."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(seeded(3))
        self.constants = make_fx(lambda w: (w.sin(), w + 1))(seeded(3))

    def forward(self, x):
        a, b = torch.ops.higher_order.run_const_graph(self.constants, (self.weight,))
        return x * a + b


class Print(torch.nn.Module):
    def forward(self, x):
        torch.ops.higher_order.print("{} and {a}", 2.5, a=3)
        return x + 1


class ScanInWhile(torch.nn.Module):
    def forward(self, x):
        def body(i, x):
            carry, y = scan(lambda c, r: (c + r, c * r), torch.zeros(3), x)
            return i + 1, y + carry

        return while_loop(lambda i, x: i < 3, body, (torch.tensor(0), x))


class ScanInMap(torch.nn.Module):
    def forward(self, x):
        return torch_map(lambda row: associative_scan_op(lambda a, b: [a + b], [row], ()), x)


class MapInCond(torch.nn.Module):
    def forward(self, x):
        return torch.cond(
            x.sum() > 0,
            lambda x: torch_map(lambda r: r.sin(), x),
            lambda x: torch_map(lambda r: r.cos(), x),
            (x,),
        )


class Iterations(torch.nn.Module):
    """Stacks the results of the iterations of a loop. The data determines the number of
    iterations."""

    def forward(self, i, x):
        return torch.ops.higher_order.while_loop_stack_output(
            lambda i, x: i < 3, lambda i, x: (i + 1, x * 2), (i, x), ()
        )


class CondWrites(torch.nn.Module):
    """Both branches write to a buffer, one through a view."""

    def __init__(self):
        super().__init__()
        self.register_buffer("state", torch.zeros(4))

    def forward(self, x):
        def yes(x):
            self.state.add_(1)
            return x + self.state

        def no(x):
            self.state[1:].copy_(x[1:])
            return x - self.state

        y = torch.cond(x.sum() > 0, yes, no, (x,))
        return y, self.state.clone()


class CondWritesOneSide(torch.nn.Module):
    """Each of the two branches writes to its own buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.zeros(4))
        self.register_buffer("b", torch.ones(4))

    def forward(self, x):
        def yes(x):
            self.a.add_(x)
            return x + self.a

        def no(x):
            self.b.mul_(x)
            return x - self.b

        y = torch.cond(x.sum() > 0, yes, no, (x,))
        return y, self.a.clone(), self.b.clone()


class LoopWrites(torch.nn.Module):
    """A loop fills the rows of a cache."""

    def __init__(self):
        super().__init__()
        self.register_buffer("cache", torch.zeros(8, 4))

    def forward(self, x):
        def body(i, x):
            self.cache.index_copy_(0, i.reshape(1), x.reshape(1, 4))
            return i + 1, x + self.cache.sum(0)

        i, y = while_loop(lambda i, x: i < 5, body, (torch.tensor(0), x))
        return y, self.cache.clone()


class NestedWrites(torch.nn.Module):
    """A cond in a loop writes to a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(4))

    def forward(self, x):
        def grow(x):
            self.n.add_(1)
            return x + 1

        def shrink(x):
            self.n.sub_(1)
            return x - self.n

        def body(i, x):
            return i + 1, torch.cond(x.sum() < 8, grow, shrink, (x,))

        i, y = while_loop(lambda i, x: i < 6, body, (torch.tensor(0), x))
        return y, self.n.clone()


def seeded(*shape):
    return torch.rand(*shape, generator=torch.Generator().manual_seed(sum(shape) + 1)) - 0.5


BATCH = {0: Dim("batch", min=2, max=64)}
#: name: module, inputs, dynamic shapes, other inputs
CASES = {
    "repeat": (Repeat, lambda n: (seeded(n, 4),), (BATCH,)),
    "until_large": (UntilLarge, lambda n: (seeded(n, 4) * 10,), (BATCH,)),
    "nested": (Nested, lambda n: (seeded(n, 4),), (BATCH,)),
    "map": (Map, lambda n: (seeded(n, 3), seeded(3)), (BATCH, None)),
    "map_of_pairs": (MapOfPairs, lambda n: (seeded(n, 3), seeded(n, 3)), (BATCH, BATCH)),
    "map_of_map": (MapOfMap, lambda n: (seeded(n, 3, 5),), None),
    "scan": (Scan, lambda n: (seeded(3), seeded(n, 3)), (None, BATCH)),
    "rnn": (Rnn, lambda n: (seeded(2, 4), seeded(2, 4), seeded(n, 2, 3)), (None, None, BATCH)),
    "associative_scan": (
        AssociativeScan,
        lambda n: (seeded(n, 3), seeded(n, 3)),
        (BATCH, BATCH),
    ),
    "generic_scan": (GenericAssociativeScan, lambda n: (seeded(n, 6),), None),
    "invoke_subgraph": (InvokeSubgraph, lambda n: (seeded(n, 3), seeded(n, 3)), (BATCH, BATCH)),
    "grad": (Grad, lambda n: (seeded(n, 3),), (BATCH,)),
    "autocast": (Autocast, lambda n: (seeded(n, 8),), (BATCH,)),
    "out_dtype": (
        OutDtype,
        lambda n: (
            (seeded(n, 4) * 200).to(torch.int8),
            (seeded(4, 2) * 200).to(torch.int8),
        ),
        None,
    ),
    "strict": (Strict, lambda n: (seeded(n, 3),), (BATCH,)),
    "hints": (Hints, lambda n: (seeded(n, 3),), (BATCH,)),
    "foreach_map": (ForeachMap, lambda n: (seeded(n, 3), seeded(n, 3)), (BATCH, BATCH)),
    "const_graph": (ConstGraph, lambda n: (seeded(n, 3),), (BATCH,)),
    "scan_in_while": (ScanInWhile, lambda n: (seeded(n, 3),), (BATCH,)),
    "scan_in_map": (ScanInMap, lambda n: (seeded(n, 3),), (BATCH,)),
    "map_in_cond": (MapInCond, lambda n: (seeded(n, 3),), (BATCH,)),
}


#: The operator that a case's program must contain, and whether only a strict export creates it.
EXPECTED = {
    "associative_scan": ("associative_scan", False),
    "invoke_subgraph": ("invoke_subgraph", True),
    "out_dtype": ("out_dtype", False),
    "strict": ("strict_mode", False),
    "hints": ("hints_wrapper", False),
    "foreach_map": ("foreach_map", True),
    "const_graph": ("run_const_graph", False),
}


def forms():
    """Yields each case with dynamic sizes if it has them, or with static sizes if only those keep
    an operator. All others need --long."""
    for name, (_, _, shapes) in CASES.items():
        _, strict = EXPECTED.get(name, ("", False))
        marks = [] if shapes is None or strict else [pytest.mark.long]
        yield pytest.param(name, False, id=f"{name}-static", marks=marks)
        if shapes is not None:
            yield pytest.param(name, True, id=f"{name}-dynamic")


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("name, dynamic", list(forms()))
def test_higher_order(name, dynamic, decomposed, tmp_path):
    build, inputs, shapes = CASES[name]
    torch.manual_seed(0)
    module = build()
    operator, strict = EXPECTED.get(name, ("", False))
    program = export(
        module,
        inputs(5),
        dynamic=shapes if dynamic else None,
        decomposed=decomposed,
        strict=strict,
    )
    if operator and not decomposed and not (dynamic and strict):  # torch inlines these
        assert operator in {str(node.target) for node in program.graph.nodes}
    harness.check(
        module,
        inputs(5),
        folder=tmp_path,
        # Calls under vmap are not native before decomposition removes them.
        modes=MODES if decomposed or name != "generic_scan" else ["interpret", "compiled"],
        program=program,
        others=[(inputs(n), {}) for n in ((2, 9) if dynamic else ())],
    )


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("build", [CondWrites, CondWritesOneSide, LoopWrites, NestedWrites])
def test_writes_inside(build, sign, tmp_path):
    """Only an export without gradients lets sub-graphs write, and no decomposition supports it."""
    module, args = build(), (sign * seeded(4).abs(),)
    with torch.no_grad():
        program = export(module, args, strict=False)
    # The initial values of the copies of a mutated buffer are part of the program.
    harness.check(module, args, folder=tmp_path, modes=MODES, program=program)


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("iterations", [3, 0])
def test_iterations(iterations, decomposed, tmp_path):
    """The operator has no native code, so the interpreter runs it."""
    args = torch.tensor(3 - iterations), seeded(2, 3)
    program = export(Iterations(), args, decomposed=decomposed)
    targets = {str(node.target) for node in program.graph.nodes}
    assert "while_loop_stack_output" in targets
    modes = ["interpret", "compiled"]
    harness.check(Iterations(), args, folder=tmp_path, modes=modes, program=program)


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_print(decomposed, tmp_path):
    """A decomposed program has an effect token. The text is printed once per run."""
    args = (seeded(3),)
    program = export(Print(), args, decomposed=decomposed)
    targets = {str(node.target) for node in program.graph.nodes}
    assert ("with_effects" if decomposed else "print") in targets
    model = tmp_path / "m.pt2"
    save(program, model)
    leaves.save_inputs(tmp_path / "in", args, {})
    for flags in (["--interpret"], []):
        out = tmp_path / f"out{len(flags)}"
        result = harness.tool("fx-run", model, "--inputs", tmp_path / "in", "--outputs", out, *flags)
        assert result.returncode == 0, result.stderr
        assert result.stdout.splitlines()[:1] == ["2.5 and 3"]
        assert result.stdout.count("2.5 and 3") == 1
        harness.compare(leaves.load_outputs(out, args[0]), args[0] + 1)

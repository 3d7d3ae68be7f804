"""Programs of every kind, interpreted and compiled, compared with eager PyTorch: programs that
export, import and run."""

import operator

import pytest
import torch
from torch.export import Dim

import exporting
import harness

MODES = ["interpret", "compiled"]


def check(module, args, kwargs=None, **options):
    harness.check(module, args, kwargs, modes=MODES, **options)


class Function(torch.nn.Module):
    """A function as a module."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


# --- Inputs and outputs -----------------------------------------------------


class Leaves(torch.nn.Module):
    def forward(self, x, pair, *, table, scale, count, flag, mode=None, name="plain"):
        y = x * scale + pair[0] - table["b"] + table["a"][0] * count
        if mode is None and name == "plain" and flag:
            y = y + 1
        return {"y": y, "rest": [y.sum(), (count * 2, None, scale)]}, flag, "text", 3


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_nested_arguments(decomposed, tmp_path):
    args = (torch.randn(2, 3), (torch.randn(3), None))
    kwargs = dict(
        table={"b": torch.randn(2, 1), "a": [torch.randn(())]},
        scale=0.5,
        count=3,
        flag=True,
        mode=None,
        name="plain",
    )
    check(Leaves(), args, kwargs, decomposed=decomposed, folder=tmp_path)


class Scalars(torch.nn.Module):
    def forward(self, x, n: int):
        return x * n, n + x.shape[0], x.new_full((n,), x.shape[0] * 0.5)


def test_symbolic_scalars(tmp_path):
    check(
        Scalars(),
        (torch.randn(4), 5),
        dynamic={"x": {0: Dim.DYNAMIC}, "n": Dim.DYNAMIC},
        others=[((torch.randn(7), 9), {})],
        folder=tmp_path,
    )


#: The results of Python for arithmetic on scalars in a graph.
NUMBERS = {
    "_operator.floordiv": (operator.floordiv, [(1.0, 0.1), (-7.0, 2.0), (6.0, -3.0), (0.0, -1.0), (1e300, 3.0)]),
    "_operator.mod": (operator.mod, [(-3.0, 3.0), (3.0, -3.0), (1.0, 0.1), (-7.5, 2.0)]),
    "builtins.round": (round, [(2.675, 2), (0.5, 0), (1e22, 3), (1250.0, -2), (1250, -2), (-1350, -2), (7, 1)]),
}


@pytest.mark.parametrize("mode", ["interpret", "native"])
def test_numbers_as_python(mode, tmp_path):
    lines, expected, types = [], [], []
    for target, (function, pairs) in NUMBERS.items():
        for x, y in pairs if mode == "interpret" or target != "builtins.round" else []:
            expected.append(function(x, y))
            types.append("!fx.sym_int" if type(expected[-1]) is int else "!fx.sym_float")
            call = f"call_function @{target}({x!r}, {y!r}) : () -> {types[-1]}"
            lines.append(f"  %v{len(lines)} = {call.replace('e+', '.0e')}\n")
    values = ", ".join(f"%v{k}" for k in range(len(lines)))
    (tmp_path / "m.mlir").write_text(
        f"fx.graph @main {{\n{''.join(lines)}  output({values}) : ({', '.join(types)})\n}}\n"
    )
    flag = "--interpret" if mode == "interpret" else "--no-fallback"
    got = harness.run(tmp_path / "m.mlir", ((), {}), tmp_path / "run", expected, flag)
    for g, w in zip(got, expected, strict=True):
        assert type(g) is type(w) and g == w


@pytest.mark.parametrize(
    "dtype",
    [
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.complex64,
        torch.complex128,
        torch.float8_e4m3fn,
        torch.float8_e5m2,
    ],
    ids=str,
)
def test_dtypes(dtype, tmp_path):
    x = (torch.arange(6).reshape(2, 3) - 2).to(torch.float32).to(dtype)
    check(
        Function(lambda x: (x.clone(), x.reshape(-1)[1:], x.to(torch.float32))),
        (x,),
        folder=tmp_path,
    )


def test_inputs_of_every_shape(tmp_path):
    check(
        Function(lambda a, b, c, d: (a + b, c.sum(), c + 1, d.mT @ d)),
        (
            torch.randn(()),
            torch.randn(1, 3),
            torch.randn(0, 4),
            torch.randn(3, 5).t(),
        ),
        folder=tmp_path,
    )


def test_nan_and_inf(tmp_path):
    x = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0])
    check(
        Function(lambda x: (x + float("inf"), torch.maximum(x, x.flip(0)), x.isnan())),
        (x,),
        folder=tmp_path,
    )


def test_outputs_that_are_inputs(tmp_path):
    check(Function(lambda x, y: (x, y, x, x[0])), (torch.randn(2), torch.randn(3)), folder=tmp_path)


def test_no_inputs(tmp_path):
    check(Function(lambda: torch.arange(3) * 2), (), folder=tmp_path)


# --- State ------------------------------------------------------------------


class Counter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(2, dtype=torch.int64))
        self.register_buffer("hidden", torch.ones(3), persistent=False)
        self.weight = torch.nn.Parameter(torch.randn(3, 4))
        self.tied = self.weight
        self.constant = torch.tensor([1.0, 2.0, 3.0])

    def forward(self, x):
        before = self.count.clone()
        self.count.add_(1)
        self.count[0] += 5
        view = self.hidden[1:]
        view.mul_(3)
        y = x @ self.weight + (self.tied.t() @ self.constant) + self.hidden.sum()
        self.hidden.zero_()
        return y, before, self.count, self.hidden + 1


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_buffers_change_in_a_run(decomposed, tmp_path):
    check(Counter(), (torch.randn(2, 3),), decomposed=decomposed, folder=tmp_path)


class Swapped(torch.nn.Module):
    """Buffers that are swapped, and the previous value of one of them."""

    def __init__(self):
        super().__init__()
        self.register_buffer("a", torch.tensor([1.0, 2.0, 3.0]))
        self.register_buffer("b", torch.tensor([4.0, 5.0, 6.0]))

    def forward(self, x):
        a = self.a.clone()
        self.a.copy_(self.b)
        self.b.copy_(a)
        return self.a * x, self.b + x, a, a.view(3, 1), x.relu_(), x[1:]


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_buffers_change_places(decomposed, tmp_path):
    check(Swapped(), (torch.randn(3),), decomposed=decomposed, folder=tmp_path)


class MutatesInput(torch.nn.Module):
    def forward(self, x, y):
        v = x[0]
        before = v.sin()
        x.add_(1)
        y[:, 1:].copy_(x)
        return before, v.sin(), x, y.sum()


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_inputs_change_in_a_run(decomposed, tmp_path):
    check(
        MutatesInput(),
        (torch.randn(2, 3), torch.randn(2, 4)),
        decomposed=decomposed,
        folder=tmp_path,
    )


class StridedStates(torch.nn.Module):
    """States that are views of one storage, with strides and offsets."""

    def __init__(self):
        super().__init__()
        base = torch.randn(4, 6)
        self.register_buffer("base", base)
        self.register_buffer("transposed", base.t())
        self.register_buffer("part", base[1:3, ::2])

    def forward(self, x):
        self.base.add_(1)
        return x + self.transposed, self.part * 2


def test_states_that_share_a_storage(tmp_path):
    check(StridedStates(), (torch.randn(6, 4),), folder=tmp_path)


# --- Models -----------------------------------------------------------------

MODELS = {
    "mlp": (
        lambda: torch.nn.Sequential(
            torch.nn.Linear(8, 16), torch.nn.GELU(), torch.nn.Linear(16, 4)
        ),
        lambda: (torch.randn(3, 8),),
    ),
    "conv": (
        lambda: torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3, stride=2, padding=1),
            torch.nn.BatchNorm2d(8),
            torch.nn.ReLU(),
            torch.nn.MaxPool2d(2),
            torch.nn.AdaptiveAvgPool2d(1),
            torch.nn.Flatten(),
        ).eval(),
        lambda: (torch.randn(2, 3, 16, 16),),
    ),
    "training_norm": (
        lambda: torch.nn.Sequential(
            torch.nn.Conv2d(3, 4, 1), torch.nn.BatchNorm2d(4)
        ).train(),
        lambda: (torch.randn(2, 3, 5, 5),),
    ),
    "transformer": (
        lambda: torch.nn.TransformerEncoderLayer(
            16, 2, 32, batch_first=True
        ).eval(),
        lambda: (torch.randn(2, 5, 16),),
    ),
    "attention": (
        lambda: Function(torch.nn.functional.scaled_dot_product_attention),
        lambda: tuple(torch.randn(2, 4, 6, 8) for _ in range(3)),
    ),
    "lstm": (lambda: torch.nn.LSTM(4, 6, 2), lambda: (torch.randn(5, 2, 4),)),
    "gru": (lambda: torch.nn.GRU(4, 6), lambda: (torch.randn(5, 2, 4),)),
    "embedding_bag": (
        lambda: torch.nn.EmbeddingBag(10, 4),
        lambda: (torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor([0, 3])),
    ),
    "group_norm": (
        lambda: torch.nn.GroupNorm(2, 4),
        lambda: (torch.randn(2, 4, 3, 3),),
    ),
    "chunk_cat_index": (
        lambda: Function(
            lambda x, i: torch.cat(x.chunk(3, 1)[::-1], 1)[i, :].cumsum(0)
        ),
        lambda: (torch.randn(4, 7), torch.tensor([3, 0, 1])),
    ),
    "sort_topk_unique": (
        lambda: Function(lambda x: (*x.sort(), *x.topk(2), x.argsort(descending=True))),
        lambda: (torch.randn(3, 5),),
    ),
    "einsum": (
        lambda: Function(lambda a, b: torch.einsum("bij,bkj->bik", a, b)),
        lambda: (torch.randn(2, 3, 4), torch.randn(2, 5, 4)),
    ),
    "fft": (
        lambda: Function(lambda x: torch.fft.irfft(torch.fft.rfft(x) * 2)),
        lambda: (torch.randn(3, 8),),
    ),
    "linalg": (
        lambda: Function(lambda x: (torch.linalg.inv(x), torch.linalg.svdvals(x))),
        lambda: (torch.randn(4, 4) + 4 * torch.eye(4),),
    ),
}


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("name", sorted(MODELS))
def test_models(name, decomposed, tmp_path):
    torch.manual_seed(0)
    make, inputs = MODELS[name]
    check(make(), inputs(), decomposed=decomposed, folder=tmp_path)


class Dynamic(torch.nn.Module):
    def forward(self, x, y):
        n, m = x.shape
        z = torch.cat([x, y], 0).reshape(m, -1)
        return z[: n // 2 + 1], z.new_ones(2 * n + m % 3), x.expand(2, n, m).mean(0)


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
def test_dynamic_shapes(decomposed, tmp_path):
    def inputs(n, m, k):
        return (torch.randn(n, m), torch.randn(k, m)), {}

    check(
        Dynamic(),
        inputs(3, 4, 2)[0],
        dynamic={
            "x": {0: Dim("n", min=1), 1: Dim("m", min=1)},
            "y": {0: Dim("k"), 1: Dim("m", min=1)},
        },
        decomposed=decomposed,
        others=[inputs(5, 7, 1), inputs(1, 2, 6), inputs(10, 6, 0)],
        folder=tmp_path,
    )


class DataDependent(torch.nn.Module):
    def forward(self, x, n):
        k = n.item()
        torch._check(k >= 0)
        torch._check(k <= x.shape[0])
        return x[:k] * 2, torch.nonzero(x > 0), k + 1


def test_data_dependent_sizes(tmp_path):
    check(
        DataDependent(),
        (torch.randn(6), torch.tensor(4)),
        others=[((torch.randn(6), torch.tensor(0)), {})],
        folder=tmp_path,
    )


# --- Higher-order operators -------------------------------------------------


class Cond(torch.nn.Module):
    def forward(self, x, flag):
        return torch.cond(
            flag, lambda x: (x.sin(), x + 1), lambda x: (x.cos() * 2, x - 1), (x,)
        )


class WhileLoop(torch.nn.Module):
    def forward(self, x, n):
        from torch._higher_order_ops import while_loop

        def more(i, y):
            return i < n.sum()

        def step(i, y):
            return i + 1, y * 1.5 + i

        return while_loop(more, step, (torch.zeros((), dtype=torch.int64), x))


class Map(torch.nn.Module):
    def forward(self, xs, y):
        from torch._higher_order_ops.map import map as map_op

        return map_op(lambda x, y: x.sin() + y, xs, y)


class Scan(torch.nn.Module):
    def forward(self, init, xs):
        from torch._higher_order_ops.scan import scan

        def step(carry, x):
            total = carry + x
            return total, total * 2

        return scan(step, init, xs, dim=0)


class AssociativeScan(torch.nn.Module):
    def forward(self, x):
        from torch._higher_order_ops.associative_scan import associative_scan

        return associative_scan(
            lambda a, b: a * 0.5 + b, x, 0, combine_mode="generic"
        )


class Vmap(torch.nn.Module):
    """vmap as transformers uses it for masks, and over a dimension that moves."""

    def forward(self, x):
        mask = torch.vmap(
            torch.vmap(lambda i, j: j <= i, in_dims=(None, 0)), in_dims=(0, None)
        )(x[:, 0], x[:, 1])
        return mask, torch.vmap(lambda a: a.sin(), in_dims=1, out_dims=-1)(x)


class Autocast(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.linear(x)
            with torch.autocast("cpu", enabled=False):
                z = self.linear(x)
        return y, z, self.linear(x)


class NoGrad(torch.nn.Module):
    def forward(self, x):
        with torch.no_grad():
            y = x * 2
            with torch.enable_grad():
                y = y + x
        return y.sin()


HIGHER_ORDER = {
    "cond": (Cond, lambda: (torch.randn(3), torch.tensor(True))),
    "cond_false": (Cond, lambda: (torch.randn(3), torch.tensor(False))),
    "while_loop": (WhileLoop, lambda: (torch.randn(3), torch.tensor([2, 3]))),
    "while_loop_never": (WhileLoop, lambda: (torch.randn(3), torch.tensor([-1]))),
    "map": (Map, lambda: (torch.randn(4, 3), torch.randn(3))),
    "scan": (Scan, lambda: (torch.randn(3), torch.randn(5, 3))),
    "associative_scan": (AssociativeScan, lambda: (torch.randn(7, 3),)),
    "vmap": (Vmap, lambda: (torch.randn(4, 3),)),
    "autocast": (Autocast, lambda: (torch.randn(2, 4),)),
    "no_grad": (NoGrad, lambda: (torch.randn(2, 4),)),
}


@pytest.mark.parametrize("decomposed", [False, True], ids=["training", "decomposed"])
@pytest.mark.parametrize("name", sorted(HIGHER_ORDER))
def test_higher_order(name, decomposed, tmp_path):
    make, inputs = HIGHER_ORDER[name]
    check(make(), inputs(), decomposed=decomposed, folder=tmp_path)


# --- Quantization -----------------------------------------------------------


class Quantized(torch.nn.Module):
    """Every quantized_decomposed operator on one input. The program is compiled as a whole only
    without choose_qparams_per_token, whose shape function gives another dtype than its kernel."""

    def __init__(self, per_token):
        super().__init__()
        self.per_token = per_token

    def forward(self, x, scales, zeros):
        q = torch.ops.quantized_decomposed
        out = []
        for dtype, low, high in [
            (torch.uint8, 0, 255),
            (torch.int8, -128, 127),
            (torch.int8, -127, 127),
            (torch.int16, -32768, 32767),
            (torch.int32, -(2**31), 2**31 - 1),
        ]:
            y = q.quantize_per_tensor.default(x, 0.03, 5, low, high, dtype)
            out += [y, q.dequantize_per_tensor.default(y, 0.03, 5, low, high, dtype)]
        scale, zero = q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)
        out += [scale, zero]
        y = q.quantize_per_tensor.tensor(x, scale, zero, -128, 127, torch.int8)
        out += [
            y,
            q.dequantize_per_tensor.tensor(
                y, scale, zero, -128, 127, torch.int8, out_dtype=torch.float64
            ),
        ]
        out += q.choose_qparams_symmetric.tensor(x, -127, 127, 1e-6, torch.int8)
        y = q.quantize_per_channel.default(x, scales, zeros, 1, -128, 127, torch.int8)
        out += [
            y,
            q.dequantize_per_channel.default(
                y, scales, zeros, 1, -128, 127, torch.int8
            ),
            q.dequantize_per_channel.default(y, scales, None, 1, -128, 127, torch.int8),
        ]
        if self.per_token:
            out += q.choose_qparams_per_token.default(x, torch.int8)
        s, z = q._choose_qparams_per_token_asymmetric_impl.default(x, torch.int8)
        out += [s, z]
        y = q.quantize_per_token.default(x, s, z, -128, 127, torch.int8)
        out += [
            y,
            q.dequantize_per_token.default(
                y, s, z, -128, 127, torch.int8, torch.float32
            ),
        ]
        s = x.abs().reshape(x.shape[0], -1, 2).amax(-1) / 7 + 0.01
        z = torch.zeros_like(s)
        y = q.quantize_per_channel_group.default(x, s, z, -8, 7, torch.int8, 2)
        out += [
            y,
            q.dequantize_per_channel_group.default(
                y, s, z, -8, 7, torch.int8, 2, torch.float32
            ),
            q.fake_quant_per_channel.default(
                x, scales, zeros.to(torch.int32), 1, -128, 127
            ),
        ]
        return out


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_quantization_parameters_of_no_range(value, tmp_path):
    import torch.ao.quantization.fx._decomposed  # noqa: F401  registers the operators

    def choose(x):
        q = torch.ops.quantized_decomposed
        affine = q.choose_qparams.tensor(x, -128, 127, 1e-6, torch.int8)
        return affine + q.choose_qparams_symmetric.tensor(x, -127, 127, 1e-6, torch.int8)

    inputs = (torch.tensor([1.0, value]),)
    program = exporting.export(Function(choose), inputs)
    exporting.save(program, tmp_path / "m.pt2")
    got = harness.run(tmp_path / "m.pt2", (inputs, {}), tmp_path, choose(*inputs), "--interpret")
    harness.compare(got, choose(*inputs))


@pytest.mark.parametrize("kind", ["normal", "large", "zero", "positive"])
def test_quantized_decomposed(kind, tmp_path):
    import torch.ao.quantization.fx._decomposed  # noqa: F401  registers the operators

    torch.manual_seed(1)
    x = torch.randn(5, 8)
    x = {"normal": x, "large": x * 1e4, "zero": x * 0, "positive": x.abs()}[kind]
    scales, zeros = torch.rand(8) + 0.01, torch.randint(-5, 5, (8,))
    for per_token in (False, True):
        check(Quantized(per_token), (x, scales, zeros), folder=tmp_path)


# --- Errors -----------------------------------------------------------------


def error_of(module, args, tmp_path, bad, dynamic=None):
    program = exporting.export(module, args, dynamic=dynamic)
    exporting.save(program, tmp_path / "m.pt2")
    with pytest.raises(harness.ToolError) as caught:
        harness.run(tmp_path / "m.pt2", (bad, {}), tmp_path, None, "--interpret")
    assert not list((tmp_path / "out").glob("*")) if (tmp_path / "out").exists() else True
    return str(caught.value)


def test_out_of_range(tmp_path):
    message = error_of(
        Function(lambda x: x + 1),
        (torch.randn(4, 3),),
        tmp_path,
        (torch.randn(17, 3),),
        dynamic={"args": ({0: Dim("batch", max=16)},)},
    )
    assert "dimension 0: expected s" in message and "16], got 17" in message


def test_wrong_shape(tmp_path):
    message = error_of(
        Function(lambda x: x + 1), (torch.randn(4, 3),), tmp_path, (torch.randn(4, 2),)
    )
    assert "dimension 1: expected 3, got 2" in message


def test_runtime_assertion(tmp_path):
    message = error_of(
        DataDependent(), (torch.randn(6), torch.tensor(4)), tmp_path,
        (torch.randn(6), torch.tensor(7)),
    )
    assert "test_interpreter.py" in message  # the user's line

"""Integer weights that `forward` dequantizes by plain arithmetic, compared with eager PyTorch.
Large weights stay integers in the compiled model."""

import json

import dequantized_weights as weights
import exporting
import fx_mlir
import harness
import pytest
import torch
from dequantized_weights import BF16, F16, F32, STYLES, TRAPS
from quantized import Q
from torch import nn
from torch.export import Dim


class Several(nn.Module):
    """Independent layers, each with its own input."""

    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)

    def forward(self, xs):
        return [layer(x) for layer, x in zip(self.layers, xs, strict=True)]


class Parallel(nn.Module):
    """Layers with one input."""

    def __init__(self, names, k=512, n=512):
        super().__init__()
        self.layers = nn.ModuleList(STYLES[name].make(k, n).eval() for name in names)

    def forward(self, x):
        return [layer(x) for layer in self.layers]


def build(module, args, folder, **options) -> dict:
    """Compiles the module without fallbacks to m.native.so, and returns the report. The options are
    those of the export."""
    model = folder / "m.pt2"
    exporting.save(exporting.export(module, args, **options), model)
    report = folder / "report.json"
    flags = ["--no-fallback", "--report", report]
    result = harness.tool("fx-compile", model, "-o", folder / "m.native.so", *flags)
    if result.returncode:
        raise harness.ToolError(f"fx-compile ended with {result.returncode}: {result.stderr}")
    return json.loads(report.read_text())


def check(module, args, folder, *, others=(), interpret=False, **options) -> dict:
    """Compares all outputs for the arguments, and for others, with eager. Returns the report."""
    report = build(module, args, folder, **options)
    for k, inputs in enumerate([args, *others]):
        want = exporting.eager(module, inputs)
        got = harness.run(folder / "m.native.so", (inputs, {}), folder / f"{k}", want)
        harness.compare(got, want)
        if interpret:
            got = harness.run(folder / "m.pt2", (inputs, {}), folder / f"i{k}", want, "--interpret")
            harness.compare(got, want)
    return report


def check_each(cases: dict, folder, interpret=False, special=False) -> dict:
    """Compares layers, (module, input) by name, in one program. If there is no such program, it
    tests each layer alone. The error names all layers that differ. If `special`, an infinity or a
    NaN may be another one: zero points multiply the sums of activations."""
    layers, xs = zip(*cases.values())
    whole = Several(layers)
    want = exporting.eager(whole, (list(xs),))
    problems, report = {}, {}
    try:
        report = build(whole, (list(xs),), folder)
        runs = {"native": (folder / "m.native.so", ())}
        if interpret:
            runs["interpret"] = folder / "m.pt2", ("--interpret",)
        for mode, (model, flags) in runs.items():
            got = harness.run(model, ((list(xs),), {}), folder / mode, want, *flags)
            if special:
                got, want = ([t.where(t.isfinite(), torch.nan) for t in ts] for ts in (got, want))
            for name, g, w in zip(cases, got, want, strict=True):
                if text := harness.difference(g, w):
                    problems[name] = f"{mode}: {text}"
    except harness.ToolError as error:
        if len(cases) == 1:
            raise
        problems["all"] = str(error)
        for k, (name, case) in enumerate(cases.items()):
            (alone := folder / f"alone{k}").mkdir()
            try:
                check_each({name: case}, alone, interpret, special)
            except (AssertionError, RuntimeError) as error:
                problems[name] = str(error)
    assert not problems, "\n".join(f"{name}: {text}" for name, text in problems.items())
    return report


@pytest.mark.parametrize("name", STYLES)
def test_styles_keep_integers(name, tmp_path):
    """The styles of libraries and file formats, in f32. The model has integers of four or
    eight bits, and a scale and a zero point for each group."""
    torch.manual_seed(1)
    style = STYLES[name]
    report = check(style.make(style.k, style.n).eval(), (torch.randn(3, style.k),), tmp_path)
    if style.bits:
        assert report["weight_bytes"] <= style.limit(), report["weight_bytes"] / (style.k * style.n)


#: Styles whose scales may have another type than f32.
TYPED = [name for name in STYLES if not name.startswith(("gguf", "per-tensor", "nf4"))]


@pytest.mark.parametrize(
    "part", [0, 1, pytest.param(2, marks=pytest.mark.long), pytest.param(3, marks=pytest.mark.long)]
)
@pytest.mark.parametrize("dtype", [BF16, F16], ids=str)
def test_dtypes_of_small_weights(dtype, part, tmp_path):
    """All computations are in 16 bits, of one row or many."""
    torch.manual_seed(2)
    first = part if dtype == BF16 else 3 - part
    cases = {
        name: (STYLES[name].make(256, 256, dtype=dtype).eval(), torch.randn(rows, 256).to(dtype))
        for name, rows in zip(TYPED[first::4], 20 * [1, 20])
    }
    check_each(cases, tmp_path)


@pytest.mark.parametrize("name", ["gptq4", "awq", "hqq4", "quanto8", "mlx8", "nibbles-minus"])
@pytest.mark.parametrize("dtype", [BF16, F16], ids=str)
def test_few_rows_of_16_bits(dtype, name, tmp_path):
    """Matmuls of bf16 with four rows or fewer have integer weights."""
    torch.manual_seed(3)
    style = STYLES[name]
    k, n = 1024, 512
    layer = style.make(k, n, dtype=dtype).eval()
    rows = 1 if name in ("awq", "quanto8") else 4
    report = check(layer, (torch.randn(rows, k).to(dtype),), tmp_path)
    if dtype == BF16:
        limit = style.limit() / (style.k * style.n)
        assert report["weight_bytes"] <= limit * k * n, report["weight_bytes"] / (k * n)


def test_small_weights(tmp_path):
    """All styles with weights that are not worth integers, in f32, with the interpreter too."""
    torch.manual_seed(4)
    cases = {name: (s.make(256, 256).eval(), torch.randn(2, 256)) for name, s in STYLES.items()}
    check_each(cases, tmp_path, interpret=True)


@pytest.mark.parametrize(
    "names",
    [("gptq4", "hqq4", "awq"), ("quanto8", "mlx4", "gguf-Q4_0"), ("double", "bitnet", "gpt-fast8")],
    ids=str,
)
def test_dynamic_rows(names, tmp_path):
    """The number of rows is not known when the program is compiled."""
    torch.manual_seed(5)

    dynamic = ({0: Dim("rows", min=1, max=300)},)
    others = [(torch.randn(rows, 512),) for rows in (1, 2, 7, 130)]
    report = check(
        Parallel(names), (torch.randn(5, 512),), tmp_path, dynamic=dynamic, others=others
    )
    assert report["weight_bytes"] <= sum(STYLES[name].limit() for name in names)


@pytest.mark.parametrize(
    "names, strict",
    [
        (["gptq4", "gptq3-written"], False),
        (["awq", "quanto8", "quanto4-integer", "gguf-Q4_0"], False),
        (["hqq4", "mlx4", "double", "nibbles-minus"], True),
    ],
    ids=str,
)
def test_decomposed(names, strict, tmp_path):
    """PyTorch's default decompositions, of programs of the strict and the other exporter."""
    torch.manual_seed(17)
    module, x = Parallel(names), torch.randn(2, 512)
    report = check(module, (x,), tmp_path, decomposed=True, strict=strict)
    assert report["weight_bytes"] <= sum(STYLES[name].limit() for name in names)


def test_methods_share_integers(tmp_path):
    """One row in one method, and many in another, read the same integers."""
    torch.manual_seed(18)
    names = ["gptq4", "quanto8", "nibbles-minus"]
    module, inputs = (
        Parallel(names),
        {"decode": torch.randn(1, 512), "prefill": torch.randn(40, 512)},
    )
    programs = {name: exporting.export(module, (x,)) for name, x in inputs.items()}
    model = fx_mlir.compile(programs, no_fallback=True)
    model.save(path := tmp_path / "m.so")
    for name, x in inputs.items():
        harness.compare(getattr(model, name)(x), exporting.eager(module, (x,)))
    assert path.stat().st_size < sum(STYLES[name].limit() for name in names) + 200_000


def test_swapped_weights():
    """Integers, scales and zero points are replaced by others, with more bits, at run time."""
    torch.manual_seed(19)

    class Layer(weights.Buffers):
        def forward(self, x):
            one = nn.functional.linear(x, (self.q.float() - self.z) * self.s)
            groups = (self.q.float().view(512, 8, 64) * self.t).flatten(1)
            return (
                one,
                nn.functional.linear(x, groups),
                nn.functional.linear(x, (self.q - 3).float()),
            )

    def make(most):
        return Layer(
            q=weights.integers(-most - 1, most, 512, 512),
            z=torch.rand(512, 1) * most,
            s=weights.factors(512, 1),
            t=weights.factors(512, 8, 1),
        )

    x, first = torch.randn(2, 512), make(7)
    model = fx_mlir.compile(first, (x,), no_fallback=True, swappable_weights=True)
    for module in (first, make(127), make(1), first):
        model.load_state_dict(module.state_dict())
        harness.compare(list(model(x)), module(x))


@pytest.mark.parametrize("rows", [1, 40])
def test_scales_of_other_types(rows, tmp_path):
    """Scales of f16 and bf16 with rows of f32. Products are of 16 bits, or of f32."""
    torch.manual_seed(6)

    class Widened(nn.Module):
        def __init__(self, layer, scales):
            super().__init__()
            self.layer, self.scales = layer, scales

        def forward(self, x):
            return nn.functional.linear(x, self.layer.weight(self.scales).to(x.dtype))

    cases = {}
    for dtype in (F16, BF16):
        for name in ("quanto8", "quanto4", "hqq4", "gpt-fast4", "double"):
            layer = STYLES[name].make(512, 512, dtype=dtype).eval()
            cases[f"{name}, {dtype}"] = Widened(layer, dtype), torch.randn(rows, 512)
        for name in (
            "rows-128",
            "nibbles-minus",
            "nibbles-float",
            "groups4",
            "bitsandbytes8-before",
        ):
            layer = STYLES[name].make(512, 512, dtype=dtype).eval()
            cases[f"{name}, {dtype}, in f32"] = Widened(layer, F32), torch.randn(rows, 512)
    check_each(cases, tmp_path)


@pytest.mark.parametrize("rows", [1, 3, 33])
def test_gated_block(rows, tmp_path):
    """Layers of three libraries, a norm and activations between them."""
    torch.manual_seed(7)
    report = check(weights.Mlp().eval(), (torch.randn(rows, 512),), tmp_path, interpret=rows == 3)
    assert report["weight_bytes"] < 0.75 * 3 * 512 * 1024


@pytest.mark.parametrize("shape", [(1, 1), (2, 9)], ids=str)
def test_attention(shape, tmp_path):
    """Queries, keys and values are multiplied by parts of a dequantized weight."""
    torch.manual_seed(8)
    check(weights.Attention().eval(), (torch.randn(*shape, 512),), tmp_path)


@pytest.mark.parametrize("form", ["groups", "rows"])
def test_tied_embedding(form, tmp_path):
    """A table of rows and a matmul read one weight."""
    torch.manual_seed(9)
    check(weights.Tied(form=form).eval(), (torch.randint(0, 1024, (2, 3)),), tmp_path)


@pytest.mark.parametrize("rows", [1, 6])
def test_experts(rows, tmp_path):
    torch.manual_seed(10)
    check(weights.Experts().eval(), (torch.randn(rows, 512),), tmp_path)


@pytest.mark.parametrize("rows", [1, 5])
def test_other_users(rows, tmp_path):
    """Operators that read or change a weight that a matmul reads, too."""
    torch.manual_seed(11)
    check(weights.Users().eval(), (torch.randn(rows, 512),), tmp_path)


@pytest.mark.parametrize("which", ["before", "after", "scales"])
def test_mutated_buffers(which):
    """Each call sees the integers and the scales that the last one wrote."""
    torch.manual_seed(12)
    module, x = weights.Mutated(which), torch.randn(2, 512)
    model = fx_mlir.compile(module, (x,), no_fallback=True)
    with torch.no_grad():
        for _ in range(5):
            want = module(x)
            assert not harness.difference(model(x), want)


def test_inputs_are_no_weights(tmp_path):
    """The integers, the scales or the zero points are inputs."""
    torch.manual_seed(13)
    q, s, z = weights.integers(-8, 7, 512, 512), weights.factors(512, 8, 1), torch.rand(512, 8, 1)

    class Layer(weights.Buffers):
        def forward(self, x, q, s, z):
            def weight(q, s, z):
                return ((q.float().view(512, 8, 64) - z) * s).flatten(1)

            mine = self.q, self.s, self.z
            forms = [(q, *mine[1:]), (mine[0], s, mine[2]), (*mine[:2], z), (q, s, z), mine]
            return [nn.functional.linear(x, weight(*form)) for form in forms]

    inputs = weights.integers(-8, 7, 512, 512), s * 2, z - 3
    others = weights.integers(-100, 100, 512, 512), -s * 3, z + 7
    x = torch.randn(3, 512)
    check(Layer(q=q, s=s, z=z), (x, *inputs), tmp_path, others=[(x, *others)])


def test_shared_integers(tmp_path):
    """Layers read the same integers with other scales, groups, signs and layouts."""
    torch.manual_seed(14)

    class Layer(weights.Buffers):
        def forward(self, x):
            q, linear = self.q, nn.functional.linear
            grouped = (q.float().view(512, 8, 64) * self.groups).flatten(1)
            return (
                linear(x, q.float() * self.rows),
                linear(x, grouped),
                linear(x, q.float() - 3),
                x @ (q.float() * self.rows),
                linear(x, q.view(torch.uint8).float() * self.rows),
                linear(x, (q & 15).float() * self.rows),
                linear(x, -(q.float() * self.rows)),
                linear(x.to(BF16), q.to(BF16) * self.rows.to(BF16)),
                linear(x[:1], grouped),
                linear(x, q.view(256, 1024).t().reshape(512, 512).float()),
            )

    buffers = {"rows": weights.factors(512, 1), "groups": weights.factors(512, 8, 1)}
    check(Layer(q=weights.integers(-8, 7, 512, 512), **buffers), (torch.randn(3, 512),), tmp_path)


def test_blocks_across_rows(tmp_path):
    """Blocks of 64 terms in rows of 96: a parameter belongs to the end of a row and to the beginning
    of the next."""

    class Blocks(weights.Buffers):
        def forward(self, x, i):
            q, s, z = self.q.float(), self.scales, self.zeros
            flat = (q * s, (q - z) * 0.1 + 1.0, (q - z) * s, q * 0.1 + z)
            table = ((q - z) * s).reshape(4096, 96)
            return [x @ w.reshape(4096, 96).T for w in flat], nn.functional.embedding(i, table)

    torch.manual_seed(19)
    module = Blocks(q=weights.integers(-128, 127, 6144, 64), scales=weights.factors(6144, 1),
                    zeros=torch.rand(6144, 1) * 9)  # fmt: skip
    check(module, (torch.randn(3, 96), torch.tensor([0, 5, 4095])), tmp_path)


def test_operands_that_wrap_around(tmp_path):
    """Numbers are converted to the dtype of the other operand first: the result has other bounds."""

    class Wraps(weights.Buffers):
        def forward(self, x):
            parts = (self.i8 % 128) >> 3, self.u8 // 258, self.i8 >> 1, self.u8 % 100, (self.i8 & 200) % 7
            scales = self.scales, self.scales.to(torch.float8_e4m3fn).float()
            return [x @ (part.float() * s).T for part in parts for s in scales]

    torch.manual_seed(20)
    module = Wraps(i8=weights.integers(-128, 127, 512, 512),
                   u8=weights.integers(0, 255, 512, 512, dtype=torch.uint8),
                   scales=weights.integers(100, 127, 512, 1))  # fmt: skip
    check(module, (torch.randn(3, 512),), tmp_path)


def test_no_elements(tmp_path):
    """Weights without rows or terms."""

    class Empty(weights.Buffers):
        def forward(self, x, y):
            return x @ (self.q.float() * self.one), y @ (self.q.float().T * self.none)

    module = Empty(q=torch.zeros(4, 0, dtype=torch.int8), one=torch.ones(1), none=torch.ones(0, 1))
    check(module, (torch.randn(2, 4), torch.randn(3, 0)), tmp_path)


@pytest.mark.parametrize("shape", [(512,), (1,), (1, 512), (3, 512), ()], ids=str)
def test_addmm(shape, tmp_path):
    """The first operand of addmm may be broadcast."""

    class Sum(weights.Buffers):
        def forward(self, x):
            return torch.addmm(self.bias, x, self.q.float() * self.columns)

    torch.manual_seed(18)
    layer = Sum(q=weights.integers(-8, 7, 512, 512), columns=weights.factors(1, 512),
                bias=torch.randn(shape))  # fmt: skip
    check(layer, (torch.randn(3, 512),), tmp_path)


@pytest.mark.parametrize("form", ["arithmetic", "rows", "groups"])
@pytest.mark.parametrize("dtype", [F32, BF16], ids=str)
def test_embedding(dtype, form, tmp_path):
    """The table of an embedding is a byte for each integer, also behind operators."""
    torch.manual_seed(17)

    class Table(weights.Buffers):
        def forward(self, i):
            if form == "arithmetic":
                w = (self.q.to(dtype) - self.zeros.to(dtype)) * self.rows.to(dtype)
            elif form == "rows":
                w = Q.dequantize_per_channel.default(
                    self.q, self.rows[:, 0], self.zeros[:, 0], 0, -128, 127, torch.int8).to(dtype)
            else:
                w = Q.dequantize_per_channel_group.default(
                    self.q, self.groups, None, -128, 127, torch.int8, 64, F32).to(dtype)
            return nn.functional.embedding(i, w) * 2

    table = Table(
        q=weights.integers(-128, 127, 1024, 512), rows=weights.factors(1024, 1),
        groups=weights.factors(1024, 8),
        zeros=weights.integers(-9, 9, 1024, 1, dtype=torch.int32))  # fmt: skip
    i = torch.tensor([[0, 1023, 7], [5, 5, 900]])
    report = check(table, (i,), tmp_path, others=[(i[:1],)], dynamic=({0: Dim("n", min=1, max=9)},))
    assert report["weight_bytes"] < 1.15 * 1024 * 512


@pytest.mark.parametrize("family", TRAPS)
def test_traps(family, tmp_path):
    """Arithmetic that looks like the usual, and is not."""
    torch.manual_seed(15)
    cases = {name: case.make() for name, case in TRAPS[family].items()}
    check_each(cases, tmp_path, special="not finite" in family)


@pytest.mark.parametrize("form", ["bytes", "groups", "nibbles"])
@pytest.mark.parametrize("rows", [1, 7])
def test_each_element(form, rows, tmp_path):
    """Inputs with one element that is not 0 show each element of the weight: the error is that of
    f32, relative to the largest elements."""
    torch.manual_seed(16)
    layer = {
        "bytes": lambda: weights.Rows128(512, 512, "rows"),
        "groups": lambda: weights.Gptq(512, 512, 64, 4, order="permuted"),
        "nibbles": lambda: weights.Nibbles(512, 512, 32, "float"),
    }[form]()
    layer._buffers["bias"] = None
    build(layer.eval(), (torch.zeros(rows, 512),), tmp_path)
    model = fx_mlir.compile(layer, (torch.zeros(rows, 512),), no_fallback=True)
    eye = torch.eye(512 // rows * rows, 512)
    got = torch.cat([model(part) for part in eye.split(rows)])
    torch.testing.assert_close(got, layer(eye), rtol=1e-6, atol=5e-7)


#: Layers of a program in test_random.
TOGETHER = 10


@pytest.mark.parametrize(
    "seed", [pytest.param(s, marks=[] if s < 4 else [pytest.mark.long]) for s in range(60)]
)
def test_random(seed, tmp_path):
    """Random layers: bits, types, ways to unpack, groups, zero points, layouts and shapes."""
    cases = {}
    for i in range(seed * TOGETHER, (seed + 1) * TOGETHER):
        layer = weights.draw(i).eval()
        cases[f"{i}: {layer!r}"] = layer, layer.sample
    check_each(cases, tmp_path)

"""The operators of torch._prims, which LibTorch lacks, compared with torch's own."""

import exporting
import harness
import leaves
import pytest
import torch

prims = torch.ops.prims
CPU = torch.device("cpu")
F32 = {"dtype": torch.float32, "device": CPU, "requires_grad": False}
I64 = F32 | {"dtype": torch.int64}

X = torch.tensor([[0.5, -0.25, 0.75], [0.1, 0.9, -0.6]])
Y = torch.tensor([[1.5, 2.0, -1.0], [0.5, 3.0, 2.0]])
N = torch.tensor([[6, -4, 9], [1, 0, 12]])
M = torch.tensor([[4, 2, 3], [5, 1, 8]])
Z = torch.complex(X, Y)
B = X > 0
ONES = torch.arange(6.0).reshape(1, 2, 1, 3)

FLOAT = "abs acos asin asinh atan atanh bessel_i0 bessel_i0e bessel_i1 bessel_i1e bessel_j0 bessel_j1"
FLOAT += " cbrt ceil cos cosh digamma erf erf_inv erfc erfcx exp exp2 expm1 floor isfinite lgamma neg"
FLOAT += " reciprocal round sign signbit sin sinh spherical_bessel_j0 tan tanh trunc"
POSITIVE = "acosh log log10 log1p log2 ndtri rsqrt sqrt"
FLOATS = "add atan2 div eq fmax fmin fmod ge gt hypot le lt maximum minimum mul ne nextafter"
FLOATS += " remainder sub"
INTS = "add bitwise_and bitwise_or bitwise_xor div gcd mul sub eq"

#: Name, call, inputs.
CASES = [(name, getattr(prims, name), (X,)) for name in FLOAT.split()]
CASES += [(name, getattr(prims, name), (X.abs() + (name == "acosh"),)) for name in POSITIVE.split()]
CASES += [(name, getattr(prims, name), (X, Y)) for name in FLOATS.split()]
CASES += [(name + ".int", getattr(prims, name), (N, M)) for name in INTS.split()]
CASES += [(name, getattr(prims, name), (Y.abs(), X.abs())) for name in ("igamma", "igammac", "pow")]
CASES += [
    ("zeta", prims.zeta, (Y.abs() + 1.5, X.abs())),
    ("bitwise_not", prims.bitwise_not, (N,)),
    ("conj_physical", prims.conj_physical, (Z,)),
    ("shift_left", prims.shift_left, (N, M)),
    ("shift_right_arithmetic", prims.shift_right_arithmetic, (N, M)),
    ("abs.complex", prims.abs, (N,)),
    ("as_strided", lambda x: prims.as_strided(x, [2, 2], [1, 2], 1).clone(), (X,)),
    (
        "as_strided_scatter",
        lambda x, y: prims.as_strided_scatter(x, y, [3], [2], 0),
        (X, Y[0]),
    ),
    ("broadcast_in_dim", lambda x: prims.broadcast_in_dim(x, [2, 4, 3], [0, 2]) + 1, (X,)),
    ("cat", lambda x, y: prims.cat([x, y], 1), (X, Y)),
    ("clone", prims.clone, (X.t(),)),
    ("collapse", lambda x: prims.collapse(x, 1, 3), (ONES,)),
    ("collapse.transposed", lambda x: prims.collapse(x.transpose(1, 3), 0, 2), (ONES,)),
    ("collapse_view", lambda x: prims.collapse_view(x, 1, 3) + 1, (ONES,)),
    ("conj", lambda z: prims.conj(z) * 2, (Z,)),
    ("convert_element_type", lambda x: prims.convert_element_type(x, torch.int32), (Y,)),
    ("copy_strided", lambda x: prims.copy_strided(x, [1, 2]) + 0, (X,)),
    ("copy_to", lambda x, y: prims.copy_to(x * 1, y), (X, Y)),
    ("device_put", lambda x: prims.device_put(x, CPU) + 1, (X,)),
    ("empty", lambda: prims.fill(prims.empty([2, 3], **F32), 2), ()),
    ("empty_permuted", lambda: prims.fill(prims.empty_permuted([2, 3], [1, 0], **F32), 2), ()),
    ("empty_strided", lambda: prims.fill(prims.empty_strided([2, 3], [1, 2], **F32), 2), ()),
    ("fft_c2c", lambda z: prims.fft_c2c(z, dim=[1], forward=True), (Z,)),
    ("fft_c2r", lambda z: prims.fft_c2r(z, dim=[1], last_dim_size=4), (Z,)),
    ("fft_r2c", lambda x: prims.fft_r2c(x, dim=[1], onesided=True), (X,)),
    ("fill", lambda x: prims.fill(x, 1.5), (X,)),
    ("frexp", lambda x: tuple(prims.frexp(x)), (Y,)),
    ("full", lambda: prims.full([2, 3], 1.5, **F32), ()),
    ("full_like", lambda x: prims.full_like(x, 3, **I64), (X,)),
    ("imag", lambda z: prims.imag(z) + 1, (Z,)),
    ("iota", lambda: prims.iota(5, start=2, step=3, **I64), ()),
    ("iota.down", lambda: prims.iota(4, start=2, step=-3, **I64), ()),
    ("real", lambda z: prims.real(z) + 1, (Z,)),
    ("reshape", lambda x: prims.reshape(x.t(), [2, 3]), (X,)),
    ("rev", lambda x: prims.rev(x, [0, 1]), (X,)),
    ("scalar_tensor", lambda: prims.scalar_tensor(2.5, dtype=torch.float64, device=CPU), ()),
    ("split_dim", lambda x: prims.split_dim(x, 0, 3) * 2, (torch.arange(12.0).reshape(6, 2),)),
    ("squeeze", lambda x: prims.squeeze(x, [0, 2]) * 2, (ONES,)),
    ("svd", lambda x: prims.svd(x, full_matrices=False)[1], (X,)),
    ("transpose", lambda x: prims.transpose(x, [1, 0]) * 2, (X,)),
    ("view_of", lambda x: prims.view_of(x) * 2, (X,)),
    ("view_of_dtype", lambda x: prims.view_of_dtype(x, torch.int32) + 1, (X,)),
    ("where", prims.where, (B, X, Y)),
    ("amax", lambda x: prims.amax(x, [1]), (X,)),
    ("amin", lambda x: prims.amin(x, [0, 1]), (X,)),
    ("prod", lambda x: prims.prod(x, [0, 1]), (X,)),
    ("prod.some", lambda x: prims.prod(x, [0]), (X,)),
    ("prod.none", lambda x: prims.prod(x, []), (X,)),
    ("sum", lambda x: prims.sum(x, [1]), (X,)),
    ("var", lambda x: prims.var(x, [1], 1.0), (X,)),
    ("var.correction", lambda x: prims.var(x, [0, 1], 0.0), (X,)),
]

#: Operators without a case: `xor_sum` has no kernel in torch either, tokens are not tensors of a
#: program, and the values of the rest are random or become constants of the graph.
NOT_CALLED = {"xor_sum", "_make_token", "_sink_tokens", "normal", "uniform"}
NOT_CALLED |= {"item", "maximum_value", "minimum_value", "resize"}


class Calls(torch.nn.Module):
    def __init__(self, cases):
        super().__init__()
        self.functions = [function for _, function, _ in cases]

    def forward(self, inputs):
        return [function(*args) for function, args in zip(self.functions, inputs, strict=True)]


@pytest.mark.parametrize("mode", ["interpret", "compiled"])
def test_prims(tmp_path, mode):
    # Torch's shape function for signbit returns the operand's dtype instead of bool.
    cases = CASES if mode == "interpret" else [case for case in CASES if case[0] != "signbit"]
    inputs = ([args for _, _, args in cases],)
    module = Calls(cases)
    program = exporting.export(module, inputs)
    left = {str(node.target) for node in program.graph.nodes}
    exporting.save(program, tmp_path / "m.pt2")
    expected = exporting.eager(module, inputs)
    flags = harness.MODES[mode]
    got = harness.run(tmp_path / "m.pt2", (inputs, {}), tmp_path, expected, *flags)
    names = [
        name
        for (name, _, _), want in zip(cases, expected, strict=True)
        for _ in (want if isinstance(want, tuple) else [want])
    ]
    flat = [
        t for want in expected for t in (want if isinstance(want, tuple) else [want])
    ]
    problems = [
        f"{name}: {problem}"
        for name, g, w in zip(names, got, flat, strict=True)
        if (problem := harness.difference(g, w))
    ]
    assert not problems, "\n".join(problems)
    assert sum(target.startswith("prims.") for target in left) > 100


def test_all_prims_have_a_case():
    schemas = harness.ROOT / "lib/Operators/schemas/torch-2.13.txt"
    known = {
        line.split("(")[0].removeprefix("prims::")
        for line in schemas.read_text().splitlines()
        if line.startswith("prims::")
    }
    assert known - {name.split(".")[0] for name, _, _ in CASES} == NOT_CALLED


REFUSED = [
    ("collapse", "%r = call_function @prims.collapse.default(%x, 1, 2)", "end"),
    ("split_dim", "%r = call_function @prims.split_dim.default(%x, 0, 4)", "outer_length"),
    ("squeeze", "%r = call_function @prims.squeeze.default(%x, [0])", "expected the size 1"),
    (
        "broadcast_in_dim",
        "%r = call_function @prims.broadcast_in_dim.default(%x, [2, 3], [1, 0])",
        "ascending",
    ),
]


@pytest.mark.parametrize("name, call, message", REFUSED, ids=[name for name, _, _ in REFUSED])
def test_refused(tmp_path, name, call, message):
    """Arguments that torch rejects and ATen accepts."""
    (tmp_path / "m.mlir").write_text(
        "fx.graph @main attributes {functional} {\n"
        '  %x = placeholder "x" : !fx.tensor<[2, 3], f32>\n'
        f"  {call} : (!fx.tensor<[2, 3], f32>) -> !fx.any\n"
        "  output(%r) : (!fx.any)\n}\n"
    )
    leaves.save_inputs(tmp_path / "in", (X,), {})
    args = ["--interpret", "--inputs", tmp_path / "in", "--outputs", tmp_path / "out"]
    result = harness.tool("fx-run", tmp_path / "m.mlir", *args)
    assert result.returncode == 1, result.stderr
    assert message in result.stderr

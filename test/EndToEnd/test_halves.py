"""Matmuls and convolutions of bf16 and f16, and --precision=bf16: exact where no rounding can
occur, and close to float64 elsewhere. CPUs with AVX512-BF16 multiply pairs of terms."""

import fx_mlir
import harness
import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils import _pytree as pytree


class MatMul(nn.Module):
    def __init__(self, k, n, order):
        super().__init__()
        shape = {"nk": (n, k), "kn": (k, n), "strided": (n, 2, k // 2)}[order]
        self.weight = nn.Parameter(torch.randint(-2, 3, shape).float())
        self.order = order

    def forward(self, x):
        if self.order == "nk":
            return F.linear(x, self.weight)
        if self.order == "kn":
            return x @ self.weight
        return x @ self.weight.permute(2, 1, 0).reshape(x.shape[1], -1)


def same(module, *inputs, **options):
    """Compiles the module and expects eager's results to the bit."""
    module.eval()
    got = fx_mlir.compile(module, inputs, no_fallback=True, **options)(*inputs)
    with torch.no_grad():
        torch.testing.assert_close(got, module(*inputs), rtol=0, atol=0)


@pytest.mark.parametrize("precision", ["bf16", "f16", "lowered"])
@pytest.mark.parametrize("order", ["nk", "kn", "strided"])
@pytest.mark.parametrize(
    "m, k, n", [(12, 768, 96), (7, 130, 77), (5, 66, 33), (16, 32, 40), (1, 34, 64), (9, 16, 31), (3, 6, 200)]
)
def test_small_integers(m, k, n, order, precision):
    """Sums of small integers are exact in every order of the terms."""
    torch.manual_seed(m + k + n)
    dtype = {"bf16": torch.bfloat16, "f16": torch.float16}.get(precision, torch.float32)
    x = torch.randint(-2, 3, (m, k)).to(dtype)
    options = {"precision": "bf16"} if precision == "lowered" else {}
    same(MatMul(k, n, order).to(dtype), x, **options)


@pytest.mark.parametrize("k", [64, 6, 5])
@pytest.mark.parametrize("transposed", [False, True])
def test_two_inputs(k, transposed):
    """The right operand is packed in each run."""

    class Module(nn.Module):
        def forward(self, x, y):
            return x @ (y.mT if transposed else y)

    torch.manual_seed(k)
    x = torch.randint(-2, 3, (2, 33, k)).bfloat16()
    same(Module(), x, torch.randint(-2, 3, (2, 77, k) if transposed else (2, k, 77)).bfloat16())


@pytest.mark.parametrize("groups, channels", [(1, 8), (1, 3), (2, 8), (8, 8)])
@pytest.mark.parametrize("lowered", [False, True])
def test_convolution(groups, channels, lowered):
    torch.manual_seed(channels)
    conv = nn.Conv2d(channels, 40, 3, stride=2, padding=1, groups=groups)
    x = torch.randint(-2, 3, (2, channels, 9, 11)).float()
    for p in conv.parameters():
        p.data = torch.randint(-2, 3, p.shape).float()
    if lowered:
        same(conv, x, precision="bf16")
    else:
        same(conv.bfloat16(), x.bfloat16())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_bias_is_added_before_rounding(dtype):
    """One rounding, as in PyTorch: the error of a result is half a unit in the last place."""
    torch.manual_seed(0)
    x, w, b = torch.randn(16, 64).to(dtype), torch.randn(48, 64).to(dtype), torch.randn(48).to(dtype)
    linear = nn.Linear(64, 48).to(dtype)
    linear.weight.data, linear.bias.data = w, b

    class Module(nn.Module):
        def forward(self, x, w, b):
            return (
                torch.addmm(b, x, w.T, beta=0.5, alpha=3),
                torch.baddbmm(b, x[None], w.T[None]),
                torch.addmv(b, w, x[0]),
            )

    exact = (0.5 * b.double() + 3 * (x.double() @ w.double().T), F.linear(*map(torch.Tensor.double, (x, w, b))))
    exact = (*exact, exact[1])
    got = fx_mlir.compile(Module(), (x, w, b), no_fallback=True)(x, w, b)
    got = (got[0], fx_mlir.compile(linear, (x,), no_fallback=True)(x), got[1][0])
    unit = torch.finfo(dtype).eps
    for value, want in zip(got, exact):
        # The sum in f32 has an error of its own.
        assert ((value.double() - want).abs() <= 0.5 * unit * want.abs() * 1.01 + 1e-5).all()


def test_lowered_precision_of_a_model():
    """bf16 operands with f32 sums: the error is that of rounding the operands once."""

    class Module(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(3, 32, 3, padding=1)
            self.norm = nn.BatchNorm2d(32)
            self.linear = nn.Linear(32 * 16, 64)
            self.attention = nn.MultiheadAttention(64, 4, batch_first=True)

        def forward(self, x):
            x = F.relu(self.norm(self.conv(x))).flatten(2).transpose(1, 2).reshape(x.shape[0], -1, 512)
            x = F.gelu(self.linear(x))
            return x + self.attention(x, x, x, need_weights=False)[0]

    torch.manual_seed(0)
    module, x = Module().eval(), torch.randn(2, 3, 16, 16)
    with torch.no_grad():
        exact = module.double()(x.double())
    module.float()
    rms = exact.pow(2).mean().sqrt()
    errors = {}
    for precision in ("f32", "bf16"):
        got = fx_mlir.compile(module, (x,), no_fallback=True, precision=precision)(x)
        assert got.dtype == torch.float32
        errors[precision] = ((got - exact).pow(2).mean().sqrt() / rms).item()
    assert errors["f32"] < 2e-6
    assert 1e-4 < errors["bf16"] < 1e-2


def test_unknown_precision():
    with pytest.raises(fx_mlir.Error, match="expected the precision f32, tf32, bf16, int8 or bf16,int8, got 'f8'"):
        fx_mlir.compile(nn.ReLU(), (torch.ones(2),), precision="f8")


MATMULS = """mm addmm bmm baddbmm addbmm matmul mv addmv einsum inner tensordot linalg.multi_dot
    nn.functional.linear nn.functional.bilinear nn.functional.scaled_dot_product_attention
    nn.functional.conv1d nn.functional.conv2d nn.functional.conv3d nn.functional.conv_transpose1d
    nn.functional.conv_transpose2d nn.functional.conv_transpose3d""".split()


@pytest.mark.parametrize("count", [4, pytest.param(40, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", MATMULS)
def test_operator_database(name, count):
    """PyTorch's own samples in bf16: errors against float64 are those of eager, or below."""
    from torch.testing._internal.common_methods_invocations import op_db

    op = next(op for op in op_db if op.name == name)

    def double(tree):
        return pytree.tree_map(
            lambda x: x.double() if isinstance(x, torch.Tensor) and x.is_floating_point() else x, tree
        )

    samples = [s for s in op.sample_inputs("cpu", torch.bfloat16) if not s.kwargs.get("dropout_p")]
    # The last samples have the more unusual arguments.
    for sample in samples[: count // 2] + samples[count // 2 :][-count // 2 :]:

        class Module(nn.Module):
            def forward(self, *args):
                return op(*args, **sample.kwargs)

        args = (sample.input, *sample.args)
        program = torch.export.export(Module(), args)
        exact = op(*double(args), **double(sample.kwargs))
        eager, got = program.module()(*args), fx_mlir.compile(program)(*args)
        assert got.shape == eager.shape and got.dtype == eager.dtype
        finite = torch.isfinite(exact)
        assert torch.equal(finite, torch.isfinite(got))
        if finite.any():
            scale = exact[finite].pow(2).mean().sqrt()
            allowed = 2 * (eager.double() - exact)[finite].abs().max() + 1e-2 * scale
            assert (got.double() - exact)[finite].abs().max() <= allowed


class CacheAttention(nn.Module):
    """A prompt beside a cache whose last positions are hidden."""

    def forward(self, q, k, v, position):
        seen = torch.arange(k.shape[2]) <= position[:, None]
        return F.scaled_dot_product_attention(q, k, v, attn_mask=seen)


@pytest.mark.parametrize("dynamic", [False, True])
def test_attention_over_a_cache(dynamic, tmp_path):
    """Its kernel leaves out hidden keys, and rounds the others itself: no kernel stores a rounded
    cache."""
    torch.manual_seed(0)
    q, k, v = torch.randn(1, 4, 20, 32), torch.randn(1, 4, 96, 32), torch.randn(1, 4, 96, 32)
    inputs = (q, k, v, torch.arange(20))
    tokens = torch.export.Dim("tokens", min=2, max=64)
    shapes = ({2: tokens}, None, None, {0: tokens}) if dynamic else None
    program = torch.export.export(CacheAttention(), inputs, dynamic_shapes=shapes)
    got = fx_mlir.compile(program, no_fallback=True, precision="bf16")(*inputs)
    torch.testing.assert_close(got, CacheAttention()(*inputs), rtol=1e-2, atol=1e-2)
    torch.export.save(program, tmp_path / "m.pt2")
    flags = ["--precision=bf16", "--emit=kernels", "-o", tmp_path / "m.mlir"]
    result = harness.tool("fx-compile", tmp_path / "m.pt2", *flags)
    assert result.returncode == 0, result.stderr
    text = (tmp_path / "m.mlir").read_text()
    assert "#fx_kernel.attention" in text and "96x32xbf16" not in text


def test_residual_sums_are_stored_once():
    """The sum of a residual block is rounded for the next convolution and for the next sum. The
    error stays that of bf16, and sums that are results are not rounded."""

    class Blocks(nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = nn.ModuleList(nn.Conv2d(32, 32, 3, padding=1) for _ in range(4))

        def forward(self, x):
            x = torch.relu(self.convs[0](x))
            for conv in self.convs[1:]:
                x = torch.relu(conv(x) + x)
            return x, x.mean((2, 3))

    torch.manual_seed(0)
    module, x = Blocks().eval(), torch.randn(1, 32, 14, 14)
    exact = [y.double() for y in module(x)]
    got = fx_mlir.compile(module, (x,), no_fallback=True, precision="bf16")(x)
    for y, want in zip(got, exact):
        error = ((y - want).pow(2).mean() / want.pow(2).mean()).sqrt()
        assert 1e-4 < error < 6e-3, error
    assert (got[0].bfloat16().float() != got[0]).float().mean() > 0.5

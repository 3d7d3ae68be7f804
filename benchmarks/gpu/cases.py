"""The cases of the benchmark of GPUs: single kernels here, models in nets.py.

Needs only torch and the package `models` (test/EndToEnd/models) of the project.
"""

import dataclasses
import zlib
from collections.abc import Callable

import data
import torch
import torch.ao.quantization.fx._decomposed  # noqa: F401, defines operators
from torch import nn
from torch.nn import functional as F

HALF, F16, F32 = torch.bfloat16, torch.float16, torch.float32
FLOAT8 = torch.float8_e4m3fn


@dataclasses.dataclass
class Case:
    """One program. The functions take a bool: true for small sizes, which an emulated GPU can run.

    build    makes the module; its weights are set later
    inputs   makes its (args, kwargs) on the host
    work     returns the floating-point operations ("FLOP") or the bytes that must move ("B")
    folds    batch norms are folded into convolutions, fx-compile's default
    dtype    the dtype of a model's weights and computations
    tf32     eager is also measured with TF32
    rounds   operands of matmuls and convolutions are rounded to TF32, by all that run the case
    """

    build: Callable[[bool], nn.Module]
    inputs: Callable[[bool], tuple[tuple, dict]]
    work: Callable[[bool], tuple[float, str]] | None = None
    folds: bool = True
    dtype: torch.dtype = F32
    tf32: bool = False
    rounds: bool = False


class Function(nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args):
        return self.function(*args)


@dataclasses.dataclass
class Spec:
    """An argument: a tensor of numbers multiplied by `scale`, whose data begin `offset` elements
    after the start of its memory, or of integers below `high`."""

    shape: tuple
    dtype: torch.dtype = F32
    scale: float = 1.0
    offset: int = 0
    high: int = 0

    def make(self, seed: int) -> torch.Tensor:
        if self.high:
            made = data.integers(seed, self.high, *self.shape)
            return made if self.dtype.is_floating_point else made.to(self.dtype)
        count = torch.Size(self.shape).numel()
        flat = data.normal(seed, count + self.offset, dtype=self.dtype, scale=self.scale)
        return flat[self.offset:].reshape(self.shape)


def make_inputs(name: str, specs) -> tuple:
    """Makes the arguments, each with its own seed."""
    return tuple(spec.make(zlib.crc32(f"{name}.{i}".encode()) >> 8)
                 for i, spec in enumerate(specs))


def rounded(case: Case) -> Case:
    return dataclasses.replace(case, tf32=False, rounds=True)


def function(name: str, call, full: list, small: list | None = None, work=None, tf32=False) -> Case:
    """Makes a case of a function of tensors. `full` and `small` are lists of Spec; `work` takes
    their shapes."""
    small = small or full

    def specs(is_small):
        return small if is_small else full

    return Case(lambda is_small: Function(call),
                lambda is_small: (make_inputs(name, specs(is_small)), {}),
                work and (lambda is_small: work(*[s.shape for s in specs(is_small)])), tf32=tf32)


def _bytes(reads: int, size: int = 4):
    """Returns the work of a function that reads or writes its first argument `reads` times."""
    return lambda x, *rest: (float(reads * size * torch.Size(x).numel()), "B")


def _flops(x, y, *rest):
    """Returns the work of a matmul of (..., m, k) and (k, n)."""
    return 2.0 * torch.Size(x).numel() * y[-1], "FLOP"


def _rows(name, call, dtype=F32, reads=2, full=(16384, 4096), small=(3, 70)) -> Case:
    return function(name, call, [Spec(full, dtype)], [Spec(small, dtype)],
                    _bytes(reads, dtype.itemsize))


def _product(name, m, n, k, dtype=F32, small=None) -> Case:
    sm, sn, sk = small or ((65, 63, 17) if dtype == F32 else (130, 72, 136))
    return function(name, torch.mm, [Spec((m, k), dtype), Spec((k, n), dtype)],
                    [Spec((sm, sk), dtype), Spec((sk, sn), dtype)], _flops, tf32=dtype == F32)


def _linear(name, m, n, k, dtype=HALF, small=(130, 72, 136), call=None) -> Case:
    """Makes a case of a linear layer with a weight of shape (n, k), fused with a bias and GELU."""
    call = call or (lambda x, w, b: F.gelu(F.linear(x, w, b)))

    def specs(m, n, k):
        return [Spec((m, k), dtype), Spec((n, k), dtype, 2.0 ** -5), Spec((n,), dtype)]

    return function(name, call, specs(m, n, k), specs(*small),
                    lambda x, w, b: (2.0 * x[0] * x[1] * w[0], "FLOP"), tf32=dtype == F32)


def _scaled(name, m, n, k, fast, small=(130, 80, 144)) -> Case:
    """Makes a case of a matmul of float8_e4m3fn with scales of tensors and a result of bf16."""
    def call(x, w, scale):
        if x.dtype != FLOAT8:  # the reference
            return (x @ w.t()) * scale * scale
        return torch._scaled_mm(x, w.t(), scale, scale, use_fast_accum=fast, out_dtype=HALF)

    def specs(m, n, k):
        return [Spec((m, k), FLOAT8), Spec((n, k), FLOAT8), Spec((), F32)]

    return function(name, call, specs(m, n, k), specs(*small),
                    lambda x, w, scale: (2.0 * x[0] * x[1] * w[0], "FLOP"))


class QuantizedLinear(nn.Module):
    """A linear layer of integers: of 8 bits with a scale for each row, or of 4 bits with one for
    each `size` terms of a row."""

    def __init__(self, name: str, n: int, k: int, size: int):
        super().__init__()
        half = 8 if size else 128
        q = data.integers(zlib.crc32(name.encode()), 2 * half, n, k) - half
        self.register_buffer("q", q.to(torch.int8))
        self.register_buffer("scales", torch.empty(n, k // size if size else 1))
        self.size = size

    def forward(self, x):
        if not self.size:
            return F.linear(x, self.q.to(x.dtype)) * self.scales[:, 0]
        if x.dtype == torch.float64:  # the reference
            weight = self.q.unflatten(1, (-1, self.size)).double() * self.scales[..., None]
            return F.linear(x, weight.flatten(1))
        weight = torch.ops.quantized_decomposed.dequantize_per_channel_group(
            self.q, self.scales.float(), None, -8, 7, torch.int8, self.size, torch.float32)
        return F.linear(x, weight.to(x.dtype))


def _quantized(name, m, n, k, size) -> Case:
    """Makes a case of bf16. The bytes are those of the integers and scales."""
    def sizes(is_small):
        return (1, 40, 128) if is_small else (m, n, k)

    def inputs(is_small):
        rows, _, terms = sizes(is_small)
        return make_inputs(name, [Spec((rows, terms), HALF)]), {}

    def work(is_small):
        _, n, k = sizes(is_small)
        return (n * k / 2 + 2.0 * n * k / size if size else 1.0 * n * k), "B"

    return Case(lambda is_small: QuantizedLinear(name, *sizes(is_small)[1:], size), inputs, work,
                dtype=HALF)


def _moves() -> dict[str, Case]:
    """Copies by indices, of parts, and of the largest elements."""
    vocabulary, rows, width = 32000, 16384, 4096
    return {
        "embedding_bf16": function(
            "embedding_bf16", lambda i, w: F.embedding(i, w),
            [Spec((rows,), high=vocabulary), Spec((vocabulary, width), HALF)],
            [Spec((5,), high=30), Spec((30, 24), HALF)], lambda i, w: (4.0 * i[0] * w[1], "B")),
        "cat_bf16": function(
            "cat_bf16", lambda x, y: torch.cat([x, y], -1), [Spec((rows, width // 2), HALF)] * 2,
            [Spec((3, 24), HALF)] * 2, lambda x, y: (8.0 * x[0] * x[1], "B")),
        "argmax_bf16": function(
            "argmax_bf16", lambda x: x.argmax(-1), [Spec((64, 128256), HALF)],
            [Spec((3, 700), HALF)], lambda x: (2.0 * x[0] * x[1], "B")),
        "int_mm_4096": function(
            "int_mm_4096", lambda x, w: torch._int_mm(x, w.t()),
            [Spec((4096, 4096), torch.int8, high=128)] * 2,
            [Spec((136, 80), torch.int8, high=128), Spec((72, 80), torch.int8, high=128)],
            lambda x, w: (2.0 * x[0] * x[1] * w[0], "FLOP")),
    }


def attend(is_causal):
    return lambda q, k, v, *mask: F.scaled_dot_product_attention(
        q, k, v, *mask, is_causal=is_causal, enable_gqa=q.shape[1] != k.shape[1])


def _attention(name, full, small, dtype=HALF, causal=True) -> Case:
    """Makes a case. Sizes are (batch, heads, heads of keys, queries, keys, size of a head)."""
    def specs(b, h, kv, n, m, d):
        return [Spec((b, h, n, d), dtype), Spec((b, kv, m, d), dtype), Spec((b, kv, m, d), dtype)]

    def work(q, k, v):
        b, h, n, d = q
        return 4.0 * b * h * n * k[2] * d * (0.5 if causal and n > 1 else 1.0), "FLOP"

    return function(name, attend(causal), specs(*full), specs(*small), work)


def _bounded(q, k, v, offset):
    """The queries see a quarter of the keys and up to seven more: a cache that is filled in part."""
    seen = torch.arange(k.shape[2], device=k.device) < k.shape[2] // 4 + offset[:, None]
    return F.scaled_dot_product_attention(q, k, v, seen[:, None, None], enable_gqa=True)


def _paged(q, k, v, table):
    """Keys and values in pages, (pages, positions of a page, heads, size of a head)."""
    k, v = (x[table].flatten(1, 2).transpose(1, 2) for x in (k, v))
    return F.scaled_dot_product_attention(q, k, v, enable_gqa=True)


def _decode_cases() -> dict[str, Case]:
    """Decode steps of 8 sequences, over a quarter of a cache of 16,384, and over 4,096 positions in
    pages of 16. The bytes are those that are read."""
    def bounded(b, h, kv, m, d):
        return [Spec((b, h, 1, d), HALF), Spec((b, kv, m, d), HALF), Spec((b, kv, m, d), HALF),
                Spec((b,), high=7)]

    def paged(b, h, kv, pages, d):
        cache = Spec((b * pages, 16, kv, d), HALF)
        return [Spec((b, h, 1, d), HALF), cache, cache, Spec((b, pages), high=b * pages)]

    def work(share):
        return lambda q, k, *rest: (2.0 * HALF.itemsize * torch.Size(k).numel() * share, "B")

    return {
        "attention_bounded_bf16": function(
            "attention_bounded_bf16", _bounded, bounded(8, 32, 8, 16384, 128),
            bounded(2, 4, 2, 300, 32), work(0.25)),
        "attention_paged_bf16": function(
            "attention_paged_bf16", _paged, paged(8, 32, 8, 256, 128), paged(2, 4, 2, 5, 32),
            work(1.0)),
    }


def _convolution(name, dtype, full, small, **options) -> Case:
    """Makes a case. Sizes are (batch, input channels, height = width, output channels, window)."""
    def specs(b, c, s, k, w):
        return [Spec((b, c, s, s), dtype), Spec((k, c, w, w), dtype, 2.0 ** -4)]

    def work(x, w):
        side = x[2] // options.get("stride", 1)
        return 2.0 * x[0] * side * side * torch.Size(w).numel(), "FLOP"

    return function(name, lambda x, w: F.conv2d(x, w, padding=w.shape[-1] // 2, **options),
                    specs(*full), specs(*small), work, tf32=dtype == F32)


def _channels_last(name, full, small, stride) -> Case:
    """Makes a case of a convolution with padding and ReLU whose tensors are all channels-last, so
    that no layout changes. Sizes are those of `_convolution`."""
    def specs(b, c, s, k, w):
        return [Spec((b, s, s, c), HALF), Spec((w, w, c, k), HALF, 2.0 ** -4)]

    def call(x, w):
        y = F.conv2d(x.permute(0, 3, 1, 2), w.permute(3, 2, 0, 1), stride=stride,
                     padding=w.shape[0] // 2)
        return torch.relu(y).permute(0, 2, 3, 1)

    def work(x, w):
        return 2.0 * x[0] * (x[1] // stride) ** 2 * torch.Size(w).numel(), "FLOP"

    return function(name, call, specs(*full), specs(*small), work)


#: The convolutions of ResNet-50 at batch 16 whose window moves: all with 3 x 3, and one of the
#: shortcuts. By name: channels, side, channels of the result, window, stride.
RESNET = {"conv_resnet_64": (64, 56, 64, 3, 1), "conv_resnet_128_stride": (128, 56, 128, 3, 2),
          "conv_resnet_128": (128, 28, 128, 3, 1), "conv_resnet_256_stride": (256, 28, 256, 3, 2),
          "conv_resnet_256": (256, 14, 256, 3, 1), "conv_resnet_512_stride": (512, 14, 512, 3, 2),
          "conv_resnet_512": (512, 7, 512, 3, 1), "conv_resnet_shortcut": (256, 56, 512, 1, 2)}


def kernels() -> dict[str, Case]:
    rows = {
        "copy": (lambda x: x + 1, F32, 2), "copy_bf16": (lambda x: x + 1, HALF, 2),
        "gelu": (F.gelu, F32, 2), "gelu_bf16": (F.gelu, HALF, 2),
        "softmax": (lambda x: torch.softmax(x, -1), F32, 2),
        "softmax_bf16": (lambda x: torch.softmax(x, -1), HALF, 2),
        "layer_norm": (lambda x: F.layer_norm(x, x.shape[-1:]), F32, 2),
        "layer_norm_bf16": (lambda x: F.layer_norm(x, x.shape[-1:]), HALF, 2),
        "transpose": (lambda x: x.t().contiguous(), F32, 2),
        "rms_norm_bf16": (lambda x: F.rms_norm(x, x.shape[-1:]), HALF, 2),
        "sum_columns": (lambda x: x.sum(0), F32, 1),
        "sum_columns_bf16": (lambda x: x.sum(0), HALF, 1), "sum_rows": (lambda x: x.sum(1), F32, 1),
    }
    products = {"matmul_1024": (1024, 1024, 1024), "matmul_4096": (4096, 4096, 4096),
                "matmul_16_rows": (16, 4096, 4096), "matmul_1_row": (1, 4096, 4096)}
    halves = {"matmul_4096_bf16": (4096, 4096, 4096), "matmul_8192_bf16": (8192, 8192, 8192),
              "matmul_1024_bf16": (1024, 1024, 1024), "matmul_16_rows_bf16": (16, 4096, 4096),
              "matmul_1_row_bf16": (1, 4096, 4096)}
    linears = {"linear_4096_bf16": ((4096, 4096, 4096), HALF),
               "linear_8192_bf16": ((8192, 8192, 8192), HALF),
               "linear_4096_f16": ((4096, 4096, 4096), F16),
               "linear_bert_bf16": ((1024, 768, 768), HALF),
               "linear_bert_up_bf16": ((1024, 3072, 768), HALF),
               "linear_llama_up_bf16": ((512, 2816, 1024), HALF),
               "linear_llama_down_bf16": ((512, 1024, 2816), HALF),
               "linear_decode_bf16": ((8, 4096, 4096), HALF),
               "linear_1_row_bf16": ((1, 4096, 4096), HALF),
               "linear_1_row": ((1, 4096, 4096), F32),
               "linear_4096": ((4096, 4096, 4096), F32)}
    attentions = {
        "attention_bf16": ((4, 16, 16, 2048, 2048, 64), (1, 2, 2, 136, 136, 64), True),
        "attention_128_bf16": ((4, 16, 16, 2048, 2048, 128), (1, 1, 1, 72, 72, 128), True),
        "attention_full_bf16": ((4, 16, 16, 2048, 2048, 64), (1, 2, 2, 70, 75, 64), False),
        "attention_gqa_bf16": ((4, 32, 8, 2048, 2048, 128), (1, 4, 2, 70, 70, 32), True),
        "attention_decode_bf16": ((8, 32, 8, 1, 4096, 128), (2, 4, 2, 1, 75, 32), False),
    }
    scaled = {f"scaled_mm_{size}_fp8{end}": (size, fast) for size in (4096, 8192)
              for end, fast in (("", False), ("_fast", True))}
    images, wide = (32, 64, 56, 64, 3), (32, 256, 14, 256, 3)
    made = {name: _rows(name, *about) for name, about in rows.items()}
    made |= {name: _product(name, *sizes,
                            small=(min(sizes[0], 65), 63, 17) if sizes[0] > 1 else (1, 40, 72))
             for name, sizes in products.items()}
    made |= {name: _product(name, *sizes, HALF, small=(min(sizes[0], 130), 72, 136))
             for name, sizes in halves.items()}
    made |= {name: _linear(name, *sizes, dtype, small=(min(sizes[0], 130), 72, 136))
             for name, (sizes, dtype) in linears.items()}
    made |= {f"{name}_tf32": rounded(_linear(f"{name}_tf32", *sizes, F32))
             for name, sizes in (("linear_4096", (4096, 4096, 4096)),
                                 ("linear_bert_up", (1024, 3072, 768)))}
    made |= {name: _scaled(name, size, size, size, fast) for name, (size, fast) in scaled.items()}
    made |= {name: _attention(name, *about[:2], causal=about[2])
             for name, about in attentions.items()}
    made |= _decode_cases() | _moves()
    made |= {name: _quantized(name, 1, 4096, 4096, size)
             for name, size in (("linear_1_row_int8", 0), ("linear_1_row_int4", 32))}
    for dtype, end in ((F32, ""), (HALF, "_bf16")):
        for name, sizes, options in (("conv_3x3", images, {}), ("conv_3x3_wide", wide, {}),
                                     ("conv_1x1", (32, 256, 56, 64, 1), {}),
                                     ("conv_stride", images, {"stride": 2})):
            small = (1, 16, 9, 24, sizes[-1])
            made[name + end] = _convolution(name + end, dtype, sizes, small, **options)
    for name, (c, side, k, window, stride) in RESNET.items():
        made[name] = _channels_last(name, (16, c, side, k, window), (2, 64, 9 * stride, 64, window),
                                    stride)
    return made


#: The kernels for which torch.compile is measured, and those for Nsight Compute.
COMPILED = ["gelu", "softmax", "layer_norm", "linear_4096_bf16", "attention_bf16", "conv_3x3_bf16"]
PROFILED = ["gelu_bf16", "softmax", "layer_norm", "sum_columns", "transpose", "matmul_4096",
            "matmul_8192_bf16", "linear_bert_bf16", "attention_bf16", "conv_3x3_bf16"]
#: Clusters that share an operand, and that compute two parts of K. The last one makes the compiler
#: choose.
CLUSTERS = ("64:8:1:2:2", "128:6:1:2:2", "256:4:1:2:2", "64:7:2:2:2", "128:5:2:2:2", "0:0:1:2:2")
#: The kernels that are compiled with several tiles, and their tiles. An empty string is the
#: compiler's own choice.
_WGMMA = [f"warpgroup={t}"
          for t in ("64:6", "64:8", "128:4", "128:6", "192:4", "256:3", "256:4", "64:8:1:1",
                    "128:6:1:1", "64:8:2", *CLUSTERS)]
_MMA = ["warpgroup=0:0,tensorcore=" + t for t in (
    "128:128:32:2:4:3", "128:64:32:2:2:4", "64:128:32:2:2:4", "64:64:32:2:2:4", "64:64:64:2:2:3",
    "64:64:64:2:2:4", "128:64:64:2:2:3", "128:64:64:4:2:3", "128:128:64:2:4:3", "16:64:64:1:4:4",
    "16:64:64:1:4:4:2", "16:64:64:1:4:4:4", "16:64:128:1:4:3", "16:128:64:1:4:2", "32:64:64:1:4:3")]
_TF32 = [f"tensorcore={t}" for t in (
    "128:128:32:4:2:3", "128:128:32:2:4:3", "128:128:16:4:2:4", "128:64:32:4:2:3",
    "128:64:32:2:2:3", "64:128:32:2:4:3", "64:64:32:2:2:3", "64:64:32:2:2:4", "64:64:16:2:2:4",
    "16:64:32:1:4:3")]
#: Attention by mma.sync, and by wgmma with two or three warpgroups, which take turns or not.
_ATTENTION = [f"attention={t}" for t in ("1", "1:2:64:0", "1:2:128:0", "1:2:128:1")]
_NARROW_ATTENTION = [*_ATTENTION, *(f"attention={t}" for t in ("1:3:96:1", "1:3:128:0",
                                                               "1:3:128:1"))]
VARIANTS: dict[str, list[str]] = {
    **{name: ["", *_NARROW_ATTENTION] for name in ("attention_bf16", "attention_full_bf16")},
    **{name: ["", *_ATTENTION] for name in ("attention_128_bf16", "attention_gqa_bf16")},
    **{name: ["", *_WGMMA, *_MMA[:4]] for name in (
        "matmul_4096_bf16", "linear_4096_bf16", "linear_bert_bf16", "linear_bert_up_bf16",
        "linear_llama_up_bf16", "linear_llama_down_bf16", "matmul_1024_bf16")},
    **{name: ["", *_MMA] for name in ("linear_decode_bf16", "conv_3x3_bf16", "conv_3x3_wide_bf16",
                                      "conv_1x1_bf16")},
    # `warpgroup=0:0` makes them kernels with mma.sync.
    **{name: ["", "warpgroup=0:0", "warpgroup=64:8", "warpgroup=128:6", "warpgroup=256:4"]
       for name in RESNET},
    "linear_4096_tf32": ["", "warpgroup=0:0", "warpgroup=128:6", "warpgroup=256:4"],
    **{f"scaled_mm_{size}_fp8": ["", "warpgroup=64:8", "warpgroup=128:6", "warpgroup=0:0"]
       for size in (4096, 8192)},
    **{f"scaled_mm_{size}_fp8_fast": ["", "warpgroup=128:6", "warpgroup=256:4",
                                      "warpgroup=128:6:1:1"] for size in (4096, 8192)},
    **{name: ["", *_TF32] for name in ("matmul_1024", "matmul_4096", "matmul_16_rows", "conv_3x3",
                                       "conv_3x3_wide")},
}

"""Small programs that cover tails, layouts, dtypes and kinds of kernels. The bundle contains the
emulator's results for them. If a GPU gives other results, the GPU or the emulator is wrong."""

import torch
from cases import F16, F32, HALF, Case, Spec, attend, function
from torch.nn import functional as F


def _products() -> dict[str, Case]:
    made = {}

    def add(name, m, n, k, dtype, left=False, right=False, batch=()):
        x, y = ((k, m) if left else (m, k)), ((n, k) if right else (k, n))

        def call(x, y):
            return (x.mT if left else x) @ (y.mT if right else y)

        specs = [Spec((*batch, *x), dtype), Spec((*batch, *y), dtype)]
        made[name] = function(name, call, specs,
                              work=lambda *shapes: (2.0 * m * n * k, "FLOP"))

    # Tails of M, N and K, and tiles of 64, 128 and 256 columns.
    for m, n, k in ((128, 64, 64), (128, 128, 64), (128, 256, 128), (256, 512, 64), (130, 72, 136),
                    (129, 200, 72), (300, 136, 200), (192, 264, 1032), (65, 63, 17), (1, 64, 128),
                    (16, 200, 136), (7, 1000, 264)):
        add(f"mm_{m}_{n}_{k}_bf16", m, n, k, HALF)
    for m, n, k in ((65, 63, 17), (1, 70, 33), (16, 200, 136), (128, 128, 64)):
        add(f"mm_{m}_{n}_{k}", m, n, k, F32)
    add("mm_f16", 130, 200, 136, F16)
    # Layouts of operands.
    for left in (False, True):
        for right in (False, True):
            name = f"mm_{'t' if left else 'n'}{'t' if right else 'n'}"
            add(name + "_bf16", 136, 264, 200, HALF, left, right)
            add(name, 70, 66, 40, F32, left, right)
    add("bmm_bf16", 136, 72, 136, HALF, batch=(3,))
    add("bmm", 33, 34, 35, F32, batch=(3,))
    heads = [Spec((2, 136, 3, 64), HALF), Spec((2, 136, 3, 64), HALF)]
    made["heads_bf16"] = function(
        "heads_bf16", lambda q, k: q.transpose(1, 2) @ k.permute(0, 2, 3, 1), heads)
    made["linear_bf16"] = function(
        "linear_bf16", lambda x, w, b, r: F.gelu(F.linear(x, w, b)) + r,
        [Spec((130, 136), HALF), Spec((264, 136), HALF, 2.0 ** -4), Spec((264,), HALF),
         Spec((130, 264), HALF)])
    # An operand that does not begin at a multiple of 16 bytes.
    made["offset_bf16"] = function("offset_bf16", torch.mm,
                                   [Spec((130, 136), HALF, offset=1), Spec((136, 72), HALF)])
    return made


def _attentions() -> dict[str, Case]:
    sizes = {
        "attention": ((1, 2, 2, 136, 136, 64), True),
        "attention_full": ((1, 2, 2, 70, 75, 64), False),
        "attention_80": ((1, 1, 1, 70, 70, 80), True),
        "attention_128": ((1, 1, 1, 72, 72, 128), True),
        "attention_gqa": ((1, 4, 2, 70, 70, 32), True),
        "attention_one": ((2, 4, 2, 1, 75, 32), False),
    }
    made = {}
    for dtype, end in ((HALF, "_bf16"), (F16, "_f16"), (F32, "")):
        for name, ((b, h, kv, n, m, d), causal) in sizes.items():
            if dtype == HALF or name == "attention":
                keys = (b, kv, m, d)
                made[name + end] = function(
                    name + end, attend(causal),
                    [Spec((b, h, n, d), dtype), Spec(keys, dtype), Spec(keys, dtype)])
    made["attention_mask_bf16"] = function(
        "attention_mask_bf16", attend(False),
        [*(Spec((1, 2, 70, 64), HALF) for _ in range(3)), Spec((1, 1, 70, 70), HALF)])
    return made


def _convolutions() -> dict[str, Case]:
    about = {
        "conv_3x3": ((2, 16, 9, 11), (24, 16, 3, 3), {"padding": 1}),
        "conv_1x1": ((2, 16, 9, 11), (24, 16, 1, 1), {}),
        "conv_stride": ((1, 8, 17, 19), (16, 8, 3, 3), {"padding": 1, "stride": 2}),
        "conv_depthwise": ((1, 8, 9, 11), (8, 1, 3, 3), {"padding": 1, "groups": 8}),
        "conv_dilated": ((1, 8, 17, 19), (16, 8, 3, 3), {"padding": 2, "dilation": 2}),
    }
    made = {}
    for dtype, end in ((HALF, "_bf16"), (F32, "")):
        for name, (x, w, options) in about.items():
            made[name + end] = function(
                name + end, lambda x, w, options=options: F.conv2d(x, w, **options),
                [Spec(x, dtype), Spec(w, dtype, 2.0 ** -3)])
    # Large enough for sm_90a's tensor cores: tiles that span lines and images, height and width
    # with different numbers, channels that fill no piece of K, and no window.
    pixels = {
        "conv_pixels": ((2, 64, 9, 11), (72, 64, 3, 3), {"padding": 1}),
        "conv_pixels_stride": ((3, 64, 17, 15), (64, 64, 3, 3),
                               {"padding": (0, 2), "stride": (2, 1)}),
        "conv_pixels_dilated": ((2, 40, 12, 15), (64, 40, 2, 3),
                                {"padding": 1, "stride": (1, 2), "dilation": (3, 2)}),
        "conv_pixels_1x1": ((2, 96, 17, 16), (136, 96, 1, 1), {"stride": (1, 2)}),
    }
    for name, (x, w, options) in pixels.items():
        made[name + "_bf16"] = function(
            name + "_bf16", lambda x, w, options=options: F.conv2d(x, w, **options),
            [Spec(x, HALF), Spec(w, HALF, 2.0 ** -3)])
    made["conv_transposed"] = function(
        "conv_transposed", lambda x, w: F.conv_transpose2d(x, w, stride=2),
        [Spec((1, 8, 7, 9)), Spec((8, 4, 2, 2), scale=2.0 ** -2)])
    return made


def _others() -> dict[str, Case]:
    x, h, d = Spec((37, 70)), Spec((37, 72), HALF), Spec((9, 35), torch.float64)
    about = {
        "softmax": (lambda x: torch.softmax(x, -1), [x]),
        "softmax_bf16": (lambda x: torch.softmax(x, -1), [h]),
        "softmax_long": (lambda x: torch.softmax(x, -1), [Spec((2, 5003))]),
        "layer_norm": (lambda x, w, b: F.layer_norm(x, w.shape, w, b),
                       [x, Spec((70,)), Spec((70,))]),
        "layer_norm_bf16": (lambda x, w, b: F.layer_norm(x, w.shape, w, b),
                            [h, Spec((72,), HALF), Spec((72,), HALF)]),
        "sum_columns": (lambda x: x.sum(0), [x]), "sum_rows_f64": (lambda x: x.sum(-1), [d]),
        "argmax": (lambda x: (x.argmax(-1), x.amax(0)), [x]),
        "cumsum": (lambda x: x.cumsum(1), [x]),
        "transpose": (lambda x: x.t().contiguous(), [x]),
        "transpose_bf16": (lambda x: x.t().contiguous(), [h]),
        "pointwise": (lambda x: (torch.tanh(x), torch.erf(x), x.exp(), torch.sin(x * 50)), [x]),
        "pointwise_bf16": (lambda x: F.silu(x) * 2 + x, [h]),
        "pointwise_f64": (lambda x: x.exp() + x.sin(), [d]),
        "gather": (lambda i, t: F.embedding(i, t), [Spec((5, 7), high=37), x]),
        "concatenate": (lambda x, y: torch.cat([x, y.flip(0)], 1)[:, ::3], [x, x]),
        "index_add": (lambda x, i, y: x.index_add(0, i, y),
                      [x, Spec((9,), high=37), Spec((9, 70))]),
        "sort": (lambda x: tuple(torch.sort(x, dim=-1, stable=True)), [Spec((5, 33))]),
    }
    return {name: function(name, call, specs) for name, (call, specs) in about.items()}


def programs() -> dict[str, Case]:
    made = _products() | _attentions() | _convolutions() | _others()
    return {f"small_{name}": case for name, case in made.items()}

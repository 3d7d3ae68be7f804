"""Scaled dot-product attention in its variants."""

import torch
import torch.nn.functional as F

from operators.table import INF, b, case, f


def row(name, function, *inputs, **options):
    case("attention", name, function, *inputs, **options)


Q, K, V = f("n", 2, 6, 8), f("n", 2, "m", 8), f("n", 2, "m", 8)
sdpa = F.scaled_dot_product_attention

row("plain", sdpa, Q, K, V)
row("causal", lambda q, k, v: sdpa(q, k, v, is_causal=True), f(2, 2, "n", 8), f(2, 2, "n", 8), f(2, 2, "n", 8))
row("causal.static", lambda q, k, v: sdpa(q, k, v, is_causal=True), f(1, 2, 6, 8), f(1, 2, 9, 8), f(1, 2, 9, 8), dynamic=False)
row("mask", lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), Q, K, V, f("n", 1, 6, "m"))
row("mask.bool", lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), Q, K, V, b("n", 1, 6, "m"))
row("mask.2d", lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), Q, K, V, f(6, "m"))
row("ranks", lambda q, k, v, m: sdpa(q, k, v, attn_mask=m), f("n", 6, 8), f(3, "n", "m", 8), f("n", "m", 8), f("n", 6, "m"))
row("scale", lambda q, k, v: sdpa(q, k, v, scale=0.3), Q, K, V)
row("three_dims", sdpa, f("n", 6, 8), f("n", "m", 8), f("n", "m", 8))
row("wide_value", sdpa, Q, K, f("n", 2, "m", 5))
row("gqa", lambda q, k, v: sdpa(q, k, v, enable_gqa=True), f("n", 4, 6, 8), f("n", 2, "m", 8), f("n", 2, "m", 8))
# Scores of more than 16 MiB are computed in blocks of queries; the last block is smaller.
LONG_Q, LONG_K = f(1, 16, 600, 8), f(1, 4, 610, 8)
row(
    "long.causal",
    lambda q, k, v: sdpa(q, k, v, is_causal=True, enable_gqa=True),
    LONG_Q,
    LONG_K,
    LONG_K,
    dynamic=False,
)
row(
    "long.mask",
    lambda q, k, v, m: sdpa(q, k, v, attn_mask=m, enable_gqa=True),
    LONG_Q,
    LONG_K,
    LONG_K,
    f(600, 610),
    dynamic=False,
)
row(
    "long.mask.keys",
    lambda q, k, v, m: sdpa(q, k, v, attn_mask=m, enable_gqa=True),
    LONG_Q,
    LONG_K,
    LONG_K,
    b(1, 1, 1, 610),
    dynamic=False,
)
row("strided", lambda q, k, v: sdpa(q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)), f("n", 6, 2, 8), f("n", "m", 2, 8), f("n", "m", 2, 8))
row(
    "by_hand",
    lambda q, k, v, m: (q @ k.transpose(-1, -2) / 8**0.5).masked_fill(m, -INF).softmax(-1) @ v,
    Q,
    K,
    V,
    b(6, 1),
)
row(
    "heads",
    lambda x, w, o: torch.nn.functional.linear(
        sdpa(*(t.unflatten(-1, (2, 4)).transpose(1, 2) for t in F.linear(x, w).chunk(3, -1)))
        .transpose(1, 2)
        .flatten(2),
        o,
    ),
    f("n", "m", 8),
    f(24, 8),
    f(8, 8),
)

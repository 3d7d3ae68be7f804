"""Normalization layers in evaluation mode, and layers without running statistics."""

import torch
import torch.nn.functional as F

from operators.table import INF, NAN, case, f, fixed, pos


def row(name, function, *inputs, **options):
    case("normalization", name, function, *inputs, **options)


row("layer_norm", lambda x, w, b: F.layer_norm(x, (8,), w, b), f("n", 3, 8), f(8), f(8))
row("layer_norm.plain", lambda x: F.layer_norm(x, (8,)), f("n", 8))
row("layer_norm.two", lambda x, w: F.layer_norm(x, (3, 8), w, eps=1e-3), f("n", 3, 8), f(3, 8))
row("layer_norm.special", lambda x: F.layer_norm(x, (3,)), fixed([[1.0, NAN, 0.0], [INF, 0.0, 1.0], [2.0, 2.0, 2.0]]), dynamic=False)
row("layer_norm.empty", lambda x: F.layer_norm(x, (8,)), f(0, 8), dynamic=False)
row("batch_norm", lambda x, m, v, w, b: F.batch_norm(x, m, v, w, b), f("n", 3, 5, 4), f(3), pos(3), f(3), f(3))
row("batch_norm.plain", lambda x, m, v: F.batch_norm(x, m, v, eps=1e-3), f("n", 3), f(3), pos(3))
row("batch_norm.batch", lambda x: F.batch_norm(x, None, None, training=True), f("n", 3, 5))
# The running variance, of a batch whose variance is small beside eps.
row("batch_norm.running", lambda x, m, v: torch.ops.aten._native_batch_norm_legit_functional(x, None, None, m, v, True, 1.0, 1e-5)[4], fixed(torch.linspace(-1e-5, 1e-5, 24).reshape(8, 3)), f(3), pos(3))
row("group_norm", lambda x, w, b: F.group_norm(x, 2, w, b), f("n", 4, 5, 3), f(4), f(4))
row("group_norm.plain", lambda x: F.group_norm(x, 4), f("n", 4, 5))
row("instance_norm", lambda x: F.instance_norm(x), f("n", 4, 5, 3))
row("rms_norm", lambda x, w: F.rms_norm(x, (8,), w, 1e-5), f("n", 3, 8), f(8))
row("rms_norm.own", lambda x, w: w * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6), f("n", 3, 8), f(8))
row("normalize", lambda x: F.normalize(x, dim=-1), f("n", 8))
row("weight_norm", lambda v, g: torch._weight_norm(v, g, 0), f("n", 8), pos("n", 1))
row("cosine_similarity", lambda x, y: F.cosine_similarity(x, y, dim=-1), f("n", 8), f("n", 8))

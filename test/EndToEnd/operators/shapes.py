"""Operators that move elements: views, slices, concatenation, padding."""

import torch
import torch.nn.functional as F

from operators.table import case, f, i


def row(name, function, *inputs, **options):
    case("shapes", name, function, *inputs, **options)


row("view", lambda x: x.view(-1, 2), f("n", 4))
row("view.merge", lambda x: x.view(x.shape[0] * 3, 4), f("n", 3, 4))
row("view.split", lambda x: x.view(x.shape[0], 2, 2, -1), f("n", 12))
row("view.scalar", lambda x: x.view(()), f(1), dynamic=False)
row("view.dtype", lambda x: x.view(torch.int32), f("n", 4))
row("view.dtype.narrow", lambda x: x.view(torch.int16), f("n", 4))
row("view.dtype.wide", lambda x: x.view(torch.int64), f("n", 4))
row("view.dtype.bool", lambda x: (x > 0).view(torch.uint8), f("n", 4), fallback="the bits of booleans or complex numbers")
row("reshape.strided", lambda x: x.t().reshape(-1), f("n", 4))
row("flatten", lambda x: x.flatten(1), f("n", 3, 4))
row("flatten.all", lambda x: x.flatten(), f("n", 3, 4))
row("flatten.0d", lambda x: x.flatten(), f(), dynamic=False)
row("unflatten", lambda x: x.unflatten(1, (2, -1)), f("n", 6))
row("transpose", lambda x: x.transpose(0, -1), f("n", 3, 4))
row("t", lambda x: x.t(), f("n", 4))
row("numpy_T", lambda x: x.T, f("n", 4))
row("permute", lambda x: x.permute(2, 0, 1), f("n", 3, 4))
row("movedim", lambda x: x.movedim(0, 1), f("n", 3, 4))
row("squeeze", lambda x: x.squeeze(1), f("n", 1, 4))
row("squeeze.not", lambda x: x.squeeze(1), f("n", 4))
row("squeeze.dims", lambda x: x.squeeze((1, 2)), f("n", 1, 1))
row("unsqueeze", lambda x: x.unsqueeze(1), f("n", 4))
row("unsqueeze.last", lambda x: x.unsqueeze(-1), f("n", 4))
row("expand", lambda x: x.expand(-1, 3, 4), f("n", 1, 4))
row("expand.new", lambda x: x.expand(2, -1, 4), f("n", 4))
row("expand_as", lambda x, y: x.expand_as(y), f(4), f("n", 4))
row("broadcast_to", lambda x: x.broadcast_to(3, 4), f(4))
row("repeat", lambda x: x.repeat(2, 1, 3), f("n", 4))
row("repeat_interleave", lambda x: x.repeat_interleave(3, 0), f("n", 4))
row("tile", lambda x: x.tile(2), f("n", 4))
row("slice", lambda x: x[1:3], f("n", 4), dynamic=False)
row("slice.end", lambda x: x[:, :-1], f("n", 4))
row("slice.step", lambda x: x[:, ::2], f("n", 4))
row("slice.from_one", lambda x: torch.cat([x, x])[1:], f("n", 4))
row("slice.clamped", lambda x: x[:, 2:100], f("n", 4))
row("slice.empty", lambda x: x[:, 4:], f("n", 4))
row("select", lambda x: x[:, 1], f("n", 4))
row("select.last", lambda x: x[-1], f("n", 4))
row("narrow", lambda x: x.narrow(1, 1, 2), f("n", 4))
row("chunk", lambda x: x.chunk(2, 1), f("n", 4))
row("chunk.uneven", lambda x: x.chunk(2, 1), f("n", 5))
row("split", lambda x: x.split(3, 1), f("n", 4))
row("split.sizes", lambda x: x.split([1, 3], 1), f("n", 4))
row("unbind", lambda x: x.unbind(1), f("n", 3))
row("cat", lambda x, y: torch.cat([x, y], 1), f("n", 4), f("n", 2))
row("cat.dynamic", lambda x, y: torch.cat([x, y], 0), f("n", 4), f("m", 4))
row("cat.empty", lambda x, y: torch.cat([x, y]), f(0), f("n", 4))
row("cat.promote", lambda x, y: torch.cat([x, y]), f("n", 4), i("m", 4))
row("cat.three", lambda x: torch.cat([x, x + 1, x * 2], -1), f("n", 4))
row("stack", lambda x, y: torch.stack([x, y], 1), f("n", 4), f("n", 4))
row("stack.last", lambda x, y: torch.stack([x, y], -1), f("n", 4), f("n", 4))
row("flip", lambda x: x.flip(0, 1), f("n", 4))
row("roll", lambda x: x.roll(1, 1), f("n", 4))
row("roll.two", lambda x: x.roll((1, -1), (0, 1)), f("n", 4))
row("pad", lambda x: F.pad(x, (1, 2)), f("n", 4))
row("pad.value", lambda x: F.pad(x, (1, 2, 0, 3), value=-1.5), f("n", 4))
row("pad.crop", lambda x: F.pad(x, (-1, 2)), f("n", 4))
row("pad.reflect", lambda x: F.pad(x, (1, 2), mode="reflect"), f("n", 3, 4))
row("pad.replicate", lambda x: F.pad(x, (1, 2), mode="replicate"), f("n", 3, 4))
row("unfold", lambda x: x.unfold(1, 3, 1), f("n", 6))
row("as_strided", lambda x: x.as_strided((2, 2), (4, 1), 1), f(4, 4))
row("diagonal", lambda x: x.diagonal(), f(4, 4))
row("contiguous", lambda x: x.t().contiguous(), f("n", 4))
row("clone", lambda x: x.clone(), f("n", 4))
row("detach", lambda x: x.detach(), f("n", 4))
row("alias", lambda x: torch.ops.aten.alias(x), f("n", 4))
row("tril", lambda x: x.tril(), f("n", 4))
row("triu", lambda x: x.triu(1), f("n", 4))
row("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2), f("n", 4, 3, 3))
row("pixel_shuffle.image", lambda x: F.pixel_shuffle(x, 2) + 1, f(2, 8, "n", "m"))
row("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 2), f("n", 4, 6, 4))
row("pixel_unshuffle.image", lambda x: F.pixel_unshuffle(x.repeat(1, 1, 3, 3), 3), f(2, 8, "n", "m"))
row("affine_grid", lambda x: F.affine_grid(x, [5, 3, 6, 4], align_corners=False), f(5, 2, 3),
    dynamic=False)
row("affine_grid.volume", lambda x: F.affine_grid(x, [2, 3, 6, 1, 5], align_corners=True), f(2, 3, 4),
    dynamic=False, decomposes=False)
row("meshgrid", lambda x, y: torch.meshgrid(x, y, indexing="ij"), f("n"), f("m"))
row("size_in_values", lambda x: x * x.shape[0] + x.shape[1], f("n", 4))
row("input_is_output", lambda x: x, f("n", 4))
row("same_twice", lambda x: (lambda y: (y, y))(x + 1), f("n", 4))
row("diff", lambda x: x.diff(dim=1), f("n", 4))
row("diff_all", lambda x: x.diff(n=9, dim=1), f("n", 4))

for name, op in {
    "view": lambda x: x.view(3, 0),
    "cat": lambda x: torch.cat([x, x]),
    "transpose": lambda x: x.t(),
    "slice": lambda x: x[:, 1:],
    "pad": lambda x: F.pad(x, (1, 1, 1, 1)),
    "expand": lambda x: x.unsqueeze(0).expand(2, -1, -1),
    "flip": lambda x: x.flip(0),
}.items():
    case("shapes_empty", name, op, f(0, 3), dynamic=False)

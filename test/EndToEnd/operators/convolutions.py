"""Convolutions, pooling and resampling."""

import torch
import torch.nn.functional as F

from operators.table import case, f


def row(name, function, *inputs, **options):
    case("convolutions", name, function, *inputs, **options)


row("conv2d", F.conv2d, f("n", 3, 9, 8), f(4, 3, 3, 3), f(4))
row("conv2d.no_bias", F.conv2d, f("n", 3, 9, 8), f(4, 3, 3, 3))
row("conv2d.pad", lambda x, w: F.conv2d(x, w, padding=1), f("n", 3, 9, 8), f(4, 3, 3, 3))
row("conv2d.stride", lambda x, w: F.conv2d(x, w, stride=2, padding=(1, 0)), f("n", 3, 9, 8), f(4, 3, 3, 3))
row("conv2d.dilation", lambda x, w: F.conv2d(x, w, dilation=2), f("n", 3, 9, 8), f(4, 3, 3, 3))
row("conv2d.groups", lambda x, w: F.conv2d(x, w, groups=2), f("n", 4, 9, 8), f(6, 2, 3, 3))
row("conv2d.depthwise", lambda x, w: F.conv2d(x, w, groups=4, padding=1), f("n", 4, 9, 8), f(4, 1, 3, 3))
row("conv2d.pointwise", F.conv2d, f("n", 5, 7, 6), f(33, 5, 1, 1), f(33))
row("conv2d.wide", lambda x, w: F.conv2d(x, w, padding=1), f("n", 17, 15, 13), f(40, 17, 3, 3))
row("conv2d.same", lambda x, w: F.conv2d(x, w, padding="same"), f("n", 3, 9, 8), f(4, 3, 3, 3))
row("conv2d.unbatched", F.conv2d, f(3, 9, 8), f(4, 3, 3, 3), f(4))
row("conv1d", lambda x, w, b: F.conv1d(x, w, b, padding=1), f("n", 3, 9), f(4, 3, 3), f(4))
row("conv_tbc", lambda x, w, b: torch.conv_tbc(x, w, b, 1), f(9, 5, 3), f(3, 3, 4), f(4))
row("conv1d.stride", lambda x, w: F.conv1d(x, w, stride=2), f("n", 3, 9), f(4, 3, 3))
row("conv3d", F.conv3d, f("n", 2, 5, 5, 5), f(3, 2, 3, 3, 3), f(3))
row("conv_transpose2d", lambda x, w, b: F.conv_transpose2d(x, w, b, stride=2, padding=1), f("n", 3, 5, 4), f(3, 4, 3, 3), f(4))
row("conv_transpose1d", lambda x, w: F.conv_transpose1d(x, w, stride=2), f("n", 3, 5), f(3, 4, 3))
row("conv_transpose2d.even", lambda x, w, b: F.conv_transpose2d(x, w, b, stride=(2, 3)), f("n", 3, 5, 4), f(3, 4, 2, 3), f(4))
row("conv_transpose2d.short", lambda x, w: F.conv_transpose2d(x, w, stride=4, output_padding=(1, 3)), f("n", 3, 3, 4), f(3, 2, 2, 3))
row("conv_transpose2d.groups", lambda x, w: F.conv_transpose2d(x, w, stride=2, padding=2, output_padding=1, groups=3), f("n", 6, 5, 4), f(6, 2, 5, 4))
row("conv_transpose3d", lambda x, w, b: F.conv_transpose3d(x, w, b, stride=(1, 2, 2), padding=(1, 0, 1)), f("n", 2, 3, 4, 3), f(2, 3, 3, 2, 4), f(3))
row("adaptive_avg_pool2d.even", lambda x: F.adaptive_avg_pool2d(x, (3, 4)), f("n", 3, 9, 8))
row("adaptive_avg_pool2d.lines", lambda x: F.adaptive_avg_pool2d(x, (9, 2)), f("n", 3, 9, 8))
row("adaptive_max_pool2d.even", lambda x: F.adaptive_max_pool2d(x, (3, 2), True), f("n", 3, 9, 8))
row("max_pool2d", lambda x: F.max_pool2d(x, 2), f("n", 3, 9, 8))
row("max_pool2d.pad", lambda x: F.max_pool2d(x, 3, 2, 1), f("n", 3, 9, 8))
row("max_pool2d.ceil", lambda x: F.max_pool2d(x, 2, ceil_mode=True), f("n", 3, 9, 8))
row("max_pool2d.indices", lambda x: F.max_pool2d(x, 2, return_indices=True), f("n", 3, 9, 8))
row(
    "max_pool2d.indices.large",
    lambda x: F.max_pool2d(x, (4, 5), (2, 1), (1, 2), (2, 1), return_indices=True),
    f("n", 3, 19, 11),
)
row("max_pool3d.indices.large", lambda x: F.max_pool3d(x, 3, 2, 1, return_indices=True), f("n", 3, 7, 6, 5))
row("max_pool1d", lambda x: F.max_pool1d(x, 2), f("n", 3, 9))
row("avg_pool2d", lambda x: F.avg_pool2d(x, 2), f("n", 3, 9, 8))
row("avg_pool2d.pad", lambda x: F.avg_pool2d(x, 3, 2, 1), f("n", 3, 9, 8))
row("avg_pool2d.valid", lambda x: F.avg_pool2d(x, 3, 2, 1, count_include_pad=False), f("n", 3, 9, 8))
row("avg_pool1d", lambda x: F.avg_pool1d(x, 2), f("n", 3, 9))
row("avg_pool3d", lambda x: F.avg_pool3d(x, 2), f("n", 2, 4, 4, 4))
row("adaptive_avg_pool2d.1", lambda x: F.adaptive_avg_pool2d(x, 1), f("n", 3, 9, 8))
row("adaptive_avg_pool2d", lambda x: F.adaptive_avg_pool2d(x, (3, 5)), f("n", 3, 9, 8))
row("adaptive_avg_pool1d", lambda x: F.adaptive_avg_pool1d(x, 4), f("n", 3, 9))
row("upsample_nearest", lambda x: F.interpolate(x, scale_factor=2), f("n", 3, 4, 5))
row("upsample_nearest.size", lambda x: F.interpolate(x, size=(7, 9)), f("n", 3, 4, 5))
row("upsample_bilinear", lambda x: F.interpolate(x, size=(7, 9), mode="bilinear"), f("n", 3, 4, 5))
row(
    "upsample_bilinear.corners",
    lambda x: F.interpolate(x, size=(7, 9), mode="bilinear", align_corners=True),
    f("n", 3, 4, 5),
)
row("im2col", lambda x: F.unfold(x, 3, padding=1), f("n", 2, 5, 4))
row("channels_last", lambda x, w: F.conv2d(x.contiguous(memory_format=torch.channels_last), w), f("n", 3, 9, 8), f(4, 3, 3, 3))

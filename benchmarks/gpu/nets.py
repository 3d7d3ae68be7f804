"""The models of the benchmark of GPUs, in float32 and bf16, at realistic sizes."""

import dataclasses
import zlib

import data
import models
import torch
from cases import F32, HALF, Case, Spec, make_inputs, rounded
from models import autoencoder, bert, llama, resnet
from torch import nn
from torch.nn import functional as F


#: The models for which torch.compile is measured. It takes up to a minute for each.
COMPILED = [f"{name}{end}" for name in ("resnet50_b16", "bert_base_b8", "llama_prefill_512",
                                        "llama_decode_b1") for end in ("", "_bf16")] + [
                                            "unet_bf16", "bert_base_b8_tf32"]


class Step(nn.Module):
    def __init__(self, inner: int, outer: int):
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, padding=1)
        self.norm1 = nn.GroupNorm(8, outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, padding=1)
        self.norm2 = nn.GroupNorm(8, outer)

    def forward(self, x):
        x = F.silu(self.norm1(self.conv1(x)))
        return F.silu(self.norm2(self.conv2(x)))


class UNet(nn.Module):
    """A U-Net: max-pooling down, transposed convolutions up, and skip connections."""

    def __init__(self, width: int, levels: int):
        super().__init__()
        widths = [width << i for i in range(levels + 1)]
        self.first = Step(3, width)
        self.down = nn.ModuleList(Step(a, b) for a, b in zip(widths, widths[1:]))
        pairs = list(zip(widths[::-1], widths[-2::-1]))
        self.up = nn.ModuleList(nn.ConvTranspose2d(a, b, 2, 2) for a, b in pairs)
        self.join = nn.ModuleList(Step(2 * b, b) for _, b in pairs)
        self.last = nn.Conv2d(width, 2, 1)

    def forward(self, x):
        features = [self.first(x)]
        for step in self.down:
            features.append(step(F.max_pool2d(features[-1], 2)))
        x = features.pop()
        for up, join in zip(self.up, self.join):
            x = join(torch.cat([features.pop(), up(x)], 1))
        return self.last(x)


def _case(name, build, specs, dtype, folds=True) -> Case:
    """Makes a case. `build` and `specs` take a bool: small sizes or full ones."""
    def inputs(small):
        args = make_inputs(name, specs(small))
        return tuple(x.to(dtype) if x.is_floating_point() else x for x in args), {}

    return Case(build, inputs, folds=folds, dtype=dtype, tf32=dtype == F32)


def _resnet(name, batch, dtype, folds=True) -> Case:
    return _case(
        name,
        lambda small: resnet.ResNet([1, 1], 16, 10) if small else resnet.resnet50(),
        lambda small: [Spec((1, 3, 33, 35) if small else (batch, 3, 224, 224))], dtype, folds)


def _bert(name, batch, dtype) -> Case:
    def build(small):
        return bert.Bert(1, 64, 4, 128, 500) if small else bert.Bert()

    def inputs(small):
        rows, length, words = (2, 12, 500) if small else (batch, 128, 30522)
        mask = torch.ones(rows, length, dtype=torch.int64)
        mask[0, length // 2:] = 0
        return (data.integers(zlib.crc32(name.encode()), words, rows, length), mask), {}

    return Case(build, inputs, dtype=dtype, tf32=dtype == F32)


def _config(small):
    return llama.SMALL if small else dataclasses.replace(llama.LARGE, length=1024)


def _prefill(name, dtype) -> Case:
    return _case(name, lambda small: llama.Prefill(_config(small)),
                 lambda small: [Spec((1, 9 if small else 512), high=_config(small).vocabulary)],
                 dtype)


def _decode(name, batch, dtype) -> Case:
    def inputs(small):
        c, rows = _config(small), min(batch, 2) if small else batch
        tokens = data.integers(zlib.crc32(name.encode()), c.vocabulary, rows, 1)
        return (tokens, torch.tensor([c.length - 3])), {}

    return Case(
        lambda small: llama.Decode(_config(small), "index_copy", min(batch, 2) if small else batch),
        inputs, dtype=dtype, tf32=dtype == F32)


def _autoencoder(name, batch, dtype) -> Case:
    def widths(small):
        if small:
            return [176, 51, 51, 102, 51, 51, 176]
        return [17768, 512, 512, 1024, 512, 512, 17768]

    return _case(name, lambda small: autoencoder.Autoencoder(widths(small)),
                 lambda small: [Spec((min(batch, 3) if small else batch, widths(small)[0]))], dtype)


def _unet(name, dtype) -> Case:
    return _case(name, lambda small: UNet(8, 1) if small else UNet(64, 4),
                 lambda small: [Spec((1, 3, 16, 16) if small else (1, 3, 256, 256))], dtype)


def nets() -> dict[str, Case]:
    made = {"cond": Case(lambda small: models.get("cond").build(),
                         lambda small: (make_inputs("cond", [Spec((4, 8))]), {})),
            "resnet50_norms": _resnet("resnet50_norms", 1, F32, folds=False)}
    for dtype, end in ((F32, ""), (HALF, "_bf16")):
        for batch in (1, 16):
            made[f"resnet50_b{batch}{end}"] = _resnet(f"resnet50_b{batch}{end}", batch, dtype)
        for batch in (1, 8):
            made[f"bert_base_b{batch}{end}"] = _bert(f"bert_base_b{batch}{end}", batch, dtype)
            name = f"llama_decode_b{batch}{end}"
            made[name] = _decode(name, batch, dtype)
        made[f"llama_prefill_512{end}"] = _prefill(f"llama_prefill_512{end}", dtype)
        for batch in (1, 128):
            name = f"autoencoder_b{batch}{end}"
            made[name] = _autoencoder(name, batch, dtype)
        made[f"unet{end}"] = _unet(f"unet{end}", dtype)
    made["resnet50_b16_tf32"] = rounded(_resnet("resnet50_b16_tf32", 16, F32))
    made["bert_base_b8_tf32"] = rounded(_bert("bert_base_b8_tf32", 8, F32))
    made["llama_prefill_512_tf32"] = rounded(_prefill("llama_prefill_512_tf32", F32))
    return made

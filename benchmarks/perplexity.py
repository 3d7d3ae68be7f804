# Part of fx-mlir, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The perplexity of a small language model, in float and with weights of int4.

    .venv/bin/python benchmarks/perplexity.py

Trains a model of bytes on the sources of Python's standard library, which takes minutes, and
compares the roundings of fx-quantize on files that the model has not seen. All perplexities are
those of compiled models. --checkpoint FILE keeps the trained model for the next call.
"""

import argparse
import math
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch import nn

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(os.environ.get("FX_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(BUILD / "python"))
LENGTH = 128  # bytes of a sequence


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (self.heads, -1)).transpose(1, 2)
            for part in self.qkv(self.before(x)).chunk(3, -1)
        )
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).flatten(2))
        return x + self.down(nn.functional.gelu(self.up(self.after(x))))


class Model(nn.Module):
    """A decoder of bytes."""

    def __init__(self, width=128, heads=4, layers=4):
        super().__init__()
        self.bytes = nn.Embedding(256, width)
        self.places = nn.Parameter(0.02 * torch.randn(LENGTH, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, 256)

    def forward(self, x):
        y = self.bytes(x) + self.places
        for block in self.blocks:
            y = block(y)
        return self.head(self.norm(y))


def read_text():
    """Returns the bytes to train on, and those of other files to measure on."""
    files = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    parts = [[], []]
    for i, file in enumerate(files):
        parts[i % 10 == 9].append(file.read_bytes())
    return [torch.tensor(np.frombuffer(b"".join(part), np.uint8).copy()) for part in parts]


def draw(text, count, generator):
    starts = torch.randint(len(text) - LENGTH - 1, (count,), generator=generator)
    rows = torch.stack([text[s : s + LENGTH + 1] for s in starts]).long()
    return rows[:, :-1], rows[:, 1:]


def train(text, steps):
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 3e-3, steps)
    for step in range(steps):
        x, y = draw(text, 16, generator)
        loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if step % 100 == 0:
            print(f"step {step}: loss {loss.item():.3f}", file=sys.stderr, flush=True)
    return model.eval()


def measure(archive, text, sequences):
    """Returns the perplexity per byte of the compiled archive."""
    import fx_mlir

    model = fx_mlir.compile(str(archive))
    generator = torch.Generator().manual_seed(2)
    x, y = draw(text, sequences, generator)
    total = 0.0
    for i in range(0, sequences, 8):
        logits = torch.as_tensor(np.asarray(model(x[i : i + 8])))
        total += nn.functional.cross_entropy(
            logits.flatten(0, 1), y[i : i + 8].flatten(), reduction="sum"
        ).item()
    return math.exp(total / y.numel())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1500, help="of the training")
    parser.add_argument("--sequences", type=int, default=256, help="to measure on")
    parser.add_argument("--samples", type=int, default=32, help="of 8 sequences, to calibrate")
    parser.add_argument("--checkpoint", type=Path)
    parser.add_argument("--train-only", action="store_true")
    args = parser.parse_args()
    seen, unseen = read_text()
    if args.checkpoint and args.checkpoint.exists():
        model = Model()
        model.load_state_dict(torch.load(args.checkpoint))
        model.eval()
    else:
        model = train(seen, args.steps)
        if args.checkpoint:
            torch.save(model.state_dict(), args.checkpoint)
    if args.train_only:
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generator = torch.Generator().manual_seed(1)
        for i in range(args.samples):
            sample = folder / "samples" / f"{i:03}"
            sample.mkdir(parents=True)
            np.save(sample / "in_0.npy", draw(seen, 8, generator)[0].numpy())
        example = draw(seen, 8, generator)[0]
        archive = folder / "model.pt2"
        torch.export.save(torch.export.export(model, (example,)), archive)
        print(f"{len(seen)} bytes to train on, {len(unseen)} others")
        print(f"float32: {measure(archive, unseen, args.sequences):.4f}")
        for bits, group in ((8, 0), (4, 128), (4, 32), (4, 16), (4, 0)):
            for rounding in ("nearest", "gptq"):
                out = folder / "quantized.pt2"
                command = [BUILD / "bin" / "fx-quantize", archive, "--mode", "weight-only", "-o", out]
                command += ["--calibrate", folder / "samples", "--rounding", rounding]
                command += ["--weight-bits", str(bits)]
                command += ["--group-size", str(group)] if group else []
                subprocess.run(list(map(str, command)), check=True, stdout=subprocess.DEVNULL)
                perplexity = measure(out, unseen, args.sequences)
                print(f"int{bits}, groups of {group or 'a row'}, {rounding}: {perplexity:.4f}", flush=True)


if __name__ == "__main__":
    main()

"""Times a step of a Llama-style decoder with quantized weights, which is limited by the
memory bandwidth: `quantized.py --model llama_decode`."""

import copy
import json
import math
import pathlib
import statistics
import time

import exporting
import harness
import models
import native
import run
import torch
from torch import nn

#: For each form, the flags of fx-quantize and the bits of a weight.
FORMS = {
    "fp32": (None, 32),
    "int8, weight-only": (["--mode", "weight-only"], 8),
    "int8, dynamic": (["--mode", "dynamic"], 8),
    "int4, groups of 32, dynamic": (
        ["--mode", "dynamic", "--weight-bits", "4", "--group-size", "32"],
        4,
    ),
    "int4, groups of 128, dynamic": (
        ["--mode", "dynamic", "--weight-bits", "4", "--group-size", "128"],
        4,
    ),
    "int4, groups of 32, weight-only": (
        ["--mode", "weight-only", "--weight-bits", "4", "--group-size", "32"],
        4,
    ),
}


def tool(name: str, *args) -> None:
    result = harness.tool(name, *args)
    if result.returncode:
        raise RuntimeError(result.stderr)


def sqnr(got: torch.Tensor, want: torch.Tensor) -> float:
    noise = (got.double() - want.double()).pow(2).sum().item()
    return 10 * math.log10(want.double().pow(2).sum().item() / max(noise, 1e-30))


def other_bytes(module: nn.Module) -> int:
    """Returns the bytes that a step reads in addition to the weights of linear layers:
    caches and norms. The one row that it reads of the embedding does not count."""
    skipped = {p for m in module.modules() if isinstance(m, (nn.Linear, nn.Embedding)) for p in m.parameters()}
    tensors = {t for t in [*module.parameters(), *module.buffers()] if t not in skipped}
    return sum(t.numel() * t.element_size() for t in tensors)


def measure(seconds: float, folder: pathlib.Path) -> list[dict]:
    """Measures the forms, interleaved. `gain` is the speed-up over fp32, `promise` the ratio
    of the bytes read, and `share` the gain divided by the promise."""
    spec = models.get("llama_decode")
    module = spec.build().eval()
    args, _ = spec.inputs()
    exporting.save(exporting.export(module, args), folder / "f.pt2")
    weights = {}
    engines, quality = {}, {}
    with torch.no_grad():
        want = copy.deepcopy(module)(*args)
    for name, (flags, _) in FORMS.items():
        path = folder / "f.pt2"
        if flags:
            path = folder / "q.pt2"
            tool("fx-quantize", folder / "f.pt2", "-o", path, "--report", folder / "r.json", *flags)
            report = json.loads((folder / "r.json").read_text())
            weights["fp32"], weights[name] = report["weight_bytes_before"], report["weight_bytes"]
        # A loaded shared object stays loaded, so each needs a path of its own.
        so = folder / f"{time.time_ns()}.so"
        tool("fx-compile", path, "-o", so, "--no-fallback")
        engines[name] = lambda m=native.Model(so): m(*args)
        so.unlink()
        quality[name] = sqnr(engines[name]()[0], want)
    times = run.interleave(engines, seconds)
    rest = other_bytes(module)
    least = {name: min(times[name]) for name in FORMS}
    rows = []
    for name, (_, bits) in FORMS.items():
        gain = least["fp32"] / least[name]
        size = weights[name] + rest
        promise = (weights["fp32"] + rest) / size
        rows.append(
            {
                "form": name,
                "ms": statistics.median(times[name]) * 1e3,
                "least ms": least[name] * 1e3,
                "bytes": size,
                "gain": gain,
                "promise": promise,
                "share": gain / promise,
                "share of bits": gain / (32 / bits),
                "sqnr": quality[name],
            }
        )
    return rows


def table(rows: list[dict]) -> str:
    lines = [
        "| weights | ms | least | MB read | GB/s | gain | bytes promise | share | of the bits' | SQNR |",
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for row in rows:
        clean = row["sqnr"] > 90
        lines.append(
            f"| {row['form']} | {row['ms']:.2f} | {row['least ms']:.2f} | {row['bytes'] / 1e6:.0f} "
            f"| {row['bytes'] / row['least ms'] / 1e6:.1f} | {row['gain']:.2f} | {row['promise']:.2f} "
            f"| {row['share']:.2f} | {row['share of bits']:.2f} | "
            + ("– |" if clean else f"{row['sqnr']:.1f} |")
        )
    return "\n".join(lines)

#!/usr/bin/env python3
"""Times the import of exported programs: fx-mlir, torch.export.load, torch-mlir.

    benchmarks/import.py                    # GPT-2 and a Llama of 32 layers
    benchmarks/import.py gpt2 --rounds 9 --json

All import the same program, one after the other in each round. The table shows the
median, the fastest and the slowest time.

fx-mlir           the whole process `fx-translate --pt2-to-mlir --emit-bytecode`,
                  from the file to a file of verified IR
fx-mlir, printed  the same with MLIR text as output
torch.export.load from the same file, in a process that has loaded torch
torch-mlir        `torch_mlir.fx.export_and_import(program)`, from the program
                  in memory, in a process that has loaded both; only if torch-mlir
                  is installed
"""

import argparse
import datetime
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "test" / "EndToEnd")]
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
warnings.simplefilter("ignore")

import exporting  # noqa: E402
import harness  # noqa: E402
import torch  # noqa: E402

try:
    from torch_mlir import fx as torch_mlir
except ImportError:
    torch_mlir = None


def gpt2():
    """Returns GPT-2 small with 12 layers and all weights."""
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(use_cache=False))


def llama32():
    """Returns a Llama of 32 layers. Layers are narrow, as import does not read weights."""
    from transformers import LlamaConfig, LlamaForCausalLM

    sizes = dict(hidden_size=256, intermediate_size=688, num_attention_heads=8)
    return LlamaForCausalLM(
        LlamaConfig(num_hidden_layers=32, use_cache=False, vocab_size=8000, **sizes)
    )


MODELS = {"gpt2": gpt2, "llama32": llama32}


class Logits(torch.nn.Module):
    """A model whose only input and output are tensors."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, tokens):
        return self.model(input_ids=tokens).logits


def engines(path: pathlib.Path, program, out: pathlib.Path) -> dict:
    tool = str(harness.BUILD / "bin" / "fx-translate")
    command = [tool, "--pt2-to-mlir", str(path), "-o", str(out)]
    table = {
        "fx-mlir": lambda: subprocess.run([*command, "--emit-bytecode"], check=True),
        "fx-mlir, printed": lambda: subprocess.run(command, check=True),
        "torch.export.load": lambda: torch.export.load(path),
    }
    if torch_mlir:
        table["torch-mlir"] = lambda: torch_mlir.export_and_import(program)
    return table


def measure(name: str, rounds: int) -> dict:
    torch.manual_seed(0)
    module = Logits(MODELS[name]().eval())
    for part in module.modules():
        part._non_persistent_buffers_set.clear()  # torch-mlir does not find such buffers
    program = exporting.export(module, (torch.randint(0, 8000, (1, 128)),))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"{name}.pt2"
        exporting.save(program, path)
        size = path.stat().st_size
        table = engines(path, program, pathlib.Path(folder) / "out")
        times = {engine: [] for engine in table}
        for _ in range(rounds):
            for engine, run in table.items():
                start = time.perf_counter()
                run()
                times[engine].append(time.perf_counter() - start)
    ours = statistics.median(times["fx-mlir"])
    return {
        "model": name,
        "nodes": len(program.graph.nodes),
        "megabytes": size / 2**20,
        "engines": {
            engine: {
                "seconds": statistics.median(values),
                "fastest": min(values),
                "slowest": max(values),
                "ratio": statistics.median(values) / ours,
            }
            for engine, values in times.items()
        },
    }


def table(results: list[dict]) -> str:
    lines = [
        "| model | nodes | file | import | median | fastest–slowest | × fx-mlir |",
        "|---|---:|---:|---|---:|---:|---:|",
    ]
    for result in results:
        for engine, row in result["engines"].items():
            lines.append(
                f"| {result['model']} | {result['nodes']} "
                f"| {result['megabytes']:.0f} MB | {engine} "
                f"| {row['seconds'] * 1e3:.1f} ms "
                f"| {row['fastest'] * 1e3:.1f}–{row['slowest'] * 1e3:.1f} "
                f"| {row['ratio']:.1f} |"
            )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", nargs="*", metavar="MODEL", default=list(MODELS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    for name in options.models:
        if name not in MODELS:
            parser.error(f"no model '{name}'; one of: {', '.join(MODELS)}")
    torch.set_num_threads(1)
    results = [measure(name, options.rounds) for name in options.models]
    if options.json:
        print(json.dumps(results, indent=2))
        return
    now = datetime.datetime.now(datetime.timezone.utc)
    print(f"{now:%Y-%m-%d %H:%M} UTC, torch {torch.__version__}\n")
    print(table(results))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Times text generation with a Llama-style model of random weights: fx-mlir, eager PyTorch by
transformers with a static cache, and other engines, whose steps alternate.

    benchmarks/llm.py --size 150m --formats f32,bf16,int8,int4 --threads 1
    benchmarks/llm.py --peer llama.cpp=ENV/bin/python --peer openvino=ENV/bin/python

For each format: the size of the file, the time to load it, the resident memory after a
generation, the tokens per second of a prompt of 512 tokens, and those of decode steps after 128
and 2048 tokens, of one sequence and, with `--slots`, of several sequences in one call. Times are
the least of several rounds; the ratio is that to eager PyTorch in float32. `of the limit` is the
time in which the probed bandwidth reads the weights and the cache once, over the time of the
step. `bf16` is `precision="bf16"` of a model in float32, whose caches stay in float32; `int4+bf16`,
`int4+int8` and `int4+bf16+int8` are int4 with the precisions `bf16`, `int8` and `bf16,int8`. A
format that ends in `@f16` or `@bf16` has caches of this dtype. Eager PyTorch gets a second row with
the model and its caches in bf16. Another engine runs in a process of its own (`llm_peers.py`), by
the Python of its environment.
"""

import argparse
import atexit
import copy
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import warnings

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGE = str(pathlib.Path(os.environ.get("FX_BUILD_DIR", ROOT / "build")) / "python")
sys.path.insert(0, PACKAGE)
sys.path.append(str(ROOT / "benchmarks"))

SIZES = {
    "15m": (8, 288, 768, 6, 32000),
    "150m": (12, 768, 2048, 12, 32000),
    "1b": (16, 2048, 5632, 16, 32000),
}
CACHES = {"": "", "f16": "float16", "bf16": "bfloat16"}
PROMPT, CONTEXTS, LENGTH = 512, (128, 2048), 2176


def make(size: str):
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    layers, hidden, inner, heads, vocabulary = SIZES[size]
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=hidden, intermediate_size=inner, num_hidden_layers=layers,
        num_attention_heads=heads, max_position_embeddings=4096, tie_word_embeddings=True,
    )  # fmt: skip
    return LlamaForCausalLM(config).eval()


def save(model, folder: pathlib.Path) -> None:
    """Saves the model, with a tokenizer of one token for each word t0, t1, and so on."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    model.save_pretrained(folder)
    words = {f"t{k}": k for k in range(model.config.vocab_size)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="t0"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="t0", bos_token="t1", eos_token="t2", pad_token="t0"
    ).save_pretrained(folder)


class Engine:
    def __call__(self, tokens: list[int], position: int, slots: int = 1) -> None:
        raise NotImplementedError

    def best(self, tokens: list[int], position: int, times: int, slots: int = 1) -> float:
        """Returns the seconds of the fastest of some steps."""
        found = float("inf")
        for _ in range(times):
            start = time.perf_counter()
            self(tokens, position, slots)
            found = min(found, time.perf_counter() - start)
        return found


class Peer(Engine):
    """Another engine. Its first token after a prompt is that of eager PyTorch in float32. Between
    its turns, the process is stopped: threads that wait actively would take a CPU from others."""

    def __init__(self, name, python, form, saved, folder, threads) -> None:
        folder.mkdir()
        script = ROOT / "benchmarks" / "llm_peers.py"
        self.log = open(folder / "log", "wb")
        self.process = subprocess.Popen(
            [python, script, name, form, saved, folder, str(threads)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, text=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "OMP_NUM_THREADS": str(threads)},
        )  # fmt: skip
        atexit.register(self.process.kill)
        self.folder = folder
        self.about = self.answer()

    def answer(self) -> dict:
        line = self.process.stdout.readline()
        if not line:
            log = (self.folder / "log").read_text()
            sys.exit(f"error: {' '.join(map(str, self.process.args[1:4]))}: {log[-2000:]}")
        self.process.send_signal(signal.SIGSTOP)
        return json.loads(line)

    def ask(self, **request) -> dict:
        self.process.send_signal(signal.SIGCONT)
        print(json.dumps(request), file=self.process.stdin, flush=True)
        return self.answer()

    def best(self, tokens, position, times, slots=1) -> float:
        if slots > 1 and position > 1000:
            return float("inf")  # the prompts of all sequences take minutes
        request = {"tokens": len(tokens), "position": position, "times": times, "sequences": slots}
        return self.ask(**request)["seconds"]


class Eager(Engine):
    """A step of transformers with static caches, one for each number of sequences. With `compiles`,
    by torch.compile with constant weights."""

    def __init__(self, model, compiles: bool = False) -> None:
        import torch
        import torch._inductor.config

        if compiles:
            # The option of torch.compile alone leaves the weights inputs.
            torch._inductor.config.freezing = True
        self.model = torch.compile(model, dynamic=False) if compiles else model
        self.config = model.config
        self.caches: dict = {}

    def __call__(self, tokens: list[int], position: int, slots: int = 1) -> None:
        import torch

        from transformers import StaticCache

        if slots not in self.caches:
            self.caches[slots] = StaticCache(max_cache_len=LENGTH, config=self.config)
            self([7] * 2, 0, slots)
            for layer in self.caches[slots].layers:
                layer.keys.normal_()
                layer.values.normal_()
        cache = self.caches[slots]
        for layer in cache.layers:
            if isinstance(getattr(layer, "cumulative_length", None), torch.Tensor):
                layer.cumulative_length.fill_(position)
        with torch.no_grad():
            self.model(
                input_ids=torch.tensor([tokens] * slots), past_key_values=cache, use_cache=True,
                logits_to_keep=1,
            )  # fmt: skip


class Compiled(Engine):
    def __init__(self, folder: pathlib.Path, threads: int, slots: int = 0) -> None:
        import fx_mlir
        import numpy as np

        start = time.perf_counter()
        self.model = fx_mlir.load(folder / "model.so", threads=threads)
        self.load_seconds = time.perf_counter() - start
        self.np = np
        # A cache that was never written is one page of zeros, which stays in the caches of the CPU.
        for position in range(0, LENGTH - PROMPT, PROMPT):
            self([7] * PROMPT, position)
        for slot in range(slots):
            self.model.join(np.array([slot]))

    def __call__(self, tokens: list[int], position: int, slots: int = 1) -> None:
        np = self.np
        if slots > 1:
            self.model.decode_slots(np.array([tokens] * slots), np.full(slots, position))
            return
        method = self.model.decode if len(tokens) == 1 else self.model.prefill
        method(np.array([tokens]), np.arange(position, position + len(tokens)))


def resident(folder: pathlib.Path) -> int:
    """The resident memory in MiB of a process without torch that has generated 16 tokens."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[2])\n"
        "from fx_mlir.generate import LanguageModel\n"
        "LanguageModel(sys.argv[1]).generate([1, 2, 3], max_new_tokens=16)\n"
        "print(open('/proc/self/status').read().split('VmRSS:')[1].split()[0])"
    )
    run = [sys.executable, "-c", code, str(folder), PACKAGE]
    return int(subprocess.check_output(run, text=True)) >> 10


def parse(form: str) -> tuple[str, list[str], str]:
    """The format of the weights, the precisions, and the dtype of the caches, or an empty text."""
    weights, _, cached = form.partition("@")
    weights, *precisions = weights.split("+")
    return weights, ["bf16"] if weights == "bf16" else precisions, cached


def bytes_of_step(model, form: str, context: int, slots: int) -> float:
    """The bytes that a decode step must read: weights of linear layers, and keys and values of
    the tokens before in each slot. Groups of 32 integers have a scale of 2 bytes."""
    import torch

    weights, _, cached = parse(form)
    linear = sum(m.weight.numel() for m in model.modules() if isinstance(m, torch.nn.Linear))
    config = model.config
    cache = 2 * config.num_hidden_layers * config.hidden_size * context * (2 if cached else 4) * slots
    return linear * {"f32": 4, "bf16": 2, "int8": 1, "int4": 0.5625}[weights] + cache


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--size", choices=SIZES, default="150m")
    parser.add_argument("--formats", default="f32,int8,int4", metavar="LIST")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--slots", type=int, default=0, metavar="N", help="also N sequences at once")
    parser.add_argument(
        "--peer", action="append", default=[], metavar="ENGINE=PYTHON", help="also an engine of llm_peers.py"
    )
    parser.add_argument("--compile", action="store_true", help="also torch.compile, in float32")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE")
    options = parser.parse_args()
    for name in options.formats.split(","):
        weights, _, cached = parse(name)
        is_float = weights in ("f32", "bf16")
        known = is_float and "+" not in name or weights in ("int8", "int4")
        if not known or cached not in CACHES:
            parser.error(
                f"expected formats f32, bf16, int8[+…] or int4[+…], and @f16 or @bf16, got '{name}'"
            )
    warnings.simplefilter("ignore")
    import fx_mlir
    import torch
    from run import probe_roofline

    torch.set_num_threads(options.threads or os.cpu_count())
    model = make(options.size)
    parameters = sum(p.numel() for p in model.parameters())
    engines: dict = {}
    rows: dict = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in options.formats.split(","):
            path = pathlib.Path(folder) / name
            weights, precisions, cached = parse(name)
            fx_mlir.export_for_generation(
                model, path, max_length=LENGTH, slots=options.slots, progress=False,
                quantize=weights if weights.startswith("int") else None,
                precision=",".join(precisions) or "f32",
                cache_dtype=getattr(torch, CACHES[cached]) if cached else None,
            )  # fmt: skip
            engines[name] = Compiled(path, options.threads, options.slots)
            size = (path / "model.so").stat().st_size
            rows[name] = {"MB": size / 1e6, "load s": engines[name].load_seconds, "RSS MiB": resident(path)}
        engines["eager"] = Eager(model)
        rows["eager"] = {}
        if options.compile:
            engines["torch compile"] = Eager(model, compiles=True)
            rows["torch compile"] = {}
        if "bf16" in options.formats.split(","):
            engines["eager bf16"] = Eager(copy.deepcopy(model).bfloat16())
            rows["eager bf16"] = {}
        if options.peer:
            save(model, pathlib.Path(folder) / "saved")
            prompt = [11, 300, 7, 42, 5]
            with torch.no_grad():
                first = model(torch.tensor([prompt])).logits[0, -1].argmax().item()
        for name, python in (p.split("=", 1) for p in options.peer):
            # Each format without its options: those are the engine's own.
            for form in dict.fromkeys(parse(f)[0] for f in options.formats.split(",")):
                if form == "bf16" and name == "onnxruntime":
                    continue
                key = f"{name} {form}"
                engines[key] = Peer(
                    name, python, form, pathlib.Path(folder) / "saved",
                    pathlib.Path(folder) / key.replace(" ", "-"), options.threads,
                )  # fmt: skip
                rows[key] = engines[key].about
                if form == "f32" and engines[key].ask(next=prompt)["token"] != first:
                    sys.exit(f"error: {key}: another token than eager PyTorch")
        works = {f"prefill {PROMPT}": ([7] * PROMPT, 0, 1, 1)}
        works |= {f"decode at {n}": ([7], n, 8, 1) for n in CONTEXTS}
        if options.slots > 1:
            works |= {
                f"decode {options.slots} at {n}": ([7], n, 4, options.slots) for n in CONTEXTS
            }
        least = {(w, e): float("inf") for w in works for e in engines}
        rates = []
        for _ in range(options.rounds):
            rates.append(probe_roofline()["gbytes"] * 1e9)
            for work, (tokens, position, times, slots) in works.items():
                for name, engine in engines.items():
                    time.sleep(0.05)  # the threads of the engine before come to rest
                    seconds = engine.best(tokens, position, times, slots)
                    least[work, name] = min(least[work, name], seconds)
    rate = max(rates)
    for (work, name), seconds in least.items():
        if seconds == float("inf"):
            continue
        tokens, position, _, slots = works[work]
        rows[name][f"{work} tok/s"] = slots * len(tokens) / seconds
        rows[name][f"{work} ratio"] = least[work, "eager"] / seconds
        if len(tokens) == 1 and " " not in name and name != "eager":
            must = bytes_of_step(model, name, position, slots) / rate
            rows[name][f"{work} of the limit"] = must / seconds
    print(f"{options.size}: {parameters / 1e6:.0f}M parameters, {options.threads} threads, {rate / 1e9:.1f} GB/s")
    for name, row in rows.items():
        print(f"{name:6}", "  ".join(f"{key} {value:.4g}" for key, value in row.items()))
    if options.json:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()

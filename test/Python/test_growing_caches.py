"""Programs that take a cache and return it with new values: compiled with a capacity, the cache
stays in the model, and a call writes the rows of its tokens only."""

import math
import os
import pathlib
import re
import subprocess

import fx_mlir
import pytest
import torch
from torch.export import Dim

pytestmark = pytest.mark.filterwarnings("ignore")
BUILD = pathlib.Path(os.environ.get("FX_BUILD_DIR", pathlib.Path(__file__).parents[2] / "build"))
CAPACITY, LAYERS, HEADS, SIZE = 96, 2, 2, 16


def fx_compile(*args):
    command = [BUILD / "bin" / "fx-compile", "--no-cache", *args]
    return subprocess.run([*map(str, command)], capture_output=True, text=True)


class Step(torch.nn.Module):
    """A model of transformers whose DynamicCache is an input and an output, as its exporter makes
    it. Returns the logits of all tokens."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, position_ids, past):
        import transformers

        cache = transformers.DynamicCache(config=self.model.config)
        for layer, (keys, values) in zip(cache.layers, past):
            layer.keys, layer.values, layer.is_initialized = keys, values, True
            layer.dtype, layer.device = keys.dtype, keys.device
        out = self.model(input_ids, position_ids=position_ids, past_key_values=cache)
        return out.logits, [(layer.keys, layer.values) for layer in cache.layers]


def make(name):
    transformers = pytest.importorskip("transformers")
    sizes = {
        "vocab_size": 128, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": LAYERS,
        "num_attention_heads": 4, "num_key_value_heads": HEADS, "max_position_embeddings": 256,
        "bos_token_id": None, "eos_token_id": None, "pad_token_id": 0,
    }  # fmt: skip
    torch.manual_seed(0)
    config = getattr(transformers, f"{name}Config")(**sizes)
    return getattr(transformers, f"{name}ForCausalLM")(config).eval()


def export(model, tokens):
    """`tokens`: their number, or None for a symbol."""
    count = tokens or 7
    past = [tuple(torch.randn(1, HEADS, 5, SIZE) for _ in range(2)) for _ in range(LAYERS)]
    args = torch.zeros(1, count, dtype=torch.long), torch.arange(5, 5 + count)[None], past
    size = {1: Dim.AUTO} if tokens is None else {}
    shapes = size, size, [({2: Dim.AUTO}, {2: Dim.AUTO})] * LAYERS
    with torch.no_grad():
        return torch.export.export(Step(model), args, dynamic_shapes=shapes, strict=False)


def call(method, tokens, length):
    ids, positions = torch.tensor([tokens]), torch.arange(length, length + len(tokens))[None]
    result = method(ids, positions, length)
    return result[0] if isinstance(result, tuple) else result


PROMPT = [3, 41, 59, 26, 5, 35, 89]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder, model = tmp_path_factory.mktemp("growing"), make("Llama")
    for name, tokens in ("prefill", None), ("decode", 1):
        torch.export.save(export(model, tokens), folder / f"{name}.pt2")
    return model, folder


def test_tokens(programs, tmp_path):
    """Two methods share the caches; the tokens are those of transformers."""
    model, folder = programs
    path = tmp_path / "m.so"
    methods = [f"{name}={folder / name}.pt2" for name in ("prefill", "decode")]
    result = fx_compile(*methods, "-o", path, "--no-fallback", f"--cache-capacity={CAPACITY}")
    assert result.returncode == 0, result.stderr
    compiled = fx_mlir.load(path)
    with torch.no_grad():
        want = model.generate(torch.tensor([PROMPT]), max_new_tokens=48, do_sample=False)
    want = want[0, len(PROMPT) :].tolist()

    def generate(tokens, length, count):
        """Runs tokens behind `length` rows of the caches."""
        made = [int(call(compiled.prefill, tokens, length)[0, -1].argmax())]
        length += len(tokens)
        while len(made) < count:
            made.append(int(call(compiled.decode, made[-1:], length)[0, -1].argmax()))
            length += 1
        return made

    assert generate(PROMPT, 0, 48) == want
    # Roll back by a smaller length, and a prompt in two parts.
    assert generate(want[:3], len(PROMPT), 20) == want[3:23]
    call(compiled.prefill, PROMPT[:4], 0)
    assert generate(PROMPT[4:], 4, 5) == want[:5]
    # The last row, and no more.
    call(compiled.decode, [1], CAPACITY - 1)
    with pytest.raises(fx_mlir.Error, match=f"<= {CAPACITY}"):
        call(compiled.decode, [1], CAPACITY)
    with pytest.raises(fx_mlir.Error, match=r"s\d+ >= 0"):
        call(compiled.decode, [1], -1)
    # The same from Python.
    sources = {name: folder / f"{name}.pt2" for name in ("prefill", "decode")}
    compiled = fx_mlir.compile(sources, no_fallback=True, cache_capacity=CAPACITY)
    assert generate(PROMPT, 0, 20) == want[:20]
    with pytest.raises(fx_mlir.Error, match="cache_capacity: expected 0 or more, got -1"):
        fx_mlir.compile(sources, cache_capacity=-1)


def test_only_new_rows_are_copied(programs, tmp_path):
    _, folder = programs
    path = tmp_path / "m.mlir"
    options = ["--emit=memref", "--cache-capacity=512", "-o", path]
    result = fx_compile(folder / "decode.pt2", *options)
    assert result.returncode == 0, result.stderr
    text = path.read_text()
    assert re.search(rf"memref<1x{HEADS}x512x{SIZE}xf32> {{[^}}]*fx.state = @past_0_0", text)
    copied = re.findall(r"memref\.copy .*: memref<([0-9x?]+)xf32.* to memref<", text)
    # Others copy halves of the token's heads.
    assert copied.count(f"1x{HEADS}x1x{SIZE}") == 2 * LAYERS
    assert all("?" not in c and math.prod(map(int, c.split("x"))) <= HEADS * SIZE for c in copied)


def test_errors(programs, tmp_path):
    _, folder = programs

    class NoCache(torch.nn.Module):
        def forward(self, x):
            return x + 1

    torch.export.save(torch.export.export(NoCache(), (torch.zeros(2),)), tmp_path / "n.pt2")
    for model, capacity, text in [
        (tmp_path / "n.pt2", 8, "expected a cache: an output that is `cat` of an input"),
        (folder / "decode.pt2", 0, "--cache-capacity: expected at least 1, got 0"),
    ]:
        result = fx_compile(model, f"--cache-capacity={capacity}", "-o", tmp_path / "n.so")
        assert result.returncode == 1 and text in result.stderr, result.stderr

"""Programs that fx-shard and fx-stage divide between ranks: the ranks as threads that exchange
tensors (sharded.py), and as processes over gloo."""

import pathlib
import re

import harness
import leaves
import pytest
import random_shards
import ranks
import sharded
import torch
import transformers
from models import llama
from models.registry import seeded
from torch import nn

LLAMA = """
    embed: rowwise
    blocks.*.attention.[qkv]_proj: colwise
    blocks.*.attention.o_proj: rowwise
    blocks.*.gate_proj: colwise
    blocks.*.up_proj: colwise
    blocks.*.down_proj: rowwise
    lm_head: colwise
"""
#: Of a model of transformers with `model.` in front of its layers.
COMMON = """
    **.embed_tokens: rowwise
    **.self_attn.[qkv]_proj: colwise
    **.self_attn.o_proj: rowwise
    **.lm_head: colwise
"""
MLP = "**.mlp.gate_proj: colwise; **.mlp.up_proj: colwise; **.mlp.down_proj: rowwise\n"
GPT2 = """
    **.wte: rowwise
    **.c_attn: colwise [32, 32, 32]
    **.attn.c_proj: rowwise
    **.c_fc: colwise
    **.mlp.c_proj: rowwise
"""
SIZES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=4,
             intermediate_size=64, vocab_size=64, max_position_embeddings=64)  # fmt: skip
EXPERTS = dict(num_local_experts=4, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16)

#: The name of a model of transformers, its configuration, and a plan.
MODELS = {
    "Llama": (SIZES, COMMON + MLP),
    "Gemma": (SIZES | dict(head_dim=8), COMMON.replace("**.lm_head: colwise", "") + MLP),
    "Qwen3": (SIZES | dict(head_dim=8), COMMON + MLP),
    "Olmo2": (SIZES, COMMON + MLP),
    "Phi3": (SIZES | dict(pad_token_id=0), """
        **.embed_tokens: rowwise
        **.qkv_proj: colwise [32, 32, 32]
        **.o_proj: rowwise
        **.gate_up_proj: packed_colwise
        **.down_proj: rowwise
        **.lm_head: colwise"""),
    "Mixtral": (SIZES | EXPERTS, COMMON + """
        **.experts.gate_up_proj: shard 1 [64, 64]
        **.experts.down_proj: shard 2"""),
    "GPT2": (dict(n_embd=32, n_layer=2, n_head=4, vocab_size=64, n_positions=64), GPT2),
    "Bloom": (dict(hidden_size=32, n_layer=2, n_head=4, vocab_size=64), """
        **.word_embeddings: rowwise
        **.query_key_value: colwise
        **.dense: rowwise
        **.dense_h_to_4h: colwise
        **.dense_4h_to_h: rowwise"""),
}  # fmt: skip
#: Those whose rules others need, too.
LONG = {"Qwen3", "Phi3"}
SUFFIXES = {"GPT2": "LMHeadModel"}


class Logits(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, ids):
        return self.model(input_ids=ids, use_cache=False).logits


def make(name: str) -> nn.Module:
    config = getattr(transformers, name + "Config")(**MODELS[name][0])
    config._experts_implementation = "batched_mm"
    return seeded(lambda: Logits(getattr(transformers, name + SUFFIXES.get(name, "ForCausalLM"))(config)))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.long) if n in LONG else n for n in MODELS]
)
def test_models(tmp_path, name):
    """Models of transformers."""
    module = make(name).eval()
    ids = torch.randint(64, (2, 7))
    sharded.export(module, (ids,), tmp_path / "m.pt2")
    # Four ranks are tested with the caches.
    for world in (2,) if name != "GPT2" else (2, 4):
        files = sharded.divide(tmp_path / "m.pt2", world, MODELS[name][1])
        run = sharded.check(files, module, (ids,), (ids.flip(0),))
        assert not sharded.divide.remarks, sharded.divide.remarks
        # One for the embedding, two for each layer, one for the logits. Olmo2 also has norms of
        # all queries and keys, and Mixtral those of experts.
        assert run.count <= {"Olmo2": 10, "Mixtral": 8}.get(name, 6), run.count


class Experts(nn.Module):
    """All experts compute all tokens, weighted by what the router has chosen."""

    def __init__(self, experts: int = 8):
        super().__init__()
        self.router = nn.Linear(16, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, 16, 32) / 4)
        self.down = nn.Parameter(torch.randn(experts, 32, 16) / 4)

    def forward(self, x):
        scores = self.router(x).softmax(-1)
        best, experts = scores.topk(2, -1)
        weights = torch.zeros_like(scores).scatter(1, experts, best)
        y = torch.einsum("td,edf->etf", x, self.up).relu()
        y = torch.einsum("etf,efd->etd", y, self.down)
        return x + (y * weights.t()[..., None]).sum(0)


@pytest.mark.parametrize("ranks", [2, 4])
def test_experts(ranks, tmp_path):
    """Each rank has some of the experts, and one sum joins them."""
    torch.manual_seed(0)
    module, x = Experts().eval(), torch.randn(5, 16)
    sharded.export(module, (x,), tmp_path / "m.pt2")
    files = sharded.divide(tmp_path / "m.pt2", ranks, "up: shard 0\ndown: shard 0")
    run = sharded.check(files, module, (x,), (x * 2,))
    assert not sharded.divide.remarks, sharded.divide.remarks
    assert run.count == 1
    for program in run.programs:
        assert program.state_dict["up"].shape == (8 // ranks, 16, 32)
        assert program.state_dict["down"].shape == (8 // ranks, 32, 16)


class Decoder(nn.Module):
    """A model of transformers with its cache of keys and values in buffers."""

    def __init__(self, model, length: int):
        super().__init__()
        self.model = model
        self.layers = model.config.num_hidden_layers
        shape = (1, model.config.num_key_value_heads, length, model.config.head_dim)
        for k in range(self.layers):
            for name in ("keys", "values"):
                self.register_buffer(f"{name}_{k}", torch.zeros(shape))

    def forward(self, ids, position):
        cache = transformers.StaticCache(max_cache_len=self.keys_0.shape[2], config=self.model.config)
        for k, layer in enumerate(cache.layers):
            layer.keys, layer.values = getattr(self, f"keys_{k}"), getattr(self, f"values_{k}")
            layer.cumulative_length = position[0].clone()
            layer.is_initialized = True
            layer.dtype, layer.device = layer.keys.dtype, layer.keys.device
            layer.max_batch_size, layer.num_heads, _, layer.head_dim = layer.keys.shape
            layer.k_head_dim = layer.v_head_dim = layer.head_dim
        return self.model(input_ids=ids, past_key_values=cache, use_cache=True).logits


def steps(vocabulary: int, count: int) -> list[tuple]:
    """The inputs of a generation: one token and its position."""
    return [(torch.tensor([[(7 * k + 3) % vocabulary]]), torch.tensor([k])) for k in range(count)]


@pytest.mark.parametrize("name", ["Llama", pytest.param("Gemma", marks=pytest.mark.long)])
def test_transformers_cache(tmp_path, name):
    """The caches are divided by heads."""
    module = seeded(lambda: Decoder(make(name).model, 16)).eval()
    sharded.export(module, steps(64, 1)[0], tmp_path / "m.pt2")
    files = sharded.divide(tmp_path / "m.pt2", 4, MODELS[name][1])
    run = sharded.check(files, module, *steps(64, 5))
    state = dict(run.programs[0].named_buffers())
    heads = MODELS[name][0]["num_key_value_heads"] // 4
    assert {b.shape[1] for n, b in state.items() if "keys_" in n} == {heads}
    assert not sharded.divide.remarks


@pytest.mark.parametrize("how", ["index_copy", "index_put", "slice"])
def test_caches(tmp_path, how):
    """A cache that is written in one of three ways. Four ranks do not divide the two heads of the
    keys: these are gathered."""
    module = seeded(lambda: llama.Decode(llama.SMALL, how)).eval()
    sharded.export(module, steps(512, 1)[0], tmp_path / "m.pt2")
    for world, heads in ((2, 1), (4, 2)):
        files = sharded.divide(tmp_path / "m.pt2", world, LLAMA)
        module = seeded(lambda: llama.Decode(llama.SMALL, how)).eval()
        run = sharded.check(files, module, *steps(512, 4))
        shapes = {b.shape[1] for n, b in run.programs[0].named_buffers() if ".cache." in n}
        assert shapes == {heads}
        assert bool(sharded.divide.remarks) == (world == 4), sharded.divide.remarks
        for line in sharded.divide.remarks.splitlines():
            assert re.search(r"remark: no rule divides this node: .* \(.*llama.py:\d+", line)


def test_found_plan(tmp_path):
    """The pass finds the pairs of linears and the heads. More memory costs less time."""
    module = seeded(lambda: llama.Decode(llama.Config(512, 64, 2, 8, 4, 160, 32), "index_copy")).eval()
    model = sharded.export(module, steps(512, 1)[0], tmp_path / "m.pt2")
    weights = sum(p.numel() for p in module.parameters()) * 4
    # Without latency, each division pays off.
    files = sharded.divide(model, 2, "auto latency=0 link=1000")
    for name in ("attention.q_proj", "attention.k_proj", "attention.v_proj", "gate_proj", "up_proj"):
        assert f"blocks.*.{name}.weight: shard 0\n" in sharded.divide.remarks
    run = sharded.check(files, module, *steps(512, 3))
    assert sum(p.numel() for p in run.programs[0].parameters()) * 4 < 0.6 * weights
    # With a slow network, nothing pays off, but the weights must fit.
    sharded.divide(model, 4, "auto latency=100000")
    assert "shard" not in sharded.divide.remarks
    sharded.divide(model, 4, f"auto latency=100000 memory={weights // 2}")
    assert "shard" in sharded.divide.remarks
    with pytest.raises(harness.ToolError, match="at most 1024 bytes for each of 4 ranks, got [0-9]+"):
        sharded.divide(model, 4, "auto memory=1K")


def test_dynamic(tmp_path):
    """Any length of the prompt."""
    module = seeded(lambda: llama.Prefill(llama.SMALL)).eval()
    tokens = torch.randint(512, (2, 9))
    dynamic = {"tokens": {1: torch.export.Dim("length", min=2, max=1024)}}
    sharded.export(module, (tokens,), tmp_path / "m.pt2", dynamic=dynamic)
    files = sharded.divide(tmp_path / "m.pt2", 2, LLAMA)
    run = sharded.check(files, module, (tokens,), (tokens[:, :5],))
    assert not sharded.divide.remarks
    assert run.count == 1 + 2 * 2 + 1


@pytest.mark.parametrize("seed", range(8))
def test_random(tmp_path, seed, length=24):
    """Random graphs with random divisions of their parameters."""
    world = 2 if seed % 3 else 4
    module, inputs, plan = random_shards.draw(seed, world, length)
    sharded.export(module.eval(), inputs, tmp_path / "m.pt2")
    sharded.check(sharded.divide(tmp_path / "m.pt2", world, plan), module, inputs)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 300))
def test_random_long(tmp_path, seed):
    test_random(tmp_path, seed, length=10)


def test_weights(tmp_path):
    """The files of the ranks have their parts of the weights alone."""
    config = llama.Config(2048, 128, 2, 8, 4, 352, 32)
    module = seeded(lambda: llama.Decode(config, "index_copy")).eval()
    sharded.export(module, steps(2048, 1)[0], tmp_path / "m.pt2")
    whole = (tmp_path / "m.pt2").stat().st_size
    for world, share in ((2, 0.55), (4, 0.3)):
        for file in sharded.divide(tmp_path / "m.pt2", world, LLAMA):
            size = file.stat().st_size
            assert size <= share * whole, (world, size, whole)
    # Text in another folder than that of the weights.
    out = tmp_path / "text"
    out.mkdir()
    (tmp_path / "plan.txt").write_text("lm_head: colwise")
    text = harness.tool("fx-translate", "--pt2-to-mlir", tmp_path / "m.pt2", "--shard",
                        tmp_path / "plan.txt", "-o", out / "m.{rank}.mlir")  # fmt: skip
    assert text.returncode == 0, text.stderr
    archive = harness.tool("fx-translate", "--mlir-to-pt2", out / "m.1.mlir", "-o", out / "m.1.pt2")
    assert archive.returncode == 0, archive.stderr


# --- processes --------------------------------------------------------------------------------


def compile_ranks(files: list[pathlib.Path]) -> pathlib.Path:
    """Compiles the program of each rank. Returns the name for all, with {rank}."""
    for file in files:
        result = harness.tool("fx-compile", file, "-o", file.with_suffix(".so"))
        assert result.returncode == 0, result.stderr
    return files[0].with_name("m.{rank}.so")


@pytest.mark.parametrize("world", [pytest.param(2, marks=pytest.mark.long), 4])
def test_generate(tmp_path, world):
    """Compiled ranks that generate with divided caches, in processes over gloo."""
    config = llama.Config(512, 64, 2, 8, 4, 160, 32)
    module = seeded(lambda: llama.Decode(config, "index_copy")).eval()
    inputs = steps(512, 6)
    sharded.export(module, inputs[0], tmp_path / "m.pt2")
    model = compile_ranks(sharded.divide(tmp_path / "m.pt2", world, LLAMA))
    with torch.no_grad():
        torch.save([(args, module(*args)) for args in inputs], tmp_path / "expected.pt")
    command = ranks.python("decode.py", model, tmp_path / "expected.pt")
    assert ranks.run(*[command] * world) == ["ok\n"] * world


def run_ranks(model: pathlib.Path, args: tuple, expected: list, world: int, *flags) -> None:
    """Runs fx-run on all ranks and compares their outputs."""
    folder = model.parent
    leaves.save_inputs(folder / "in", args, {})
    command = ranks.fx_run(model, "--inputs", folder / "in", "--outputs", folder / "out.{rank}", *flags)
    ranks.run(*[command] * world)
    for rank in range(world):
        harness.compare(leaves.load_outputs(folder / f"out.{rank}", expected), expected)


def test_fx_run(tmp_path):
    module = seeded(lambda: llama.Prefill(llama.SMALL)).eval()
    tokens = torch.randint(512, (2, 9))
    sharded.export(module, (tokens,), tmp_path / "m.pt2")
    model = compile_ranks(sharded.divide(tmp_path / "m.pt2", 2, LLAMA))
    with torch.no_grad():
        run_ranks(model, (tokens,), [module(tokens)], 2)


# --- pipelines --------------------------------------------------------------------------------


@pytest.mark.parametrize("world", [2, 3])
def test_stages(tmp_path, world):
    """The stages together give the decoder's logits, step by step, and each has its own layers."""
    module = seeded(lambda: llama.Decode(llama.Config(512, 64, 6, 4, 2, 160, 32), "index_copy")).eval()
    sharded.export(module, steps(512, 1)[0], tmp_path / "m.pt2")
    files = sharded.divide(tmp_path / "m.pt2", world)
    run = sharded.Ranks(files)
    names = [set(p.state_dict) - {"frequencies"} for p in run.programs]
    assert not set.intersection(*names), names
    assert set.union(*names) == set(module.state_dict())
    if world == 2:
        sharded.check(files, module, *steps(512, 3))


def test_pipeline(tmp_path):
    """Two stages in two processes, for several lengths of the prompt."""
    module = seeded(lambda: llama.Prefill(llama.Config(512, 64, 4, 4, 2, 160, 32))).eval()
    tokens = torch.randint(512, (2, 9))
    dynamic = {"tokens": {1: torch.export.Dim("length", min=2, max=1024)}}
    sharded.export(module, (tokens,), tmp_path / "m.pt2", dynamic=dynamic)
    text = harness.tool("fx-translate", "--pt2-to-mlir", tmp_path / "m.pt2").stdout
    symbol = re.search(r"symbols \[(\w+)", text)[1]
    model = compile_ranks(sharded.divide(tmp_path / "m.pt2", 2, sizes=f"{symbol}=64"))
    with torch.no_grad():
        for args in ((tokens,), (tokens[:, :4],)):
            run_ranks(model, args, [module(*args)], 2)


# --- training ---------------------------------------------------------------------------------


def test_data_parallel_training():
    assert ranks.run(*[ranks.python("ddp.py")] * 2) == ["ok\n"] * 2
